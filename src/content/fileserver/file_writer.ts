import { dirName, joinPath } from "../../base/paths.ts";
import { hex } from "../../protocol/crypto/hex.ts";
import { codeOf } from "../../base/errors.ts";
import { CommandExecutionError } from "../../model/loader/family.ts";
import type { Runtime } from "../../runtime/runtime.ts";
import type { FileCache } from "./cache.ts";
import { statOf } from "./walk.ts";

/** Error codes that mean: no file can be created in this directory. */
const CLOSED_DIRECTORY = ["EACCES", "EPERM", "EROFS"];

function discard(fs: Runtime["fs"], draft: string): void {
  try {
    fs.remove(draft);
  } catch (error) {
    // In an append-only directory a file cannot be removed: `replace` has emptied the draft there.
    if (codeOf(error) !== "EPERM") throw error;
  }
}

/** A file that is being written under another name before it replaces the target. */
interface Draft {
  path: string;
  /** Moves the draft to the target. */
  keep(): void;
}

/** Writes files of this host so that each appears whole under its name, or not at all. */
export class FileWriter {
  readonly #runtime: Pick<Runtime, "fs" | "crypto" | "process">;
  readonly #cache: FileCache;

  constructor(runtime: Pick<Runtime, "fs" | "crypto" | "process">, cache: FileCache) {
    this.#runtime = runtime;
    this.#cache = cache;
  }

  /** The path to write to: a destination that is a directory, or ends like one, gets the file under its own name. */
  targetIn(destination: string, name: () => string): string {
    const isDirectory = /[/\\]$/.test(destination) ||
      statOf(this.#runtime.fs, destination)?.kind === "directory";
    return isDirectory ? joinPath(destination, name()) : destination;
  }

  /** Makes sure that the directory of a target exists; creates it only with `makedirs`. False if the directory is missing. */
  prepareDirectory(target: string, makedirs: boolean): boolean {
    const { fs } = this.#runtime;
    const directory = dirName(target);
    if (statOf(fs, directory)?.kind === "directory") return true;
    if (makedirs) fs.mkdir(directory);
    return makedirs;
  }

  /**
   * Writes a file by way of a draft, which is removed unless `write` keeps it. A file that is replaced hands on its owner and
   * mode.
   *
   * @throws {CommandExecutionError} if the target is something else than a file
   */
  async write<T>(target: string, write: (draft: Draft) => Promise<T>): Promise<T> {
    const { fs, process, crypto } = this.#runtime;
    const cache = this.#cache;
    const cached = cache.holds(target);
    // A link is followed to the file that it means, as by any program that opens the path for writing.
    const real = cached ? target : fs.placeOf(target);
    const before = statOf(fs, real);
    if (before !== undefined && before.kind !== "file" && !cached) {
      throw new CommandExecutionError(`Cannot write "${target}": expected a file, or nothing, at that path`);
    }
    // Beside the target, because a rename does not cross file systems. Drafts of the cache have a directory of their own,
    // which is not listed.
    let path = cached ? cache.partial() : joinPath(dirName(real), `.${hex(crypto.randomBytes(12))}.part`);
    const mode = cached ? 0o600 : 0o666 & ~process.umask();
    try {
      fs.write(path, "", { how: "create", mode, ...before === undefined || cached ? {} : { like: real } });
    } catch (error) {
      // If the directory takes no new file, write over the existing target from a draft in the cache.
      if (cached || before === undefined || !CLOSED_DIRECTORY.includes(codeOf(error))) throw error;
      path = cache.partial();
      fs.write(path, "", { how: "create", mode });
    }
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
          fs.replace(path, real);
        },
      });
    } finally {
      discard(fs, path);
    }
  }
}
