import { isWithin, joinPath, normalizePath } from "../../base/paths.ts";
import { ConfigError, messageOf } from "../../base/errors.ts";
import type { Logger } from "../../base/log.ts";
import type { HashName } from "../../runtime/crypto.ts";
import { strangersLink } from "../../runtime/foreign_links.ts";
import type { FileStat, FileSystem } from "../../runtime/fs.ts";
import type { Runtime } from "../../runtime/runtime.ts";
import { type AnyMap, entriesOf } from "../../language/python/values.ts";
import { decode, encode } from "../../protocol/wire/msgpack.ts";
import type { BackendUpdate, FileBackend, FoundFile, HeavyWork, Listing } from "./backend.ts";
import { digestFile, isHashName } from "./digest.ts";
import { ignoredBy, statOf, walk } from "./walk.ts";
import { fileVersionOf, KnownDigests } from "./known_digests.ts";
import { isConfined, isEnvironment } from "./url.ts";

/** The options of the file server, under Salt's names. */
export interface FileServerOpts {
  /** Environment → directories; `__env__` stands for every environment that is not named. */
  file_roots: AnyMap;
  fileserver_backend: unknown[];
  file_ignore_regex: unknown[];
  file_ignore_glob: unknown[];
  fileserver_followsymlinks: boolean;
  fileserver_ignoresymlinks: boolean;
  fileserver_limit_traversal: boolean;
  /** How long a listing is used, in seconds. */
  fileserver_list_cache_time: number;
  fileserver_events: boolean;
  /** Bytes that one reply carries of a file, at most. */
  file_buffer_size: number;
  hash_type: string;
  cachedir: string;
}

export interface RootsOptions {
  runtime: Pick<Runtime, "fs" | "crypto" | "clock" | "later" | "process">;
  log: Logger;
  opts: FileServerOpts;
  /** Hashes large files and lists large trees elsewhere. @default this process does it */
  heavy?: HeavyWork | undefined;
  /** Whether the first request fetches remotes that were never fetched: needed without a master. @default false */
  fetches?: boolean;
}

/** Up to this size, in bytes, a file is hashed in this process: that takes about a millisecond. */
const QUICK_BYTES = 512 * 1024;

/** Refused paths that are remembered, so that each is logged once. */
const REMEMBERED = 10_000;

/** Milliseconds in which a directory that only we can exchange is not looked at again: its files are asked for in a row. */
const RECENT_MS = 2;

const DYNAMIC = "__env__";

/** The file name for an environment: special characters are escaped, since a slash would make a path of it. */
function leaf(saltenv: string): string {
  return saltenv.replace(/[/\\:*?"<>|]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);
}

const directoriesOf = (roots: unknown): string[] =>
  [roots].flat().filter((root): root is string => typeof root === "string" && root !== "");

function isListing(value: unknown): value is Listing {
  const { files, dirs, empty_dirs, links } = (value ?? {}) as Partial<Listing>;
  return [files, dirs, empty_dirs].every((list) => Array.isArray(list)) && typeof links === "object" && links !== null;
}

/** True for a directory in which only root or this process can put something in the place of something else. */
const isClosed = (stat: FileStat | undefined, own: number): boolean =>
  stat !== undefined && (stat.uid === 0 || stat.uid === own) && (stat.mode & 0o022) === 0;

/** Directories that were no links a moment ago and that no stranger can exchange, and whether they are closed themselves. */
type Looked = Map<string, boolean>;

/**
 * The stat of a file below a directory, and whether there is a link on the way to it; undefined for names that are too long.
 *
 * @param looked directories that are not looked at; others are added
 * @param own the user of this process
 */
function lookBelow(
  fs: FileSystem,
  directory: string,
  rel: string,
  looked: Looked,
  own: number,
): { stat?: FileStat | undefined; byLink: boolean } {
  try {
    let end = rel.indexOf("/");
    let closed = end >= 0 && (looked.get(directory) ?? isClosed(fs.stat(directory), own));
    if (end >= 0) looked.set(directory, closed);
    for (; end >= 0; end = rel.indexOf("/", end + 1)) {
      const here = `${directory}/${rel.slice(0, end)}`;
      const known = looked.get(here);
      if (known !== undefined) {
        closed = known;
        continue;
      }
      const stat = fs.stat(here, { follow: false });
      if (stat === undefined) return { byLink: false };
      if (stat.kind === "symlink") return { stat: fs.stat(`${directory}/${rel}`), byLink: true };
      const isFixed = closed;
      closed &&= isClosed(stat, own);
      if (isFixed) looked.set(here, closed);
    }
    const stat = fs.stat(`${directory}/${rel}`, { follow: false });
    return stat?.kind === "symlink" ? { stat: fs.stat(`${directory}/${rel}`), byLink: true } : { stat, byLink: false };
  } catch {
    return { byLink: false };
  }
}

/**
 * Serves the directories of `file_roots`.
 *
 * Listings are kept in `<cachedir>/file_lists/roots/<saltenv>.p`, where Salt keeps them, too: a program that removes that file,
 * such as `salt-run fileserver.clear_file_list_cache`, makes the master look again.
 */
export class RootsBackend implements FileBackend {
  readonly name = "roots";
  readonly #options: RootsOptions;
  readonly #ignored: (path: string) => boolean;
  readonly #hashName: HashName;
  readonly #roots = new Map<string, readonly string[]>();
  readonly #refused = new Set<string>();
  #recent: { since: number; looked: Looked } = { since: -Infinity, looked: new Map() };
  readonly #digests = new KnownDigests();
  readonly #digesting = new Map<string, Promise<string | undefined>>();
  readonly #listings = new Map<string, { version: string; listing: Listing }>();
  readonly #walking = new Map<string, Promise<Listing>>();

  /** @throws {ConfigError} for options that cannot be used */
  constructor(options: RootsOptions) {
    const { opts } = options;
    this.#options = options;
    this.#ignored = ignoredBy({ regex: opts.file_ignore_regex, glob: opts.file_ignore_glob });
    if (!isHashName(opts.hash_type)) {
      throw new ConfigError(
        `Unknown hash_type "${opts.hash_type}": expected one of md5, sha1, sha224, sha256, sha384, sha512`,
      );
    }
    this.#hashName = opts.hash_type;
    // Names that are numbers make it a Map.
    for (const [name, roots] of entriesOf(opts.file_roots)) this.#roots.set(String(name), directoriesOf(roots));
  }

  environments(): string[] {
    return [...this.#roots.keys()];
  }

  /** The directories of one environment; none for an unknown one. */
  #rootsOf(saltenv: string): readonly string[] {
    const named = this.#roots.get(saltenv);
    if (named !== undefined) return named;
    // The environment comes from the minion and becomes part of a path.
    if (!isEnvironment(saltenv) || saltenv.includes("/")) return [];
    return (this.#roots.get(DYNAMIC) ?? []).map((root) => root.replaceAll(DYNAMIC, saltenv));
  }

  find(path: string, saltenv: string): FoundFile | undefined {
    if (!isConfined(path)) return undefined;
    const { runtime: { fs, process } } = this.#options;
    const rel = normalizePath(path);
    for (const root of this.#rootsOf(saltenv)) {
      const full = joinPath(root, rel);
      const { stat, byLink } = lookBelow(fs, root, rel, this.#looked(), process.uid() ?? 0);
      if (stat?.kind !== "file" || this.#ignored(rel) || this.#ignored(full)) continue;
      const mayLeave = byLink && !isWithin(fs.realpath(root), fs.realpath(full));
      if (mayLeave && !this.#leaves(full)) continue;
      return { path: full, rel, stat };
    }
    return undefined;
  }

  /** What was seen in the last {@link RECENT_MS}. */
  #looked(): Looked {
    const now = this.#options.runtime.clock.elapsed();
    if (now - this.#recent.since >= RECENT_MS) this.#recent = { since: now, looked: new Map() };
    return this.#recent.looked;
  }

  /** Whether a link that leads out of its root is followed: only if nobody but an operator can have created it. */
  #leaves(path: string): boolean {
    const { runtime: { fs, process }, log, opts } = this.#options;
    if (!opts.fileserver_followsymlinks) {
      this.#refuse(path, () => log.warning("file not served: it lies outside its root", { path }));
      return false;
    }
    const link = strangersLink(fs, path, process.uid() ?? 0);
    if (link === undefined) return true;
    this.#refuse(path, () => {
      const remedy = `chown -h root ${link.path}`;
      log.warning("file not served: a link of another user leads out of its root", {
        path,
        link: link.path,
        user: link.uid,
        remedy,
      });
    });
    return false;
  }

  /** Logs once for each path that it is not served. */
  #refuse(path: string, say: () => void): void {
    if (this.#refused.has(path) || this.#refused.size >= REMEMBERED) return;
    this.#refused.add(path);
    say();
  }

  read({ path }: FoundFile, offset: number, length: number): Uint8Array {
    return this.#options.runtime.fs.readAt(path, offset, length);
  }

  version({ stat }: Pick<FoundFile, "stat">): string {
    return fileVersionOf(stat);
  }

  hash(found: FoundFile, asker = ""): Promise<string | undefined> {
    const version = this.version(found);
    const known = this.#digests.get(found.path, version);
    if (known !== undefined) return Promise.resolve(known);
    const key = `${version} ${found.path}`;
    let digesting = this.#digesting.get(key);
    if (digesting === undefined) {
      // Minions that ask for the same file at the same time share one digest.
      digesting = this.#digest(found, asker).finally(() => this.#digesting.delete(key));
      this.#digesting.set(key, digesting);
    }
    return digesting;
  }

  async #digest({ path }: FoundFile, asker: string): Promise<string | undefined> {
    const { runtime, log, heavy } = this.#options;
    for (let tries = 1;; tries++) {
      const stat = statOf(runtime.fs, path);
      if (stat?.kind !== "file") return undefined;
      const version = this.version({ stat });
      const known = this.#digests.get(path, version);
      if (known !== undefined) return known;
      const digest = heavy === undefined || stat.size <= QUICK_BYTES
        ? await digestFile(runtime, this.#hashName, path)
        : await heavy.digest(this.#hashName, path, asker);
      const after = statOf(runtime.fs, path);
      if (after !== undefined && this.version({ stat: after }) === version) {
        this.#digests.keep(path, after, digest, runtime.clock.now());
        return digest;
      }
      if (tries === 3) {
        log.warning("file keeps changing while it is hashed", { path });
        return digest;
      }
    }
  }

  #listPath(saltenv: string): string {
    return joinPath(this.#options.opts.cachedir, "file_lists", this.name, `${leaf(saltenv)}.p`);
  }

  list(saltenv: string): Promise<Listing> {
    const roots = this.#rootsOf(saltenv);
    const known = roots.length === 0 ? { files: [], dirs: [], empty_dirs: [], links: {} } : this.#known(saltenv);
    if (known !== undefined) return Promise.resolve(known);
    let walking = this.#walking.get(saltenv);
    if (walking === undefined) {
      walking = this.#walk(saltenv, roots).finally(() => this.#walking.delete(saltenv));
      this.#walking.set(saltenv, walking);
    }
    return walking;
  }

  listVersion(saltenv: string): string | undefined {
    const { runtime: { fs, clock }, opts } = this.#options;
    const stat = statOf(fs, this.#listPath(saltenv));
    const ageMs = stat === undefined ? 0 : clock.now() - stat.mtimeMs;
    // A listing whose mtime lies in the future would never expire.
    if (stat?.kind !== "file" || ageMs < -1000 || ageMs >= opts.fileserver_list_cache_time * 1000) return undefined;
    return this.version({ stat });
  }

  /** The listing on the disk, if it is younger than `fileserver_list_cache_time`. */
  #known(saltenv: string): Listing | undefined {
    const { runtime: { fs }, log } = this.#options;
    const version = this.listVersion(saltenv);
    if (version === undefined) {
      this.#listings.delete(saltenv);
      return undefined;
    }
    const path = this.#listPath(saltenv);
    const kept = this.#listings.get(saltenv);
    if (kept?.version === version) return kept.listing;
    try {
      const listing = decode(fs.read(path), { mode: "wire" });
      if (!isListing(listing)) return undefined;
      this.#listings.set(saltenv, { version, listing });
      return listing;
    } catch (error) {
      log.debug("cached listing cannot be read: listing again", { path, error: messageOf(error) });
      return undefined;
    }
  }

  async #walk(saltenv: string, roots: readonly string[]): Promise<Listing> {
    const { runtime: { fs, later }, opts, log } = this.#options;
    const listing = await walk(roots, {
      fs,
      turn: () => new Promise((resolve) => later(resolve)),
      ignored: this.#ignored,
      followLinks: opts.fileserver_followsymlinks,
      leaves: (path) => this.#leaves(path),
      ignoreLinks: opts.fileserver_ignoresymlinks,
      limited: opts.fileserver_limit_traversal,
    });
    // Minions choose names of dynamic environments: a missing one must not leave a file.
    if (opts.fileserver_list_cache_time <= 0 || !roots.some((root) => statOf(fs, root) !== undefined)) return listing;
    const path = this.#listPath(saltenv);
    try {
      fs.mkdir(joinPath(opts.cachedir, "file_lists", this.name));
      fs.write(path, encode(listing, "bin"), { mode: 0o600 });
      this.#listings.set(saltenv, { version: this.version({ stat: fs.stat(path)! }), listing });
    } catch (error) {
      log.warning("listing cannot be cached: the master lists the directory again for each request", {
        path,
        error: messageOf(error),
      });
    }
    return listing;
  }

  forgetLists(wanted: readonly string[] | undefined): string[] {
    const { runtime: { fs }, opts } = this.#options;
    const directory = joinPath(opts.cachedir, "file_lists", this.name);
    if (statOf(fs, directory)?.kind !== "directory") return [];
    const files = wanted?.map((saltenv) => `${leaf(saltenv)}.p`);
    const gone = fs.list(directory).filter((name) => name.endsWith(".p") && (files?.includes(name) ?? true));
    for (const name of gone) fs.remove(joinPath(directory, name));
    return gone.map((name) => name.slice(0, -2)).sort();
  }

  async update(): Promise<BackendUpdate> {
    const { runtime: { fs, later }, opts, log } = this.#options;
    const now = new Map<string, number>();
    for (const saltenv of this.environments()) {
      for (const root of saltenv === DYNAMIC ? [] : this.#rootsOf(saltenv)) {
        const { files } = await walk([root], {
          fs,
          turn: () => new Promise((resolve) => later(resolve)),
          ignored: this.#ignored,
          followLinks: false,
          leaves: () => false,
          ignoreLinks: false,
          limited: false,
        });
        for (const rel of files) {
          const path = joinPath(root, rel);
          // A path with a line feed is left out: in the map, each line is a path, a colon and a time.
          const stat = path.includes("\n") ? undefined : statOf(fs, path);
          if (stat !== undefined) now.set(path, stat.mtimeMs / 1000);
        }
      }
    }
    const map = joinPath(opts.cachedir, this.name, "mtime_map");
    const before = new Map<string, number>();
    if (statOf(fs, map)?.kind === "file") {
      for (const line of fs.readText(map).split("\n")) {
        const at = line.lastIndexOf(":");
        const time = Number(line.slice(at + 1));
        if (at > 0 && Number.isFinite(time)) before.set(line.slice(0, at), time);
        else if (line !== "") {
          log.warning("invalid line of the map of times skipped", { path: map, line });
        }
      }
    }
    const changed = [...now].filter(([path, time]) => before.has(path) && before.get(path) !== time);
    const files = {
      changed: changed.map(([path]) => path).sort(),
      removed: [...before.keys()].filter((path) => !now.has(path)).sort(),
      added: [...now.keys()].filter((path) => !before.has(path)).sort(),
    };
    fs.mkdir(joinPath(opts.cachedir, this.name));
    fs.write(map, [...now].map(([path, time]) => `${path}:${time}\n`).join(""), { mode: 0o600 });
    return { changed: Object.values(files).some((list) => list.length > 0), files, backend: this.name };
  }
}
