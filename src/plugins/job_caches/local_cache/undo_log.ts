import { joinPath } from "../../../base/paths.ts";
import { messageOf, SystemError } from "../../../base/errors.ts";
import type { Logger } from "../../../base/log.ts";
import type { FileSystem } from "../../../runtime/fs.ts";

/** Returns may hold what only the master's user should see; Salt leaves this to its umask. */
const MODE = 0o600;

/**
 * Changes of files since the last flush, and how to undo them: if one fails, all are undone, further changes are refused,
 * and the next {@link UndoLog.flush} throws the failure and makes the store usable again.
 */
export class UndoLog {
  readonly #fs: FileSystem;
  readonly #root: string;
  readonly #log: Logger;
  #undo: (() => void)[] = [];
  /** Of changes that are being synced. */
  #undoSyncing: (() => void)[] = [];
  /** Why everything saved since the last flush is lost. */
  #lost: SystemError | undefined;

  /** @param root directories are made below it, and removed again up to it */
  constructor(fs: FileSystem, root: string, log: Logger) {
    this.#fs = fs;
    this.#root = root;
    this.#log = log;
  }

  /** Runs what changes files through this log. @throws {SystemError} once the changes since the last flush are undone */
  saving<T>(save: () => T): T {
    if (this.#lost !== undefined) throw this.#lost;
    try {
      return save();
    } catch (error) {
      if (!(error instanceof SystemError)) throw error;
      this.#undoAll();
      throw this.#lost = this.#failure(error);
    }
  }

  #failure(error: SystemError): SystemError {
    const remedy = error.errno === "ENOSPC" || error.errno === "EDQUOT"
      ? `free space or inodes on its file system, or lower keep_jobs_seconds`
      : "let the master's user write there";
    const text = `Cannot write the job cache "${this.#root}": ${error.message}; ${remedy}`;
    return new SystemError(error.errno, text, { path: this.#root, cause: error });
  }

  makeDirectory(directory: string): void {
    const isDirectory = (path: string) => this.#fs.stat(path, { follow: false })?.kind === "directory";
    const above = (path: string) => path.slice(0, path.lastIndexOf("/"));
    let top = directory;
    // Up to the topmost that is missing, so that undoing leaves no empty directory behind.
    while (top.length > this.#root.length && !isDirectory(above(top))) top = above(top);
    this.#undo.push(() => this.#fs.remove(top, { recursive: true }));
    this.#fs.mkdir(directory, 0o755);
  }

  write(directory: string, name: string, data: Uint8Array | string): void {
    const path = joinPath(directory, name);
    const isFile = this.#fs.stat(path, { follow: false })?.kind === "file";
    const before = isFile ? this.#fs.read(path) : undefined;
    this.#undo.push(() => before === undefined ? this.#fs.remove(path) : this.#fs.write(path, before, { mode: MODE }));
    // What replaces a file must be on the disk first: else a loss of power takes both.
    this.#fs.write(path, data, { mode: MODE, sync: isFile });
  }

  /** Appends to a file. @param whole its length: what follows was cut off, and goes */
  append(path: string, whole: number, data: Uint8Array): void {
    const size = this.#fs.stat(path, { follow: false })?.size;
    this.#undo.push(() => size === undefined ? this.#fs.remove(path) : this.#fs.truncate(path, whole));
    if (size !== undefined && size > whole) this.#fs.truncate(path, whole);
    this.#fs.append(path, data, MODE);
  }

  /** Notes how to undo what was changed elsewhere. */
  undoBy(undo: () => void): void {
    this.#undo.push(undo);
  }

  flush(): void {
    this.#undo = [];
    const failed = this.#lost;
    this.#lost = undefined;
    if (failed !== undefined) throw failed;
  }

  /** A flush that is over when `sync` is. If that fails, all changes are undone, also those that were made meanwhile. */
  async flushWith(sync: () => Promise<void>): Promise<void> {
    this.#undoSyncing = this.#undo;
    this.flush();
    try {
      await sync();
      this.#undoSyncing = [];
    } catch (error) {
      const later = this.#undo.length > 0;
      this.#undo = [...this.#undoSyncing, ...this.#undo];
      this.#undoSyncing = [];
      this.#undoAll();
      const failure = error instanceof SystemError ? this.#failure(error) : error;
      if (later && failure instanceof SystemError) this.#lost ??= failure;
      throw failure;
    }
  }

  #undoAll(): void {
    for (const undo of this.#undo.reverse()) {
      try {
        undo();
      } catch (error) {
        this.#log.warning("a change that belongs to a failed save could not be undone in the job cache", {
          error: messageOf(error),
        });
      }
    }
    this.#undo = [];
  }
}
