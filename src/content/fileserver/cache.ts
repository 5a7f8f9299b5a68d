import { dirName, isWithin, joinPath, normalizePath } from "../../base/paths.ts";
import { hex } from "../../protocol/crypto/hex.ts";
import { ConfigError } from "../../base/errors.ts";
import { SaltInvocationError } from "../../model/loader/family.ts";
import type { Runtime } from "../../runtime/runtime.ts";
import { isEnvironment, parseSaltUrl, plainPath } from "./url.ts";
import { statOf } from "./walk.ts";

/** Characters that the name of a file may have: longer ones are hashed. */
const MAX_NAME_CHARACTERS = 255;

/** Age, in milliseconds, at which a partly fetched file is removed: a crash has left it. */
const ABANDONED_MS = 86_400_000;

/** The parts of a URL as Python's `urlsplit` finds them: nothing is decoded, and nothing taken away. */
export function urlParts(url: string): { scheme: string; host: string; path: string; query: string } {
  const [, scheme = "", host = "", path = "", query = ""] =
    /^(?:([A-Za-z][A-Za-z0-9+.-]*):)?(?:\/\/([^/?#]*))?([^?#]*)(?:\?([^#]*))?/.exec(url) ?? [];
  return { scheme: scheme.toLowerCase(), host, path, query };
}

/**
 * The files that a minion keeps: `files/<saltenv>/<path>` those of `salt://`, `extrn_files/<saltenv>/<host>/<path>` those of
 * other URLs, `localfiles/<path>` copies of its own.
 */
export class FileCache {
  readonly #runtime: Pick<Runtime, "fs" | "crypto" | "clock">;
  readonly #directory: unknown;
  #swept = false;

  /** @param directory the option `cachedir`; without it nothing can be cached */
  constructor(runtime: Pick<Runtime, "fs" | "crypto" | "clock">, directory: unknown) {
    this.#runtime = runtime;
    this.#directory = directory;
  }

  /** @throws {ConfigError} if `cachedir` is not an absolute path */
  get directory(): string {
    const directory = this.#directory;
    if (typeof directory === "string" && directory.startsWith("/")) return directory;
    throw new ConfigError(
      `Cannot keep files in "${directory}": set cachedir to an absolute path`,
    );
  }

  holds(path: string): boolean {
    return this.#directory !== undefined && isWithin(this.directory, path);
  }

  #environment(saltenv: string): string {
    if (isEnvironment(saltenv)) return saltenv;
    throw new SaltInvocationError(
      `Cannot use "${saltenv}" as saltenv: expected a name, with no ".." and no "/" at its ends`,
    );
  }

  #below(folder: string, saltenv: string, path: string): string {
    const base = joinPath(this.directory, folder, this.#environment(saltenv));
    const full = normalizePath(`${base}/${path}`);
    if (!path.includes("\0") && full !== base && isWithin(base, full)) return full;
    throw new SaltInvocationError(`Cannot cache "${path}": expected a path with no ".." that leads out of the cache`);
  }

  ofServer(path: string, saltenv: string): string {
    return this.#below("files", saltenv, plainPath(path));
  }

  /** Where the copy of a file of this host is cached. */
  ofHost(path: string): string {
    return normalizePath(`${this.directory}/localfiles/${path.replace(/^[|/]+/, "")}`);
  }

  /** Where a file from a URL other than `salt://` is cached. */
  ofUrl(url: string, saltenv: string): string {
    const { host, path, query } = urlParts(url);
    // The folder is named after the host without credentials and without the colon of a port.
    const folder = host.slice(host.lastIndexOf("@") + 1).replaceAll(":", "");
    const name = query === "" ? path : `${path}-${query}`;
    const full = this.#below("extrn_files", saltenv, `${folder}/${name}`);
    if (Array.from(name).length <= MAX_NAME_CHARACTERS) return full;
    const digest = hex(this.#runtime.crypto.hash("sha256", new TextEncoder().encode(name)));
    return this.#below("extrn_files", saltenv, `${folder}/${digest}`);
  }

  /** Where the file of any URL is cached; for a plain path the path itself. */
  pathOf(url: string, saltenv: string): string {
    const salt = parseSaltUrl(url);
    if (salt !== undefined) return this.ofServer(salt.path, salt.saltenv ?? saltenv);
    return urlParts(url).scheme === "" ? url : this.ofUrl(url, saltenv);
  }

  /** The path of a file in the cache; undefined if it is missing. */
  find(url: string, saltenv: string): string | undefined {
    const { fs } = this.#runtime;
    const salt = parseSaltUrl(url);
    const path = plainPath(salt?.path ?? url).replace(/^\/+/, "");
    const environment = salt?.saltenv ?? saltenv;
    const places = [
      () => this.#below("files", environment, path),
      () => this.ofHost(path),
      () => this.ofUrl(url, environment),
    ];
    for (const place of places) {
      let full: string;
      try {
        full = place();
      } catch {
        // An invalid path cannot be in the cache.
        continue;
      }
      if (isWithin(this.directory, full) && statOf(fs, full) !== undefined) return full;
    }
    return undefined;
  }

  /** Every cached file of an environment, and the cached copies of files of this host. */
  files(saltenv: string): string[] {
    const { fs } = this.#runtime;
    const found: string[] = [];
    const enter = (directory: string) => {
      for (const name of statOf(fs, directory)?.kind === "directory" ? fs.list(directory) : []) {
        const path = joinPath(directory, name);
        const kind = fs.stat(path, { follow: false })?.kind;
        if (kind === "directory") enter(path);
        else if (kind !== undefined) found.push(path);
      }
    };
    enter(joinPath(this.directory, "files", this.#environment(saltenv)));
    enter(joinPath(this.directory, "localfiles"));
    return found.sort();
  }

  /** Makes the directories above a file of the cache; a file or link in the place of one is outdated, and removed. */
  prepare(path: string): void {
    const { fs } = this.#runtime;
    const parts = dirName(path).slice(this.directory.length).split("/").filter((part) => part !== "");
    fs.mkdir(this.directory);
    parts.forEach((_part, at) => {
      const directory = joinPath(this.directory, ...parts.slice(0, at + 1));
      const kind = fs.stat(directory, { follow: false })?.kind;
      if (kind === "directory") return;
      if (kind !== undefined) fs.remove(directory);
      fs.mkdir(directory, 0o700);
    });
    if (fs.stat(path, { follow: false })?.kind === "directory") fs.remove(path, { recursive: true });
  }

  /** A path for a file of the cache that is being written. */
  partial(): string {
    const { fs, crypto, clock } = this.#runtime;
    const directory = joinPath(this.directory, "partial");
    fs.mkdir(directory, 0o700);
    if (!this.#swept) {
      this.#swept = true;
      for (const name of fs.list(directory)) {
        const path = joinPath(directory, name);
        const stat = statOf(fs, path);
        if (stat?.kind === "file" && clock.now() - stat.mtimeMs > ABANDONED_MS) fs.remove(path);
      }
    }
    return joinPath(directory, hex(crypto.randomBytes(12)));
  }
}
