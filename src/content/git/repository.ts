import { joinPath } from "../../base/paths.ts";
import { messageOf } from "../../base/errors.ts";
import { hex } from "../../protocol/crypto/hex.ts";
import { Pool } from "../../base/async/pool.ts";
import { decode, encode } from "../../protocol/wire/msgpack.ts";
import { BlobReader } from "./blob_reader.ts";
import { type GitHost, runGit, signIn } from "./command.ts";
import { isExposed, isHex, refOf } from "./environments.ts";
import { UpdateLock } from "./lock.ts";
import { type GitRemote, NO_REFS, type Refs, remotePlace, sameRefs } from "./remote.ts";
import { writeTree } from "./checkout.ts";
import { type GitTree, isPackedTree, packTree, parseTree, type TreeEntry, unpackTree } from "./tree.ts";

/** Timeouts of git in milliseconds: for a fetch, and for reading what was fetched. */
const FETCH_MS = 600_000;
const READ_MS = 120_000;
/** Maximum sizes in bytes: of a pack that a remote sends, and of a file that is served. */
const MAX_PACK_BYTES = 2 ** 33;
const MAX_BLOB_BYTES = 2 ** 32;
/** Trees that are kept in memory, at most. */
const MAX_TREES = 16;
/** Hashes of commits that are remembered, at most: known ones, and as many that were not found. */
const MAX_UNKNOWN = 1000;
/** Runs of git that read one repository at the same time. */
const READERS = 2;
const MAX_WAITING = 100;
/** A blob that was not used for this long, in milliseconds, is removed. It is read again when it is needed. */
const UNUSED_MS = 7 * 86_400_000;
const DAY_MS = 86_400_000;
/** A lock of git itself that is older than this, in milliseconds, belongs to no running process. */
const GIT_LOCK_MS = FETCH_MS + 60_000;

const REFS_FORMAT = "--format=%(objectname) %(refname)";

interface Fetched {
  changed: boolean;
  /** The reason why nothing was fetched. */
  failure?: string;
}

/** One remote on this host: its fetched refs, and the trees and files that were read from it. */
export class GitRepository {
  readonly remote: GitRemote;
  readonly lock: UpdateLock;
  readonly directory: string;
  readonly #host: GitHost;
  readonly #pool = new Pool(READERS);
  readonly #trees = new Map<string, GitTree>();
  readonly #reading = new Map<string, Promise<GitTree | undefined>>();
  readonly #unknown = new Set<string>();
  readonly #commits = new Map<string, string>();
  readonly #blobs: BlobReader;
  #refs: { version: string; refs: Refs } | undefined;

  /** @param cache the directory for all remotes of this role */
  constructor(host: GitHost, remote: GitRemote, cache: string) {
    const { crypto } = host.runtime;
    this.remote = remote;
    this.#host = host;
    const place = remote.name ?? hex(crypto.hash("sha256", new TextEncoder().encode(remotePlace(remote)))).slice(0, 40);
    this.directory = joinPath(cache, "brine", place);
    this.lock = new UpdateLock(host.runtime, this.directory);
    const own = hex(crypto.randomBytes(8));
    const blobs = joinPath(this.directory, "blobs");
    this.#blobs = new BlobReader(host.runtime.fs, blobs, own, (shas, sink) => this.#cat(shas, sink));
  }

  get #gitDir(): string {
    return joinPath(this.directory, "repo.git");
  }

  async #read(args: readonly string[], more: { stdin?: Uint8Array; onStdout?(chunk: Uint8Array): void } = {}) {
    const most = more.onStdout === undefined ? {} : { mostBytes: Infinity };
    return await this.#pool.run(() =>
      runGit(this.#host, [`--git-dir=${this.#gitDir}`, ...args], { limitMs: READ_MS, ...most, ...more })
    );
  }

  async #cat(shas: readonly string[], sink: (chunk: Uint8Array) => void): Promise<void> {
    await this.#read(["cat-file", "--batch"], {
      stdin: new TextEncoder().encode(shas.map((sha) => `${sha}\n`).join("")),
      onStdout: sink,
    });
  }

  /** The refs of the last fetch. */
  refs(): Refs {
    const { fs } = this.#host.runtime;
    const path = joinPath(this.directory, "refs.p");
    const stat = fs.stat(path);
    if (stat === undefined) return NO_REFS;
    const version = [stat.mtimeMs, stat.ino, stat.size].join(":");
    if (this.#refs?.version !== version) {
      this.#refs = { version, refs: this.#readRefs(path) };
      this.#unknown.clear();
    }
    return this.#refs.refs;
  }

  #readRefs(path: string): Refs {
    try {
      const { branches, tags, atMs, of } = decode(this.#host.runtime.fs.read(path), { mode: "bin" }) as Record<
        string,
        unknown
      >;
      // A named remote keeps its directory when its URL changes: refs of another URL do not count.
      if (of !== this.remote.id) return NO_REFS;
      return {
        branches: new Map(branches as [string, string][]),
        tags: new Map(tags as [string, string][]),
        atMs: Number(atMs),
      };
    } catch (error) {
      this.#host.log.warning("list of branches cannot be read: listing again", { path, error: messageOf(error) });
      return NO_REFS;
    }
  }

  /**
   * Fetches, unless another process does or an operator has locked the remote. A failure is logged.
   *
   * @param dueOnly only if `update_interval` has gone by since the last time
   */
  async update(dueOnly = false): Promise<Fetched> {
    const { log, runtime: { clock } } = this.#host;
    const { id, role, updateIntervalMs } = this.remote;
    const before = this.refs();
    // Half a second early counts as due, because the maintenance runs at whole seconds.
    if (dueOnly && Math.abs(clock.now() - before.atMs) < updateIntervalMs - 500) return { changed: false };
    this.#host.runtime.fs.mkdir(this.directory, 0o700);
    const holder = this.lock.take();
    if (holder !== undefined) {
      const failure = holder.operator ? "an operator has locked it" : `process ${holder.pid} is updating it`;
      log.warning("git remote not updated", { role, remote: id, why: failure });
      return { changed: false, failure };
    }
    try {
      await this.#fetch();
      const after = await this.#listRefs();
      const changed = !sameRefs(before, after);
      this.#saveRefs(after);
      this.#forgetUnused();
      return { changed };
    } catch (error) {
      log.error("git remote cannot be fetched", { role, remote: id, error: messageOf(error) });
      return { changed: false, failure: messageOf(error) };
    } finally {
      this.lock.clear();
    }
  }

  async #fetch(): Promise<void> {
    const { fs } = this.#host.runtime;
    const { url, refspecs, auth } = this.remote;
    const how = { limitMs: FETCH_MS };
    if (fs.stat(joinPath(this.#gitDir, "HEAD")) === undefined) {
      fs.remove(this.#gitDir, { recursive: true });
      await runGit(this.#host, ["init", "--quiet", "--bare", "--template=", this.#gitDir], how);
    }
    this.#removeLocks(this.#gitDir);
    const { settings, env, secrets } = signIn(auth, url, () => this.#askPass());
    const flags = ["--quiet", "--prune", "--no-tags", "--force", "--no-recurse-submodules", "--no-write-fetch-head"];
    await runGit(
      this.#host,
      [`--git-dir=${this.#gitDir}`, "fetch", ...flags, "--", url, ...refspecs],
      { ...how, env, secrets, largestFile: MAX_PACK_BYTES },
      settings,
    );
  }

  /** Writes a program that prints the passphrase of a key: ssh asks for it in no other way. */
  #askPass(): string {
    const path = joinPath(this.directory, "askpass");
    this.#host.runtime.fs.write(path, `#!/bin/sh\nprintf '%s\\n' "$BRINE_GIT_PASSPHRASE"\n`, { mode: 0o700 });
    return path;
  }

  /** Removes git's own locks, left by a killed process. */
  #removeLocks(directory: string): void {
    const { fs, clock } = this.#host.runtime;
    for (const name of fs.list(directory)) {
      const path = joinPath(directory, name);
      const stat = fs.stat(path, { follow: false });
      if (stat?.kind === "directory" && /^(refs|remotes|origin|tags|objects|info)$/.test(name)) this.#removeLocks(path);
      else if (stat?.kind === "file" && name.endsWith(".lock") && clock.now() - stat.mtimeMs > GIT_LOCK_MS) {
        fs.remove(path);
      }
    }
  }

  async #listRefs(): Promise<Refs> {
    const printed = await this.#read(["for-each-ref", REFS_FORMAT, "refs/remotes/origin", "refs/tags"]);
    const [branches, tags] = [new Map<string, string>(), new Map<string, string>()];
    for (const line of new TextDecoder().decode(printed).split("\n")) {
      const [, sha = "", kind, name = ""] = /^([0-9a-f]+) refs\/(remotes\/origin|tags)\/(.+)$/.exec(line) ?? [];
      if (kind === "tags") tags.set(name, sha);
      else if (kind !== undefined) branches.set(name, sha);
    }
    return { branches, tags, atMs: this.#host.runtime.clock.now() };
  }

  #saveRefs({ branches, tags, atMs }: Refs): void {
    const packed = encode({ branches: [...branches], tags: [...tags], atMs, of: this.remote.id }, "bin");
    this.#host.runtime.fs.write(joinPath(this.directory, "refs.p"), packed, { mode: 0o600 });
  }

  /** Removes files and trees that were not used for a week. */
  #forgetUnused(): void {
    const { fs, clock } = this.#host.runtime;
    for (const part of ["blobs", "trees", "checkouts"]) {
      const directory = joinPath(this.directory, part);
      if (fs.stat(directory)?.kind !== "directory") continue;
      for (const name of fs.list(directory)) {
        const path = joinPath(directory, name);
        const stat = fs.stat(path);
        if (stat !== undefined && clock.now() - stat.mtimeMs > UNUSED_MS) fs.remove(path, { recursive: true });
      }
    }
  }

  /**
   * The commit, or tag object, that a name stands for.
   *
   * @param types kinds of names, tried in turn: `branch`, `tag`, `sha`
   */
  async resolve(name: string, types: readonly string[]): Promise<string | undefined> {
    const { branches, tags } = this.refs();
    for (const type of types) {
      const found = type === "branch" ? branches.get(name) : type === "tag" ? tags.get(name) : await this.#commit(name);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** The commit of an environment; undefined if this remote has none, or does not show it. */
  async commitOf(saltenv: string): Promise<string | undefined> {
    const { remote } = this;
    const ref = isExposed(remote, saltenv) ? refOf(remote, saltenv) : undefined;
    if (ref === undefined) return undefined;
    const found = await this.resolve(ref, remote.refTypes);
    return found ?? (remote.fallback === "" ? undefined : await this.resolve(remote.fallback, remote.refTypes));
  }

  /** The full hash of a commit from the name of an environment; undefined if there is no such commit. */
  async #commit(name: string): Promise<string | undefined> {
    if (!isHex(name) || this.#unknown.has(name) || this.refs().atMs === 0) return undefined;
    const known = this.#commits.get(name);
    // Names come from minions: when too many are asked for at once, only known names are answered.
    if (known !== undefined || this.#pool.waiting > MAX_WAITING) return known;
    try {
      const printed = await this.#read(["rev-parse", "--verify", "--quiet", `${name}^{commit}`]);
      const sha = new TextDecoder().decode(printed).trim();
      if (this.#commits.size < MAX_UNKNOWN) this.#commits.set(name, sha);
      return sha;
    } catch {
      // Names come from minions: the number that is remembered is limited.
      if (this.#unknown.size < MAX_UNKNOWN) this.#unknown.add(name);
      return undefined;
    }
  }

  /** Everything in a commit; undefined if it has no tree. */
  tree(commit: string): Promise<GitTree | undefined> {
    const known = this.#trees.get(commit);
    if (known !== undefined) {
      // Put the tree last: the tree unused for longest is dropped first.
      this.#trees.delete(commit);
      this.#trees.set(commit, known);
      return Promise.resolve(known);
    }
    let reading = this.#reading.get(commit);
    if (reading === undefined) {
      reading = this.#readTree(commit).finally(() => this.#reading.delete(commit));
      this.#reading.set(commit, reading);
    }
    return reading;
  }

  async #readTree(commit: string): Promise<GitTree | undefined> {
    const { runtime: { fs }, log } = this.#host;
    const path = joinPath(this.directory, "trees", `${commit}.p`);
    let tree: GitTree | undefined;
    try {
      if (fs.stat(path) !== undefined) {
        const packed = decode(fs.read(path), { mode: "bin" });
        tree = isPackedTree(packed) ? unpackTree(packed.rows) : undefined;
      }
    } catch (error) {
      log.debug("list of a commit cannot be read: listing again", { path, error: messageOf(error) });
    }
    if (tree === undefined) {
      try {
        tree = parseTree(await this.#read(["ls-tree", "-r", "-t", "-l", "-z", "--full-tree", commit]));
      } catch (error) {
        log.error("git tree cannot be read", { remote: this.remote.id, commit, error: messageOf(error) });
        return undefined;
      }
      fs.mkdir(joinPath(this.directory, "trees"), 0o700);
      fs.write(path, encode({ rows: packTree(tree) }, "bin"), { mode: 0o600 });
    }
    this.#trees.set(commit, tree);
    const [oldest] = this.#trees.keys();
    if (this.#trees.size > MAX_TREES) this.#trees.delete(oldest!);
    return tree;
  }

  /** The file with the content of an entry. @throws {GitError} if it cannot be read */
  async blob({ sha, size }: Pick<TreeEntry, "sha" | "size">): Promise<string> {
    if (size > MAX_BLOB_BYTES) {
      throw new RangeError(`A file of ${size} bytes is too large: expected at most ${MAX_BLOB_BYTES}`);
    }
    const { fs, clock } = this.#host.runtime;
    const path = await this.#blobs.file(sha);
    const stat = fs.stat(path);
    const now = clock.now();
    if (stat !== undefined && now - stat.mtimeMs > DAY_MS) fs.utimes(path, now, now);
    return path;
  }

  /** Reads all blobs that are not there yet, with one run of git. */
  async prefetch(entries: Iterable<Pick<TreeEntry, "sha" | "size">>): Promise<void> {
    await this.#blobs.files(new Set([...entries].filter(({ size }) => size <= MAX_BLOB_BYTES).map(({ sha }) => sha)));
  }

  /** The target of a link as the link states it; empty for a link of more than 4096 bytes. */
  async linkText(link: TreeEntry): Promise<string> {
    if (link.size > 4096) return "";
    return this.#host.runtime.fs.readText(await this.blob(link));
  }

  /**
   * A directory with the files of a commit, which stays as it is. Links that lead out of the repository are left out.
   *
   * @param root below this directory of the repository; empty for all of it
   * @param mountpoint the directory of the result that they appear in; empty for itself
   * @returns undefined if the commit or its root is not there
   */
  async checkout(commit: string, root = "", mountpoint = ""): Promise<string | undefined> {
    const { runtime: { fs, crypto, clock }, log } = this.#host;
    const place = hex(crypto.hash("sha256", new TextEncoder().encode(JSON.stringify([root, mountpoint])))).slice(0, 12);
    const directory = joinPath(this.directory, "checkouts", `${commit}-${place}`);
    const stat = fs.stat(directory);
    const now = clock.now();
    if (stat !== undefined) {
      if (now - stat.mtimeMs > DAY_MS) fs.utimes(directory, now, now);
      return directory;
    }
    const tree = await this.tree(commit);
    if (tree === undefined) return undefined;
    if (root !== "" && tree.get(root)?.kind !== "directory") {
      log.error("git remote does not have the configured root", { remote: this.remote.id, root });
      return undefined;
    }
    await this.prefetch(tree.values().filter(({ kind }) => kind !== "directory"));
    await writeTree({ fs, tree, root, mountpoint, blob: (entry) => this.blob(entry) }, directory);
    return directory;
  }

  /** Removes everything that was fetched or kept in memory. */
  clear(): void {
    this.#host.runtime.fs.remove(this.directory, { recursive: true });
    this.#refs = undefined;
    this.#trees.clear();
    this.#commits.clear();
    this.#unknown.clear();
  }
}
