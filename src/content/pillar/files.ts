import type { Clock } from "../../base/async/clock.ts";
import { isWithin, joinPath, normalizePath } from "../../base/paths.ts";
import { codeOf } from "../../base/errors.ts";
import { compareText } from "../../language/python/text.ts";
import { RenderError } from "../../language/render/render_error.ts";
import type { FileStat, FileSystem } from "../../runtime/fs.ts";

/**
 * A file or directory that was read less than this after its last change, in milliseconds, may change again within the same
 * tick of the file system's clock: its mtime then does not show the change.
 */
const TICK_MS = 2000;
/** Characters of files that are kept in memory, at most. */
const MAX_KEPT_CHARACTERS = 32 * 1024 * 1024;
/** Maximum depth of directories: links may form a circle. */
const MAX_DEPTH = 64;

/** A value read from a file or directory, with the stat at that time. */
interface Read<T> {
  value: T;
  mtimeMs: number;
  size: number;
  ino: number;
}

interface Entry {
  name: string;
  kind: FileStat["kind"];
}

/**
 * The files of the pillar roots. A text or listing is kept as long as mtime, size and inode stay the same: a master reads the
 * same few files for every minion. Links are followed, also out of the roots.
 */
export class PillarFiles {
  readonly #fs: FileSystem;
  readonly #clock: Pick<Clock, "now">;
  readonly #ignored: (name: string) => boolean;
  readonly #texts = new Map<string, Read<string>>();
  readonly #entries = new Map<string, Read<Entry[]>>();
  #characters = 0;

  /** @param ignored names of directories that are not looked into */
  constructor(fs: FileSystem, clock: Pick<Clock, "now">, ignored: (name: string) => boolean) {
    this.#fs = fs;
    this.#clock = clock;
    this.#ignored = ignored;
  }

  #stat(path: string): FileStat | undefined {
    try {
      return this.#fs.stat(path);
    } catch (error) {
      // A file where a directory was expected, a name that is too long: there is no such file.
      if (["ENOTDIR", "ENAMETOOLONG", "ELOOP", "EACCES"].includes(codeOf(error))) return undefined;
      throw error;
    }
  }

  #isFresh<T>(read: Read<T> | undefined, stat: FileStat): read is Read<T> {
    return read !== undefined && read.mtimeMs === stat.mtimeMs && read.size === stat.size && read.ino === stat.ino;
  }

  #isSettled(stat: FileStat): boolean {
    return this.#clock.now() - stat.mtimeMs > TICK_MS;
  }

  /** The first of some directories' files of that name; undefined if none has it, or the name leads out of them. */
  find(roots: readonly string[], relative: string): string | undefined {
    if (relative.includes("\0")) return undefined;
    for (const root of roots) {
      const full = normalizePath(`${root}/${relative}`);
      if (isWithin(root, full) && this.#stat(full)?.kind === "file") return full;
    }
    return undefined;
  }

  /** The text of a file. @throws {RenderError} if it is not UTF-8 */
  text(path: string): string {
    const stat = this.#fs.stat(path);
    const known = this.#texts.get(path);
    if (stat !== undefined && this.#isFresh(known, stat)) return known.value;
    const bytes = this.#fs.read(path);
    let value: string;
    try {
      value = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    } catch (cause) {
      throw new RenderError(path, "expected UTF-8: save the file in that encoding", {}, { cause });
    }
    this.#characters -= known?.value.length ?? 0;
    this.#texts.delete(path);
    if (stat !== undefined && this.#isSettled(stat)) {
      const { mtimeMs, size, ino } = stat;
      this.#texts.set(path, { value, mtimeMs, size, ino });
      this.#characters += value.length;
      for (const [oldest, { value: { length } }] of this.#texts) {
        if (this.#characters <= MAX_KEPT_CHARACTERS) break;
        this.#texts.delete(oldest);
        this.#characters -= length;
      }
    }
    return value;
  }

  #list(directory: string): Entry[] {
    const stat = this.#stat(directory);
    if (stat?.kind !== "directory") return [];
    const known = this.#entries.get(directory);
    if (this.#isFresh(known, stat)) return known.value;
    const value = this.#fs.list(directory).map((name): Entry => ({
      name,
      kind: this.#fs.stat(joinPath(directory, name), { follow: false })?.kind ?? "other",
    }));
    const { mtimeMs, size, ino } = stat;
    if (this.#isSettled(stat)) this.#entries.set(directory, { value, mtimeMs, size, ino });
    else this.#entries.delete(directory);
    return value;
  }

  /** The names of all SLS files below some directories, sorted: `web` of `web.sls`, `db.main` of `db/main/init.sls`. */
  names(roots: readonly string[]): string[] {
    const found = new Set<string>();
    const walk = (directory: string, prefix: string, depth: number) => {
      for (const { name, kind } of this.#list(directory)) {
        const path = joinPath(directory, name);
        const target = kind === "symlink" ? this.#stat(path)?.kind : kind;
        if (target === "directory") {
          if (depth < MAX_DEPTH && !this.#ignored(name)) walk(path, `${prefix}${name}/`, depth + 1);
        } else if (target === "file" && name.endsWith(".sls")) {
          const relative = `${prefix}${name}`;
          found.add(relative.slice(0, relative.endsWith("/init.sls") ? -9 : -4).replaceAll("/", "."));
        }
      }
    };
    for (const root of roots) walk(root, "", 0);
    return [...found].sort(compareText);
  }

  /** Where the SLS of a name is: `web/nginx.sls`, or else `web/nginx/init.sls`. */
  findSls(roots: readonly string[], sls: string): { path: string; name: string; isInit: boolean } | undefined {
    const stem = sls.replaceAll(".", "/");
    const file = this.find(roots, `${stem}.sls`);
    if (file !== undefined) return { path: file, name: `${stem}.sls`, isInit: `/${stem}`.endsWith("/init") };
    const init = this.find(roots, `${stem}/init.sls`);
    return init === undefined ? undefined : { path: init, name: `${stem}/init.sls`, isInit: true };
  }
}
