import { baseName, dirName, isWithin, joinPath } from "../config/paths.ts";
import { hex } from "../crypto/hex.ts";
import { messageOf, SaltError } from "../errors.ts";
import type { FetchOptions, FileHash, Files } from "../loader/context.ts";
import { CommandExecutionError, SaltInvocationError } from "../loader/family.ts";
import type { Logger } from "../log.ts";
import { entriesOf, isMap } from "../python/containers.ts";
import type { HashName, Runtime } from "../runtime/mod.ts";
import { bytesOf } from "../wire/payload.ts";
import { FileCache, urlParts } from "./cache.ts";
import { digestFile, hashOfLength, isHashName } from "./digest.ts";
import { download, type Fetch, withoutPassword } from "./http.ts";
import { ignoredBy } from "./ignore.ts";
import { FILE_COMMANDS, FileServer, statList } from "./server.ts";
import type { FileServerOpts } from "./roots.ts";
import { isConfined, parseSaltUrl, saltUrl } from "./url.ts";
import { lookAt } from "./walk.ts";

/** Asks whoever serves the files: a master, or a {@link FileServer} in this process. */
export type FileRequest = (load: Record<string, unknown>, options?: { raw?: boolean }) => Promise<unknown>;

export interface FileClientOptions {
  runtime: Pick<Runtime, "fs" | "crypto" | "clock" | "later" | "net" | "process">;
  log: Logger;
  /** `{cachedir, saltenv, hash_type, file_buffer_size, http_connect_timeout, http_request_timeout}` of the minion. */
  opts: Record<string, unknown>;
  request: FileRequest;
  /** Hears of each reply with a piece of a file that is not needed any more. */
  done?(reply: unknown): void;
  /** @default the runtime's own */
  fetch?: Fetch;
}

/** How often a file is fetched that changes meanwhile. */
const READINGS = 3;
/** How often one piece is asked for, beyond what the channel itself tries. */
const ASKINGS = 3;
/** Pieces that are asked for beyond the one that is being written. */
const AHEAD = 2;
/** The pause before a piece is asked for again, in milliseconds. */
const PAUSE_MS = 1000;

/** Options of Salt's in seconds, and what they are if they are not set. */
const CONNECT_SECONDS = 20;
const REQUEST_SECONDS = 3600;

/** The file that is read has changed: what came so far is of no use. */
class ChangedError extends SaltError {
  constructor(path: string) {
    super("FILE_CHANGED", `The file "${path}" has changed while it was fetched`);
  }
}

function fieldsOf(reply: unknown): Record<string, unknown> {
  return isMap(reply) ? Object.fromEntries(entriesOf(reply).map(([key, value]) => [String(key), value])) : {};
}

function namesOf(reply: unknown): string[] {
  return Array.isArray(reply) ? reply.map(String) : [];
}

function textOf(value: unknown): string {
  return value instanceof Uint8Array ? new TextDecoder().decode(value) : typeof value === "string" ? value : "";
}

async function gunzipped(data: Uint8Array): Promise<Uint8Array> {
  const plain = new Blob([data as Uint8Array<ArrayBuffer>]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(plain).arrayBuffer());
}

/** A digest as somebody gives it: bare, or after the name of its hash. */
function parseSourceHash(given: string): { name: HashName; hsum: string } {
  const hsum = given.slice(given.lastIndexOf("=") + 1).trim().toLowerCase();
  const name = /^[0-9a-f]+$/.test(hsum) ? hashOfLength(hsum.length) : undefined;
  if (name !== undefined) return { name, hsum };
  throw new SaltInvocationError(
    `Cannot use "${given}" as source_hash: expected the hexadecimal digits of md5, sha1, sha224, sha256, sha384 or sha512`,
  );
}

/** A piece of a file, and the reply that it came in. */
interface Piece {
  data: Uint8Array;
  reply: unknown;
}

/** A path under which a file is written until it is whole, and what becomes of it. */
interface Draft {
  path: string;
  /** Puts it in its place. */
  keep(): void;
}

/** See {@link Files}. */
export class FileClient implements Files {
  readonly #options: FileClientOptions;
  readonly #cache: FileCache;

  constructor(options: FileClientOptions) {
    this.#options = options;
    this.#cache = new FileCache(options.runtime, options.opts.cachedir);
  }

  #saltenv(given?: string): string {
    if (given !== undefined && given !== "") return given;
    const { saltenv } = this.#options.opts;
    return typeof saltenv === "string" && saltenv !== "" ? saltenv : "base";
  }

  /** The path of a URL that must be `salt://`, and its environment. */
  #parse(url: string, given?: string): { path: string; saltenv: string } {
    const parsed = parseSaltUrl(url);
    if (parsed === undefined) {
      throw new CommandExecutionError(
        `Unsupported path: ${withoutPassword(url)}: expected salt:// and a path below file_roots`,
      );
    }
    return { path: parsed.path, saltenv: this.#saltenv(parsed.saltenv ?? given) };
  }

  /** @throws {CommandExecutionError} if nobody answers */
  async #ask(load: Record<string, unknown>, options: { raw?: boolean } = {}): Promise<unknown> {
    const { runtime: { clock }, log, request } = this.#options;
    for (let tries = 1;; tries++) {
      try {
        return await request(load, options);
      } catch (error) {
        if (tries === ASKINGS) {
          throw new CommandExecutionError(`The file server did not answer ${load.cmd}: ${messageOf(error)}`, {
            cause: error,
          });
        }
        log.warning("file server did not answer, asking again", { cmd: load.cmd, reason: messageOf(error) });
        await clock.sleep(PAUSE_MS * tries);
      }
    }
  }

  async environments(): Promise<string[]> {
    return namesOf(await this.#ask({ cmd: "_file_envs" }));
  }

  async list(
    what: "files" | "directories" | "emptyDirectories",
    options: { saltenv?: string; prefix?: string } = {},
  ): Promise<string[]> {
    const cmd = { files: "_file_list", directories: "_dir_list", emptyDirectories: "_file_list_emptydirs" }[what];
    const { prefix = "" } = options;
    return namesOf(await this.#ask({ cmd, saltenv: this.#saltenv(options.saltenv), prefix }));
  }

  async links(options: { saltenv?: string; prefix?: string } = {}): Promise<Record<string, string>> {
    const { prefix = "" } = options;
    const reply = await this.#ask({ cmd: "_symlink_list", saltenv: this.#saltenv(options.saltenv), prefix });
    return fieldsOf(reply) as Record<string, string>;
  }

  async states(saltenv?: string): Promise<string[]> {
    const files = (await this.list("files", { saltenv })).filter((path) => path.endsWith(".sls"));
    return [...new Set(files.map((path) => path.replace(/(?:\/init)?\.sls$/, "").replaceAll("/", ".")))].sort();
  }

  async #hashOnServer(path: string, saltenv: string): Promise<FileHash | undefined> {
    const { hsum, hash_type } = fieldsOf(await this.#ask({ cmd: "_file_hash", path, saltenv }));
    return typeof hsum === "string" && typeof hash_type === "string" ? { hash_type, hsum } : undefined;
  }

  async hash(path: string, saltenv?: string): Promise<FileHash | undefined> {
    if (path.startsWith("salt://")) {
      const parsed = this.#parse(path, saltenv);
      return await this.#hashOnServer(parsed.path, parsed.saltenv);
    }
    const { runtime, log, opts } = this.#options;
    const name = isHashName(opts.hash_type) ? opts.hash_type : "sha256";
    if (lookAt(runtime.fs, path)?.kind !== "file") {
      log.warning("file not hashed: it is not there", { path });
      return undefined;
    }
    return { hash_type: name, hsum: await digestFile(runtime, name, path) };
  }

  async stat(path: string, saltenv?: string): Promise<number[] | undefined> {
    if (!path.startsWith("salt://")) {
      const stat = lookAt(this.#options.runtime.fs, path);
      return stat?.kind === "file" ? statList(stat) : undefined;
    }
    const parsed = this.#parse(path, saltenv);
    const { stat } = fieldsOf(await this.#ask({ cmd: "_file_find", ...parsed }));
    return Array.isArray(stat) ? stat.map(Number) : undefined;
  }

  /** A directory, or a word that ends like one, gets the file under its own name. */
  #inDirectory(destination: string, name: () => string): string {
    const isDirectory = /[/\\]$/.test(destination) ||
      lookAt(this.#options.runtime.fs, destination)?.kind === "directory";
    return isDirectory ? joinPath(destination, name()) : destination;
  }

  /** False if the directory of a destination is not there, and nobody wants it made. */
  #directoryFor(destination: string, makedirs: boolean): boolean {
    const { fs } = this.#options.runtime;
    const directory = dirName(destination);
    if (lookAt(fs, directory)?.kind === "directory") return true;
    if (makedirs) fs.mkdir(directory);
    return makedirs;
  }

  /** Gives a path to write to, and removes what is there if it was not kept. */
  async #draft<T>(target: string, write: (draft: Draft) => Promise<T>): Promise<T> {
    const { fs, process, crypto } = this.#options.runtime;
    const cache = this.#cache;
    const cached = cache.holds(target);
    // Through a link, as whoever opens the file for writing would.
    const real = !cached && lookAt(fs, target)?.kind === "file" ? fs.realpath(target) : target;
    const before = lookAt(fs, real);
    if (before !== undefined && before.kind !== "file") {
      if (!cached) throw new CommandExecutionError(`Cannot write "${target}": it is there and no file`);
    }
    // Beside it, for a rename does not cross file systems; those of the cache where nobody lists them.
    const path = cached ? this.#cache.partial() : joinPath(dirName(real), `.${hex(crypto.randomBytes(12))}.part`);
    fs.write(path, "", { how: "create", mode: cached ? 0o600 : 0o666 & ~process.umask() });
    try {
      return await write({
        path,
        keep() {
          if (cached) cache.prepare(target);
          else if (before !== undefined) {
            const own = fs.stat(path)!;
            if (own.uid !== before.uid || own.gid !== before.gid) fs.chown(path, before.uid, before.gid);
            fs.chmod(path, before.mode);
          }
          fs.rename(path, real);
        },
      });
    } finally {
      fs.remove(path);
    }
  }

  async fetch(url: string, destination: string, options: FetchOptions = {}): Promise<string | undefined> {
    const { runtime, log } = this.#options;
    const { path, saltenv } = this.#parse(url, options.saltenv);
    let sum = await this.#hashOnServer(path, saltenv);
    if (sum === undefined) {
      log.debug("file is not on the file server", { path, saltenv });
      return undefined;
    }
    const target = destination === ""
      ? this.#cache.ofServer(path, saltenv)
      : this.#inDirectory(destination, () => baseName(path));
    const there = lookAt(runtime.fs, target);
    const same = there?.kind === "file" && isHashName(sum.hash_type) &&
      await digestFile(runtime, sum.hash_type, target) === sum.hsum;
    if (same) return target;
    if (destination !== "" && !this.#directoryFor(target, options.makedirs ?? false)) {
      log.warning("file not fetched: there is no directory for it, and makedirs is not set", { path: target });
      return undefined;
    }
    for (let readings = 1;; readings++) {
      const wanted = sum;
      const done = await this.#draft(target, async (draft) => {
        const got = await this.#pieces(path, saltenv, wanted, options.gzip ?? 0, draft.path);
        if (got !== wanted.hsum) return false;
        draft.keep();
        return true;
      });
      if (done) return target;
      if (readings === READINGS) break;
      log.info("file has changed while it was fetched, fetching it again", { path, saltenv });
      sum = await this.#hashOnServer(path, saltenv);
      if (sum === undefined) return undefined;
    }
    throw new CommandExecutionError(
      `Cannot fetch "${
        saltUrl(path)
      }": what came is not what the file server's hash says, ${READINGS} times. If the file is ` +
        `being written, try again when it is done; what was at "${target}" before is still there`,
    );
  }

  /**
   * Writes a file of the server as it comes.
   *
   * @returns its digest; undefined if it has changed on the way
   */
  async #pieces(path: string, saltenv: string, sum: FileHash, gzip: number, to: string): Promise<string | undefined> {
    const { fs, crypto } = this.#options.runtime;
    if (!isHashName(sum.hash_type)) {
      throw new CommandExecutionError(`Cannot check "${path}": the file server's hash "${sum.hash_type}" is not known`);
    }
    const hasher = crypto.hasher(sum.hash_type);
    let version = "";
    const piece = async (loc: number): Promise<Piece> => {
      const load = { cmd: "_serve_file", path, saltenv, loc, version, ...(gzip > 0 ? { gzip } : {}) };
      const whole = await this.#ask(load, { raw: true });
      const reply = fieldsOf(whole);
      // Only our masters tell it; without it, it is the digest that shows.
      const now = textOf(reply.version);
      if (version !== "" && now !== version) throw new ChangedError(path);
      version = now;
      const data = bytesOf(reply.data ?? "");
      return { data: reply.gzip && data.length > 0 ? await gunzipped(data) : data, reply: whole };
    };
    const file = await fs.writer(to);
    // Of the piece before, which is written while the next one is hashed and on its way.
    let writing = Promise.resolve();
    let written: unknown;
    try {
      let loc = 0;
      let size = 0;
      // Pieces on their way while this one is written and hashed. A server cuts all pieces alike, but for the last.
      let ahead: Promise<Piece>[] = [];
      const ask = (from: number) => {
        const asked = piece(from);
        // It may never be looked at.
        asked.catch(() => {});
        return asked;
      };
      for (;;) {
        const { data, reply } = await (ahead.shift() ?? ask(loc));
        await writing;
        if (written !== undefined) this.#options.done?.(written);
        if (data.length === 0) return hex(hasher.digest());
        if (data.length !== size) {
          // The first piece or the last; or the server cuts them otherwise now, and what is on its way is of no use.
          ahead = [ask(loc + data.length)];
          size = data.length;
        } else while (ahead.length < AHEAD) ahead.push(ask(loc + (ahead.length + 1) * size));
        writing = file.write(loc, data);
        // It is looked at with the next piece.
        writing.catch(() => {});
        hasher.update(data);
        written = reply;
        loc += data.length;
      }
    } catch (error) {
      if (error instanceof ChangedError) return undefined;
      throw error;
    } finally {
      await writing.catch(() => {});
      await file.close();
    }
  }

  async fetchDirectory(url: string, destination: string, options: FetchOptions = {}): Promise<string[]> {
    const { runtime: { fs } } = this.#options;
    const parsed = this.#parse(url, options.saltenv);
    const { saltenv } = parsed;
    const path = parsed.path.replace(/\/+$/, "");
    const above = path.includes("/") ? path.slice(0, path.lastIndexOf("/") + 1) : "";
    const below = (names: string[]) =>
      names.filter((name) => isConfined(name) && (path === "" || name.startsWith(`${path}/`)));
    const at = (name: string) => `${destination}/${name.slice(above.length)}`;
    const fetched: string[] = [];
    for (const name of below(await this.list("files", { saltenv, prefix: path }))) {
      const got = await this.fetch(saltUrl(name), at(name), { ...options, saltenv, makedirs: true });
      if (got !== undefined) fetched.push(got);
    }
    for (const name of below(await this.list("emptyDirectories", { saltenv, prefix: path }))) {
      fs.mkdir(at(name));
      fetched.push(at(name));
    }
    return fetched.sort();
  }

  async fetchUrl(url: string, destination: string, options: FetchOptions = {}): Promise<string | undefined> {
    const { scheme, host, path, query } = urlParts(url);
    if (scheme === "salt") return await this.fetch(url, destination, options);
    if (scheme === "" || scheme === "file") {
      const full = `${host}${scheme === "" ? url : path}`;
      if (!full.startsWith("/")) throw new CommandExecutionError(`Path '${full}' is not absolute`);
      return full.replace(/(?<=.)\/+$/, "");
    }
    if (scheme !== "http" && scheme !== "https") {
      throw new CommandExecutionError(
        `Cannot fetch "${
          withoutPassword(url)
        }": ${scheme} is not supported. Serve the file under salt://, http:// or https://`,
      );
    }
    const { runtime: { fs, crypto }, opts, log, fetch = globalThis.fetch } = this.#options;
    const saltenv = this.#saltenv(options.saltenv);
    const target = destination === "" ? this.#cache.ofUrl(url, saltenv) : this.#inDirectory(
      destination,
      () => query !== "" || !/^\/?$|\/$/.test(path) ? url.slice(url.lastIndexOf("/") + 1) : "index.html",
    );
    const wanted = options.sourceHash === undefined ? undefined : parseSourceHash(options.sourceHash);
    const isThere = lookAt(fs, target)?.kind === "file";
    if (
      wanted !== undefined && isThere && await digestFile(this.#options.runtime, wanted.name, target) === wanted.hsum
    ) {
      return target;
    }
    if (destination !== "" && !this.#directoryFor(target, options.makedirs ?? false)) {
      log.warning("file not fetched: there is no directory for it, and makedirs is not set", { path: target });
      return undefined;
    }
    const tagPath = `${target}.etag`;
    const known = options.useEtag && isThere && lookAt(fs, tagPath)?.kind === "file"
      ? fs.readText(tagPath).trim()
      : undefined;
    const ms = (name: string, seconds: number) => (Number(opts[name]) > 0 ? Number(opts[name]) : seconds) * 1000;
    await this.#draft(target, async (draft) => {
      const hasher = wanted && crypto.hasher(wanted.name);
      let size = 0;
      const came = await download(url, {
        fetch,
        net: this.#options.runtime.net,
        connectMs: ms("http_connect_timeout", CONNECT_SECONDS),
        totalMs: ms("http_request_timeout", REQUEST_SECONDS),
        ...(known === undefined || known === "" ? {} : { etag: known }),
        take(piece) {
          fs.writeAt(draft.path, size, piece);
          hasher?.update(piece);
          size += piece.length;
        },
      });
      if (came === undefined) return;
      const got = hasher && hex(hasher.digest());
      if (wanted !== undefined && got !== wanted.hsum) {
        throw new CommandExecutionError(
          `Cannot use "${
            withoutPassword(url)
          }": its ${wanted.name} is ${got}, and source_hash says ${wanted.hsum}. If the file ` +
            "was meant to change, change source_hash, too",
        );
      }
      draft.keep();
      if (options.useEtag && came.etag !== "") fs.write(tagPath, came.etag, { mode: 0o600 });
    });
    return target;
  }

  async read(url: string, options: FetchOptions = {}): Promise<Uint8Array | undefined> {
    const path = await this.fetchUrl(url, "", options);
    return path === undefined ? undefined : this.#options.runtime.fs.read(path);
  }

  async cacheDirectory(
    url: string,
    options: { saltenv?: string; includeEmpty?: boolean; include?: string; exclude?: string } = {},
  ): Promise<string[]> {
    const { runtime: { fs } } = this.#options;
    const { path, saltenv } = this.#parse(url, options.saltenv);
    const prefix = path.endsWith("/") ? path : `${path}/`;
    const fits = (pattern: string | undefined) =>
      pattern === undefined || pattern === ""
        ? undefined
        : pattern.startsWith("E@")
        ? ignoredBy({ regex: [pattern.slice(2)], glob: [] })
        : ignoredBy({ regex: [], glob: [pattern] });
    const [include, exclude] = [fits(options.include), fits(options.exclude)];
    const below = (names: string[]) => names.filter((name) => isConfined(name) && name.startsWith(prefix));
    const found: string[] = [];
    for (const name of below(await this.list("files", { saltenv }))) {
      if (include?.(name) === false || exclude?.(name) === true) continue;
      const got = await this.fetch(saltUrl(name), "", { saltenv });
      if (got !== undefined) found.push(got);
    }
    for (const name of options.includeEmpty ? below(await this.list("emptyDirectories", { saltenv })) : []) {
      const directory = this.#cache.ofServer(name, saltenv);
      this.#cache.prepare(joinPath(directory, "_"));
      fs.mkdir(directory, 0o700);
      found.push(directory);
    }
    return found;
  }

  async cacheMaster(saltenv?: string): Promise<(string | undefined)[]> {
    const names = await this.list("files", { saltenv });
    const found: (string | undefined)[] = [];
    for (const name of names) found.push(await this.fetch(saltUrl(name), "", { saltenv }));
    return found;
  }

  cacheLocal(path: string): string {
    const { fs } = this.#options.runtime;
    const target = this.#cache.ofHost(path);
    if (!isWithin(joinPath(this.#cache.directory, "localfiles"), target)) {
      throw new SaltInvocationError(`Cannot cache "${path}": expected an absolute path`);
    }
    const part = this.#cache.partial();
    try {
      for (let at = 0;;) {
        const piece = fs.readAt(path, at, 1024 * 1024);
        fs.writeAt(part, at, piece);
        at += piece.length;
        if (piece.length === 0) break;
      }
      this.#cache.prepare(target);
      fs.rename(part, target);
    } finally {
      fs.remove(part);
    }
    return target;
  }

  cachePath(url: string, saltenv?: string): string {
    return this.#cache.pathOf(url, this.#saltenv(saltenv));
  }

  cached(path: string, saltenv?: string): string | undefined {
    return this.#cache.find(path, this.#saltenv(saltenv));
  }

  cachedFiles(saltenv?: string): string[] {
    return this.#cache.files(this.#saltenv(saltenv));
  }

  async push(path: string, parts: readonly string[]): Promise<boolean> {
    const { runtime: { fs }, opts, log } = this.#options;
    const size = fs.stat(path)!.size;
    const length = Number(opts.file_buffer_size) > 0 ? Number(opts.file_buffer_size) : 262_144;
    for (let loc = 0;;) {
      const data = fs.readAt(path, loc, length);
      if (data.length === 0 && loc > 0) return true;
      if (await this.#ask({ cmd: "_file_recv", path: [...parts], size, loc, data }) !== true) {
        log.error(
          "the master does not take the file: it needs file_recv: True, and a file_recv_max_size that the file fits into",
          { path, size },
        );
        return false;
      }
      loc += data.length;
      // An empty file is one request.
      if (data.length === 0) return true;
    }
  }
}

/**
 * The files of a minion: those that the master serves, or with `file_client: local` and where there is no master those of its
 * own `file_roots`; then the first use tells if its options cannot be used.
 */
export function openFiles(
  options: Omit<FileClientOptions, "request"> & { request: FileRequest | undefined },
): Files {
  const { runtime, log, opts, request } = options;
  if (request !== undefined && opts.file_client !== "local") return new FileClient({ ...options, request });
  let server: FileServer | undefined;
  return new FileClient({
    ...options,
    async request(load) {
      const cmd = String(load.cmd);
      if (cmd === "_file_recv") return false;
      server ??= new FileServer({ runtime, log, opts: opts as unknown as FileServerOpts });
      return await FILE_COMMANDS[cmd]!(server, load);
    },
  });
}
