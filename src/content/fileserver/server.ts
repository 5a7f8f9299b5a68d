import { ConfigError } from "../../base/errors.ts";
import type { FileStat } from "../../runtime/fs.ts";
import type { BackendUpdate, FileBackend, FoundFile, HeavyWork, Listing, LockResult } from "./backend.ts";
import { GitBackend } from "./gitfs.ts";
import { KeptLists } from "./kept_lists.ts";
import type { Packed } from "../../protocol/wire/msgpack.ts";
import { RootsBackend, type RootsOptions } from "./roots.ts";
import { splitQuery } from "./url.ts";

/** The backends by the names that `fileserver_backend` may have. */
const BACKENDS: Record<string, (options: RootsOptions) => FileBackend> = {
  roots: (options) => new RootsBackend(options),
  gitfs: (options) => new GitBackend(options),
};

/** Aliases of backends: alias → name. */
const ALIASES: Record<string, string> = { git: "gitfs" };

/** Every name that `fileserver_backend` may have. */
export const BACKEND_NAMES: readonly string[] = [...Object.keys(BACKENDS), ...Object.keys(ALIASES)];

const backendNamed = (name: string) => Object.hasOwn(ALIASES, name) ? ALIASES[name]! : name;

/** A request as received: its fields are checked where they are used. */
type Load = Record<string, unknown>;

interface FileServerOptions extends RootsOptions {
  /** Fires an event on the master's bus. @default no event is fired */
  fire?(tag: string, data: Record<string, unknown>): void;
}

const KINDS: Record<string, number> = {
  file: 0o100000,
  directory: 0o040000,
  symlink: 0o120000,
  socket: 0o140000,
};

/** The kind and permissions of a file as `st_mode` has them. */
export function modeOf({ kind, mode }: Pick<FileStat, "kind" | "mode">): number {
  return (Object.hasOwn(KINDS, kind) ? KINDS[kind]! : 0) | mode;
}

/** The ten numbers of Python's `os.stat`. */
export function statList(stat: FileStat): number[] {
  const seconds = (ms: number) => Math.floor(ms / 1000);
  const { ino, dev, nlink, uid, gid, size, atimeMs, mtimeMs, ctimeMs } = stat;
  return [modeOf(stat), ino, dev, nlink, uid, gid, size, seconds(atimeMs), seconds(mtimeMs), seconds(ctimeMs)];
}

const text = (value: unknown) => typeof value === "string" ? value : undefined;

/** The names in a request's list, given as `a,b` or as a list; undefined if there are none. */
export function listedNames(value: unknown): string[] | undefined {
  if (value === undefined || value === null || value === "") return undefined;
  return (Array.isArray(value) ? value.map(String) : String(value).split(",")).map((name) => name.trim());
}

async function gzipped(piece: Uint8Array): Promise<Uint8Array> {
  const packed = new Blob([piece as Uint8Array<ArrayBuffer>]).stream().pipeThrough(new CompressionStream("gzip"));
  return new Uint8Array(await new Response(packed).arrayBuffer());
}

/**
 * Answers the requests for files of minions, and of `salt-call --local`: each method takes the load of the command that it
 * is named after and returns its reply.
 */
export class FileServer {
  readonly #options: FileServerOptions;
  readonly #backends = new Map<string, FileBackend>();
  readonly #lists = new KeptLists();

  /** @throws {ConfigError} for an unknown backend */
  constructor(options: FileServerOptions) {
    this.#options = options;
    for (const name of options.opts.fileserver_backend.map((given) => backendNamed(String(given)))) {
      if (!Object.hasOwn(BACKENDS, name)) {
        throw new ConfigError(
          `Unknown backend "${name}" in fileserver_backend: expected ${Object.keys(BACKENDS).join(", ")}`,
        );
      }
      if (!this.#backends.has(name)) this.#backends.set(name, BACKENDS[name]!(options));
    }
  }

  /**
   * The backends that a request names: `roots`, `a,b`, or `-a` for all but that one; all of them if it names none.
   *
   * @throws {RangeError} for one that is not configured
   */
  backends(wanted?: unknown): FileBackend[] {
    const names = listedNames(wanted);
    if (names === undefined) return [...this.#backends.values()];
    const known = [...this.#backends.keys()];
    const without = names.every((name) => name.startsWith("-"));
    const given = without ? names.map((name) => name.slice(1)) : names;
    const plain = given.map(backendNamed);
    const unknown = given.find((name) => !this.#backends.has(backendNamed(name)));
    if (unknown !== undefined) {
      throw new RangeError(`Unknown fileserver backend "${unknown}": configured are ${known.join(", ")}`);
    }
    return known.filter((name) => plain.includes(name) !== without).map((name) => this.#backends.get(name)!);
  }

  async #find(
    load: Load,
    saltenv = text(load.saltenv),
  ): Promise<{ found: FoundFile; backend: FileBackend } | undefined> {
    const asked = text(load.path);
    if (asked === undefined) return undefined;
    const query = splitQuery(asked);
    const environment = query.saltenv ?? saltenv;
    if (environment === undefined) return undefined;
    for (const backend of this.#backends.values()) {
      const found = await backend.find(query.path, environment);
      if (found !== undefined) return { found, backend };
    }
    return undefined;
  }

  /**
   * One piece of a file. A client may send the `version` of the piece before, or an empty one with the first request. When the
   * file has changed, the reply has another version and no data. Real Salt does not have this field.
   */
  async serveFile(load: Load): Promise<Record<string, unknown>> {
    const none = { data: "", dest: "" };
    const { loc, gzip } = load;
    if (typeof loc !== "number" || !Number.isInteger(loc) || loc < 0) return none;
    const file = await this.#find(load);
    if (file === undefined) return none;
    const { found, backend } = file;
    const before = text(load.version);
    const version = before === undefined ? {} : { version: backend.version(found) };
    const dest = found.rel;
    if (before !== undefined && before !== "" && before !== version.version) return { data: "", dest, ...version };
    const data = backend.read(found, loc, this.#options.opts.file_buffer_size);
    if (data.length === 0 || typeof gzip !== "number" || !(gzip >= 1 && gzip <= 9)) return { data, dest, ...version };
    return { data: await gzipped(data), dest, gzip, ...version };
  }

  async findFile(load: Load): Promise<unknown> {
    const file = await this.#find(load, text(load.saltenv ?? "base"));
    if (file === undefined) return { path: "", rel: "" };
    const { found: { path, rel, stat }, backend } = file;
    return { path, rel, back: backend.name, stat: statList(stat) };
  }

  async #digest(load: Load): Promise<{ sum: { hash_type: string; hsum: string }; found: FoundFile } | undefined> {
    const file = await this.#find(load);
    const hsum = await file?.backend.hash(file.found, text(load.id));
    return file === undefined || hsum === undefined
      ? undefined
      : { sum: { hash_type: this.#options.opts.hash_type, hsum }, found: file.found };
  }

  async hash(load: Load): Promise<unknown> {
    return (await this.#digest(load))?.sum ?? "";
  }

  async hashAndStat(load: Load): Promise<unknown> {
    const digest = await this.#digest(load);
    return digest === undefined ? "" : [digest.sum, statList(digest.found.stat)];
  }

  async #listings(load: Load): Promise<Listing[]> {
    const saltenv = text(load.saltenv);
    if (saltenv === undefined) return [];
    let backends: FileBackend[];
    try {
      backends = this.backends(load.fsbackend);
    } catch {
      // An unknown backend lists nothing, like any other unknown name.
      return [];
    }
    return await Promise.all(backends.map((backend) => backend.list(saltenv)));
  }

  async list(load: Load, what: "files" | "dirs" | "empty_dirs"): Promise<string[]> {
    const prefix = (text(load.prefix) ?? "").replace(/^\/+|\/+$/g, "");
    const lists = (await this.#listings(load)).map((listing) => listing[what]);
    const all = lists.length === 1 ? lists[0]! : [...new Set(lists.flat())].sort();
    return prefix === "" ? all : all.filter((path) => path.startsWith(prefix));
  }

  /**
   * The version of the listings that answer a request; undefined if a listing must be made first, or if a backend has no
   * version.
   */
  #listVersion(load: Load): string | undefined {
    const saltenv = text(load.saltenv);
    if (saltenv === undefined) return undefined;
    let versions: (string | undefined)[];
    try {
      versions = this.backends(load.fsbackend).map((backend) => backend.listVersion?.(saltenv));
    } catch {
      return undefined;
    }
    return versions.includes(undefined) ? undefined : versions.join(" ");
  }

  /**
   * The reply to a command that lists an environment. The reply is kept, and made again elsewhere only when the listing has
   * changed.
   */
  listBy(heavy: HeavyWork, load: Load): Packed | Promise<Packed> {
    const { cmd, saltenv, prefix = "", fsbackend = null } = load;
    const asker = text(load.id) ?? "";
    const isPlain = typeof prefix === "string" && (fsbackend === null || typeof fsbackend === "string");
    const version = isPlain ? this.#listVersion(load) : undefined;
    if (version === undefined) return heavy.list(load, asker);
    const key = JSON.stringify([cmd, saltenv, prefix, fsbackend]);
    return this.#lists.get(key, version) ?? this.#made(heavy, load, asker, { key, version });
  }

  async #made(heavy: HeavyWork, load: Load, asker: string, { key, version }: { key: string; version: string }) {
    const reply = await heavy.list(load, asker);
    if (this.#listVersion(load) === version) this.#lists.set(key, version, reply);
    return reply;
  }

  async links(load: Load): Promise<Record<string, string>> {
    const prefix = (text(load.prefix) ?? "").replace(/^\/+|\/+$/g, "");
    const entries = (await this.#listings(load)).flatMap(({ links }) => Object.entries(links));
    return Object.fromEntries(entries.filter(([path]) => path.startsWith(prefix)));
  }

  environments(wanted?: unknown): string[] {
    return [...new Set(this.backends(wanted).flatMap((backend) => backend.environments()))];
  }

  /**
   * Looks for changes; with `fileserver_events` fires an event, even if there are none.
   *
   * @param dueOnly only what is due by a backend's own interval
   */
  async update(wanted?: unknown, dueOnly = false): Promise<BackendUpdate[]> {
    const { opts, fire, heavy } = this.#options;
    const backends = this.backends(wanted);
    const updates = heavy === undefined
      ? await oneByOne(backends, dueOnly)
      : await heavy.update(backends.map(({ name }) => name));
    if (opts.fileserver_events) {
      for (const update of updates) fire?.(`salt/fileserver/${update.backend}/update`, { ...update });
    }
    return updates;
  }

  /** Deletes the fetched files of backends. The result tells in sentences what was done. */
  clearCache(wanted?: unknown): LockResult {
    const result: LockResult = { done: [], errors: [] };
    for (const backend of this.backends(wanted)) {
      const failed = backend.clearCache?.();
      if (failed === undefined) continue;
      if (failed.length > 0) result.errors.push(...failed);
      else result.done.push(`The ${backend.name} fileserver cache was successfully cleared`);
    }
    return result;
  }

  /** Locks remotes against updates, or unlocks them. @param remote a glob */
  setLocks(how: "lock" | "clear", wanted?: unknown, remote?: string): LockResult {
    const results = this.backends(wanted).map((backend) =>
      how === "lock" ? backend.setLock?.(remote) : backend.clearLock?.(remote)
    );
    return {
      done: results.flatMap((result) => result?.done ?? []),
      errors: results.flatMap((result) => result?.errors ?? []),
    };
  }

  /** Deletes cached listings. @returns backend → environments */
  forgetLists(saltenvs: readonly string[] | undefined, wanted?: unknown): Record<string, string[]> {
    const gone = this.backends(wanted).map((backend) => [backend.name, backend.forgetLists(saltenvs)] as const);
    return Object.fromEntries(gone.filter(([, names]) => names.length > 0));
  }
}

async function oneByOne(backends: readonly FileBackend[], dueOnly: boolean): Promise<BackendUpdate[]> {
  const updates: BackendUpdate[] = [];
  for (const backend of backends) updates.push(await backend.update(dueOnly));
  return updates;
}

/**
 * The reply to a command of a minion about files.
 *
 * @param heavy does the work that takes long. @default this process does it
 */
export function answerFileCommand(name: string, server: FileServer, load: Load, heavy?: HeavyWork): unknown {
  if (heavy !== undefined && LISTS.has(name)) return server.listBy(heavy, load);
  return FILE_COMMANDS[name]!(server, load);
}

/** Commands that list a whole environment. */
const LISTS: ReadonlySet<string> = new Set(["_file_list", "_file_list_emptydirs", "_dir_list", "_symlink_list"]);

/** The commands of minions about files; each takes the load and returns the reply. */
export const FILE_COMMANDS: Record<string, (server: FileServer, load: Load) => unknown> = {
  _serve_file: (server, load) => server.serveFile(load),
  _file_find: (server, load) => server.findFile(load),
  _file_hash: (server, load) => server.hash(load),
  _file_hash_and_stat: (server, load) => server.hashAndStat(load),
  _file_list: (server, load) => server.list(load, "files"),
  _file_list_emptydirs: (server, load) => server.list(load, "empty_dirs"),
  _dir_list: (server, load) => server.list(load, "dirs"),
  _symlink_list: (server, load) => server.links(load),
  _file_envs: (server) => server.environments(),
};
