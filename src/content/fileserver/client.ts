import { fieldsOf, isMap, lookup, textsOf } from "../../language/python/values.ts";
import { baseName, isWithin, joinPath } from "../../base/paths.ts";
import type {
  CacheDirectoryOptions,
  FetchOptions,
  FileHash,
  Files,
  ListFilesOptions,
} from "../../model/loader/family.ts";
import { CommandExecutionError, SaltInvocationError } from "../../model/loader/family.ts";
import { proxiesOf } from "../../model/loader/proxies.ts";
import type { Logger } from "../../base/log.ts";
import type { Runtime } from "../../runtime/runtime.ts";
import { FileCache, urlParts } from "./cache.ts";
import { digestFile, isHashName, parseSourceHash } from "./digest.ts";
import { type FileRequest, withRetries } from "./file_request.ts";
import { FileWriter } from "./file_writer.ts";
import { type Fetch, withoutPassword } from "./http.ts";
import { ignoredBy, statOf } from "./walk.ts";
import type { FileServerOpts } from "./roots.ts";
import { fileVersionOf, KnownDigests } from "./known_digests.ts";
import { fetchServedFile } from "./fetch_served_file.ts";
import { FILE_COMMANDS, FileServer, statList } from "./server.ts";
import { followRedirects } from "../../runtime/http_redirects.ts";
import { isConfined, parseSaltUrl, saltUrl } from "./url.ts";
import { fetchWebFile, isWanted } from "./web_file.ts";

export interface FileClientOptions {
  runtime: Pick<Runtime, "fs" | "crypto" | "clock" | "http" | "later" | "net" | "process">;
  log: Logger;
  /** `{cachedir, saltenv, hash_type, file_buffer_size, verify_ssl}` of the minion, and its limits and its proxy for web servers. */
  opts: Record<string, unknown>;
  request: FileRequest;
  /** Opens the same files with other options. @default a new client that sends the same requests */
  reopen?(opts: Record<string, unknown>): Files;
  /** Called with each reply that holds a piece of a file, when the bytes of the reply are not needed any more. */
  done?(reply: unknown): void;
  /** Sends requests to web servers. @default the runtime's own */
  fetch?: Fetch;
}

/** How often a file is fetched again if it changes meanwhile. */
const READINGS = 3;

/** The files that a server has, and those of other URLs and of this host: see {@link Files}. */
export class FileClient implements Files {
  readonly #options: FileClientOptions;
  readonly #request: FileRequest;
  readonly #cache: FileCache;
  readonly #writer: FileWriter;
  readonly #digests = new KnownDigests();

  constructor(options: FileClientOptions) {
    const { runtime, log, request, opts } = options;
    this.#options = options;
    this.#request = withRetries(request, { clock: runtime.clock, log });
    this.#cache = new FileCache(runtime, opts.cachedir);
    this.#writer = new FileWriter(runtime, this.#cache);
  }

  withOptions(opts: Record<string, unknown>): Files {
    return this.#options.reopen?.(opts) ?? new FileClient({ ...this.#options, opts });
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

  async environments(): Promise<string[]> {
    return textsOf(await this.#request({ cmd: "_file_envs" }));
  }

  async list(
    what: "files" | "directories" | "emptyDirectories",
    options: ListFilesOptions = {},
  ): Promise<string[]> {
    const cmd = { files: "_file_list", directories: "_dir_list", emptyDirectories: "_file_list_emptydirs" }[what];
    const { prefix = "" } = options;
    return textsOf(await this.#request({ cmd, saltenv: this.#saltenv(options.saltenv), prefix }));
  }

  async links(options: ListFilesOptions = {}): Promise<Record<string, string>> {
    const { prefix = "" } = options;
    const reply = await this.#request({ cmd: "_symlink_list", saltenv: this.#saltenv(options.saltenv), prefix });
    return fieldsOf(reply) as Record<string, string>;
  }

  async states(saltenv?: string): Promise<string[]> {
    const files = (await this.list("files", { saltenv })).filter((path) => path.endsWith(".sls"));
    return [...new Set(files.map((path) => path.replace(/(?:\/init)?\.sls$/, "").replaceAll("/", ".")))].sort();
  }

  async #hashOnServer(path: string, saltenv: string): Promise<FileHash | undefined> {
    const reply = await this.#request({ cmd: "_file_hash", path, saltenv });
    const [hsum, hash_type] = isMap(reply) ? [lookup(reply, "hsum"), lookup(reply, "hash_type")] : [];
    return typeof hsum === "string" && typeof hash_type === "string" ? { hash_type, hsum } : undefined;
  }

  async hash(path: string, saltenv?: string): Promise<FileHash | undefined> {
    if (path.startsWith("salt://")) {
      const parsed = this.#parse(path, saltenv);
      return await this.#hashOnServer(parsed.path, parsed.saltenv);
    }
    const { runtime, log, opts } = this.#options;
    const name = isHashName(opts.hash_type) ? opts.hash_type : "sha256";
    if (statOf(runtime.fs, path)?.kind !== "file") {
      log.warning("file not hashed: it does not exist", { path });
      return undefined;
    }
    return { hash_type: name, hsum: await digestFile(runtime, name, path) };
  }

  async stat(path: string, saltenv?: string): Promise<number[] | undefined> {
    if (!path.startsWith("salt://")) {
      const stat = statOf(this.#options.runtime.fs, path);
      return stat?.kind === "file" ? statList(stat) : undefined;
    }
    const parsed = this.#parse(path, saltenv);
    const { stat } = fieldsOf(await this.#request({ cmd: "_file_find", ...parsed }));
    return Array.isArray(stat) ? stat.map(Number) : undefined;
  }

  /** The digest of a file of this host; undefined if there is none. */
  async #digest(path: string, name: string): Promise<string | undefined> {
    const { runtime } = this.#options;
    const stat = statOf(runtime.fs, path);
    if (stat?.kind !== "file" || !isHashName(name)) return undefined;
    const version = fileVersionOf(stat);
    const key = `${name} ${path}`;
    const known = this.#digests.get(key, version);
    if (known !== undefined) return known;
    const digest = await digestFile(runtime, name, path);
    const after = statOf(runtime.fs, path);
    if (after !== undefined && fileVersionOf(after) === version) {
      this.#digests.keep(key, after, digest, runtime.clock.now());
    }
    return digest;
  }

  async fetch(url: string, destination: string, options: FetchOptions = {}): Promise<string | undefined> {
    const { runtime, log, done } = this.#options;
    const { path, saltenv } = this.#parse(url, options.saltenv);
    let sum = await this.#hashOnServer(path, saltenv);
    if (sum === undefined) {
      log.debug("file is not on the file server", { path, saltenv });
      return undefined;
    }
    const target = destination === ""
      ? this.#cache.ofServer(path, saltenv)
      : this.#writer.targetIn(destination, () => baseName(path));
    if (await this.#digest(target, sum.hash_type) === sum.hsum) return target;
    if (destination !== "" && !this.#writer.prepareDirectory(target, options.makedirs ?? false)) {
      log.warning("file not fetched: its directory does not exist, and makedirs is not set", { path: target });
      return undefined;
    }
    for (let readings = 1;; readings++) {
      const wanted = sum;
      const file = { path, saltenv, sum: wanted, gzip: options.gzip ?? 0 };
      const whole = await this.#writer.write(target, async (draft) => {
        const got = await fetchServedFile(file, draft.path, { runtime, request: this.#request, done });
        if (got !== wanted.hsum) return false;
        draft.keep();
        return true;
      });
      if (whole) return target;
      if (readings === READINGS) break;
      log.info("file has changed while it was fetched, fetching it again", { path, saltenv });
      sum = await this.#hashOnServer(path, saltenv);
      if (sum === undefined) return undefined;
    }
    throw new CommandExecutionError(
      `Cannot fetch "${
        saltUrl(path)
      }": its content did not match the file server's hash, ${READINGS} times. If the file is ` +
        `being written, try again when it is done; the previous content of "${target}" is unchanged`,
    );
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
    const { runtime, opts, log } = this.#options;
    const saltenv = this.#saltenv(options.saltenv);
    const target = destination === "" ? this.#cache.ofUrl(url, saltenv) : this.#writer.targetIn(
      destination,
      () => query !== "" || !/^\/?$|\/$/.test(path) ? url.slice(url.lastIndexOf("/") + 1) : "index.html",
    );
    const wanted = options.sourceHash === undefined ? undefined : parseSourceHash(options.sourceHash);
    if (await isWanted(target, wanted, runtime)) return target;
    if (destination !== "" && !this.#writer.prepareDirectory(target, options.makedirs ?? false)) {
      log.warning("file not fetched: its directory does not exist, and makedirs is not set", { path: target });
      return undefined;
    }
    const verify = (options.verify ?? true) && opts.verify_ssl !== false;
    const check = { wanted, useEtag: options.useEtag ?? false, verify };
    const way = {
      proxyFor: proxiesOf(this.#options),
      // The hash checks the content, so a redirection to plain http is allowed; so it is if TLS is not verified at all.
      toPlain: wanted !== undefined || !verify,
    };
    const fetch = this.#options.fetch ??
      ((url, request) => followRedirects(runtime.http, url, { ...request, ...way }));
    await fetchWebFile(url, target, check, { runtime, opts, fetch, writer: this.#writer });
    return target;
  }

  async read(url: string, options: FetchOptions = {}): Promise<Uint8Array | undefined> {
    const path = await this.fetchUrl(url, "", options);
    return path === undefined ? undefined : this.#options.runtime.fs.read(path);
  }

  async cacheDirectory(
    url: string,
    options: CacheDirectoryOptions = {},
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
      if (await this.#request({ cmd: "_file_recv", path: [...parts], size, loc, data }) !== true) {
        log.error(
          "the master refuses the file: set file_recv: True on the master, and file_recv_max_size to at least the size of the file",
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
 * Opens the files of a minion: those of the master, or those of the minion's own `file_roots` (with `file_client: local`, or
 * without a master). If the options of the `file_roots` cannot be used, the first access throws.
 */
export function openFiles(
  options: Omit<FileClientOptions, "request"> & { request: FileRequest | undefined },
): Files {
  const { runtime, log, opts, request } = options;
  const reopen = (opts: Record<string, unknown>) => openFiles({ ...options, opts });
  if (request !== undefined && opts.file_client !== "local") return new FileClient({ ...options, request, reopen });
  let server: FileServer | undefined;
  return new FileClient({
    ...options,
    reopen,
    async request(load) {
      const cmd = String(load.cmd);
      if (cmd === "_file_recv") return false;
      server ??= new FileServer({ runtime, log, opts: opts as unknown as FileServerOpts, fetches: true });
      return await FILE_COMMANDS[cmd]!(server, load);
    },
  });
}
