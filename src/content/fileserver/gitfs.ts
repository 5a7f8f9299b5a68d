import { joinPath, normalizePath } from "../../base/paths.ts";
import { ConfigError } from "../../base/errors.ts";
import type { HashName } from "../../runtime/crypto.ts";
import { entryAt, type GitTree } from "../git/tree.ts";
import { gitRemotes, type Refs } from "../git/remote.ts";
import { GitRepository } from "../git/repository.ts";
import { isHex, placeIn, savedEnvironments } from "../git/environments.ts";
import { compileGlob } from "../../language/python/glob.ts";
import type { BackendUpdate, FileBackend, FoundFile, Listing, LockResult } from "./backend.ts";
import { digestFile, isHashName } from "./digest.ts";
import type { RootsOptions } from "./roots.ts";
import { isConfined } from "./url.ts";
import { statOf } from "./walk.ts";

/** Bytes of a file up to which it is hashed here. */
const QUICK_BYTES = 512 * 1024;
const REMEMBERED = 10_000;
/** Bytes of a commit's files that are read before anyone asks. */
const PREFETCHED = 2 ** 28;

interface FoundBlob extends FoundFile {
  sha: string;
}

/** The part of a tree that is served, and its place in the environment. */
interface Part {
  repository: GitRepository;
  tree: GitTree;
  /** The directory of the repository that is served; empty for the whole repository. */
  root: string;
  mountpoint: string;
}

/**
 * Serves the repositories of `gitfs_remotes`: branches, tags and commits are environments. Nothing is checked out: a file that is
 * asked for is written to the cache once, under the hash of its content.
 *
 * @see salt/fileserver/gitfs.py
 */
export class GitBackend implements FileBackend {
  readonly name = "gitfs";
  readonly #options: RootsOptions;
  readonly #repositories: GitRepository[];
  readonly #hashName: HashName;
  readonly #digests = new Map<string, Promise<string | undefined>>();
  #first: Promise<unknown> | undefined;

  /** @throws {ConfigError} for options that cannot be used */
  constructor(options: RootsOptions) {
    const { opts, runtime, log } = options;
    if (!isHashName(opts.hash_type)) throw new ConfigError(`Unknown hash_type "${opts.hash_type}"`);
    this.#options = options;
    this.#hashName = opts.hash_type;
    const cache = joinPath(opts.cachedir, this.name);
    const host = { runtime, log: log.child("gitfs") };
    const gitOpts = opts as unknown as Record<string, unknown>;
    this.#repositories = gitRemotes("gitfs", gitOpts, gitOpts.gitfs_remotes)
      .map((remote) => new GitRepository(host, remote, cache));
  }

  environments(): string[] {
    return [...this.#known()].sort();
  }

  /** Rebuilt only when refs change: a remote may have 100,000 refs, and each request looks one up. */
  #known(): ReadonlySet<string> {
    const refs = this.#repositories.map((repository) => repository.refs());
    if (this.#environments === undefined || refs.some((one, at) => one !== this.#environments!.refs[at])) {
      const all = this.#repositories.flatMap(({ remote }, at) => [...savedEnvironments(remote, refs[at]!)]);
      this.#environments = { refs, names: new Set(all) };
    }
    return this.#environments.names;
  }
  #environments: { refs: readonly Refs[]; names: ReadonlySet<string> } | undefined;

  /** Fetches remotes that were never fetched, if this process has no master; a master fetches in its maintenance. */
  async #ready(): Promise<void> {
    if (this.#options.fetches !== true) return;
    this.#first ??= Promise.all(
      this.#repositories.filter((repository) => repository.refs().atMs === 0).map((repository) => repository.update()),
    );
    await this.#first;
  }

  /** The part of each remote that belongs to an environment, in the order of the remotes. */
  async *#parts(saltenv: string, path?: string): AsyncGenerator<Part> {
    await this.#ready();
    const known = isHex(saltenv) || this.#known().has(saltenv);
    for (const repository of this.#repositories) {
      const { remote } = repository;
      const mountpoint = placeIn(remote, saltenv, "mountpoint");
      if (path !== undefined && mountpoint !== "" && !path.startsWith(`${mountpoint}/`)) continue;
      if (!known && remote.fallback === "") continue;
      const commit = await repository.commitOf(saltenv);
      const tree = commit === undefined ? undefined : await repository.tree(commit);
      if (tree !== undefined) yield { repository, tree, root: placeIn(remote, saltenv, "root"), mountpoint };
    }
  }

  async find(path: string, saltenv: string): Promise<FoundFile | undefined> {
    if (!isConfined(path)) return undefined;
    const rel = normalizePath(path);
    for await (const { repository, tree, root, mountpoint } of this.#parts(saltenv, rel)) {
      const below = mountpoint === "" ? rel : rel.slice(mountpoint.length + 1);
      const entry = await entryAt(
        tree,
        root === "" ? below : `${root}/${below}`,
        (link) => repository.linkText(link),
      );
      if (entry === undefined) continue;
      const file = await repository.blob(entry);
      const stat = statOf(this.#options.runtime.fs, file);
      if (stat === undefined) continue;
      const found: FoundBlob = { path: file, rel, stat: { ...stat, mode: entry.mode }, sha: entry.sha };
      return found;
    }
    return undefined;
  }

  read({ path }: FoundFile, offset: number, length: number): Uint8Array {
    return this.#options.runtime.fs.readAt(path, offset, length);
  }

  version(found: FoundFile): string {
    return (found as FoundBlob).sha;
  }

  hash(found: FoundFile, asker = ""): Promise<string | undefined> {
    const sha = this.version(found);
    let digest = this.#digests.get(sha);
    if (digest === undefined) {
      digest = this.#digest(found, asker);
      this.#digests.set(sha, digest);
      digest.catch(() => this.#digests.delete(sha));
      const [oldest] = this.#digests.keys();
      if (this.#digests.size > REMEMBERED) this.#digests.delete(oldest!);
    }
    return digest;
  }

  async #digest({ path, stat }: FoundFile, asker: string): Promise<string> {
    const { runtime, heavy } = this.#options;
    return heavy === undefined || stat.size <= QUICK_BYTES
      ? await digestFile(runtime, this.#hashName, path)
      : await heavy.digest(this.#hashName, path, asker);
  }

  async list(saltenv: string): Promise<Listing> {
    const [files, dirs] = [new Set<string>(), new Set<string>()];
    const links: Record<string, string> = {};
    for await (const { repository, tree, root, mountpoint } of this.#parts(saltenv)) {
      if (root !== "" && tree.get(root)?.kind !== "directory") continue;
      const prefix = root === "" ? "" : `${root}/`;
      if (mountpoint !== "") dirs.add(mountpoint);
      const found = [...tree].filter(([path]) => path.startsWith(prefix));
      await repository.prefetch(found.filter(([, { kind }]) => kind === "link").map(([, entry]) => entry));
      for (const [path, entry] of found) {
        const shown = joinPath(mountpoint, path.slice(prefix.length)).replace(/^\//, "");
        (entry.kind === "directory" ? dirs : files).add(shown);
        if (entry.kind === "link") links[shown] = await repository.linkText(entry);
      }
    }
    return { files: [...files].sort(), dirs: [...dirs].sort(), empty_dirs: [], links };
  }

  async update(dueOnly = false): Promise<BackendUpdate> {
    let changed = false;
    for (const repository of this.#repositories) {
      const { changed: now } = await repository.update(dueOnly);
      changed ||= now;
      if (now) await this.#prefetch(repository);
    }
    return { changed, backend: this.name };
  }

  /** Reads the files of the environment base, which most minions ask for, before they do. */
  async #prefetch(repository: GitRepository): Promise<void> {
    const commit = await repository.commitOf("base");
    const tree = commit === undefined ? undefined : await repository.tree(commit);
    if (tree === undefined) return;
    const root = placeIn(repository.remote, "base", "root");
    let bytes = 0;
    const wanted = [...tree].filter(([path, { kind, size }]) =>
      kind !== "directory" && (root === "" || path.startsWith(`${root}/`)) && (bytes += size) <= PREFETCHED
    );
    await repository.prefetch(wanted.map(([, entry]) => entry));
  }

  /** Forgets nothing: a listing is made from the last fetch, so no listing is older than that. */
  forgetLists(): string[] {
    return [];
  }

  /** The repositories whose address or id matches a glob; all of them without a glob. */
  #matching(remote: string | undefined): GitRepository[] {
    const fits = remote === undefined ? () => true : compileGlob(remote);
    return this.#repositories.filter((repository) => fits(repository.remote.url) || fits(repository.remote.id));
  }

  clearCache(): string[] {
    const directory = joinPath(this.#options.opts.cachedir, this.name);
    for (const repository of this.#repositories) repository.clear();
    this.#options.runtime.fs.remove(directory, { recursive: true });
    this.#first = undefined;
    return [];
  }

  setLock(remote?: string): LockResult {
    const done: string[] = [];
    const errors: string[] = [];
    for (const { remote: { id }, lock, directory } of this.#matching(remote)) {
      this.#options.runtime.fs.mkdir(directory, 0o700);
      const holder = lock.take(true);
      if (holder === undefined) done.push(`Set update lock for gitfs remote '${id}'`);
      else if (!holder.operator) {
        errors.push(`Unable to set update lock for ${id}: process ${holder.pid} is updating it`);
      }
    }
    return { done, errors };
  }

  clearLock(remote?: string): LockResult {
    const cleared = this.#matching(remote).filter(({ lock }) => lock.clear());
    return { done: cleared.map(({ remote: { id } }) => `Removed update lock for gitfs remote '${id}'`), errors: [] };
  }
}
