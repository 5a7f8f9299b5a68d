import type { Clock } from "../../../base/async/clock.ts";
import { joinPath } from "../../../base/paths.ts";
import { codeOf, messageOf } from "../../../base/errors.ts";
import { isPlainJid, jidDirectory } from "../../../model/job/jid.ts";
import { type Logger, silentLogger } from "../../../base/log.ts";
import type { Crypto, HashName } from "../../../runtime/crypto.ts";
import type { FileSystem } from "../../../runtime/fs.ts";
import { decode } from "../../../protocol/wire/msgpack.ts";
import { UndoLog } from "./undo_log.ts";

export interface LocalCacheOptions {
  fs: FileSystem;
  crypto: Crypto;
  clock: Clock;
  /** The master's `cachedir`; jobs are below its `jobs`. */
  cacheDir: string;
  /** Salt's `hash_type`, which must stay the same for the life of the cache. */
  hashName: HashName;
  /** Notes when the last return came. Salt's `job_cache_store_endtime`. @default false */
  storeEndtime?: boolean;
  /** Calls back in a later turn of the loop. */
  later(call: () => void): void;
  /**
   * Called with files that are taken for safe and may not be: a process that was killed may have left them in the system's memory. The
   * next flush syncs them. @default nothing is done
   */
  note?(path: string): void;
  /** @default silent */
  log?: Logger;
}

interface JobDirectory {
  path: string;
  /** When its jid was written; undefined if it has none. */
  created: number | undefined;
}

/** The file of a job with the outcomes of its targets. */
export const OUTCOMES_FILE = ".outcomes";

/** True if a minion's directory has its return. A loss of power may leave an empty directory, or half a file. */
export function isWholeReturn(store: LocalStore, own: string): boolean {
  const path = joinPath(own, "return.p");
  const fields = store.read(path, ["return"]);
  if ((fields as { return?: unknown } | null | undefined)?.return === undefined) return false;
  store.note(path);
  store.note(own);
  return true;
}

/** Where the files of jobs are: directories of jobs, and the marks of those that are not settled. */
export class LocalStore {
  readonly fs: FileSystem;
  readonly clock: Clock;
  readonly root: string;
  readonly changes: UndoLog;
  readonly #options: LocalCacheOptions;
  readonly #marks: string;
  /** Jobs that are settled, and whose marks are still there. */
  readonly #settled = new Set<string>();
  readonly #log: Logger;

  constructor(options: LocalCacheOptions) {
    const { fs, clock, cacheDir, log = silentLogger } = options;
    this.fs = fs;
    this.clock = clock;
    this.root = joinPath(cacheDir, "jobs");
    this.#options = options;
    this.#marks = joinPath(cacheDir, "jobs.unsettled");
    this.#log = log;
    this.changes = new UndoLog(fs, this.root, log);
  }

  isFile(path: string): boolean {
    return this.fs.stat(path, { follow: false })?.kind === "file";
  }

  isDirectory(path: string): boolean {
    return this.fs.stat(path, { follow: false })?.kind === "directory";
  }

  /** The names in a directory, none if it is missing. */
  namesIn(directory: string): string[] {
    return this.isDirectory(directory) ? this.fs.list(directory) : [];
  }

  directoryOf(jid: string): string {
    const { crypto, cacheDir, hashName } = this.#options;
    return jidDirectory(crypto, cacheDir, jid, hashName);
  }

  /** Path of a file in the job's directory. */
  fileOf(jid: string, ...names: string[]): string {
    return joinPath(this.directoryOf(jid), ...names);
  }

  /** The job's directory, made if it is missing. */
  prepare(jid: string): string {
    const directory = this.directoryOf(jid);
    const file = joinPath(directory, "jid");
    if (!this.isFile(file)) {
      if (!this.isDirectory(directory)) this.changes.makeDirectory(directory);
      this.changes.write(directory, "jid", jid);
      const now = this.clock.now();
      this.fs.utimes(file, now, now);
    }
    return directory;
  }

  /**
   * A value from a file, undefined if the file is missing or cannot be read: one bad job must not hide the others.
   *
   * @param keep fields that stay packed
   */
  read(path: string, keep?: readonly string[]): unknown {
    // Never a pipe or a device, on which a read would hang.
    if (!this.isFile(path)) return undefined;
    try {
      return decode(this.fs.read(path), { mode: "bin", keep });
    } catch (error) {
      this.#log.warning("a file of the job cache cannot be read and is ignored", { path, error: messageOf(error) });
      return undefined;
    }
  }

  *directories(): Iterable<JobDirectory> {
    for (const first of this.namesIn(this.root)) {
      const top = joinPath(this.root, first);
      for (const rest of this.namesIn(top)) {
        const path = joinPath(top, rest);
        if (this.isDirectory(path)) yield { path, created: this.fs.stat(joinPath(path, "jid"))?.mtimeMs };
      }
    }
  }

  /** Every job whose jid can be read, oldest first. */
  known(wanted: (created: number) => boolean = () => true): { jid: string; path: string }[] {
    const found: { jid: string; path: string }[] = [];
    for (const { path, created } of this.directories()) {
      if (created === undefined || !wanted(created)) continue;
      const jid = this.fs.readText(joinPath(path, "jid"));
      if (isPlainJid(jid)) found.push({ jid, path });
    }
    return found.sort((a, b) => a.jid < b.jid ? -1 : 1);
  }

  markUnsettled(jid: string): void {
    if (this.isUnsettled(jid)) return;
    this.#unsettle(jid);
    this.fs.mkdir(this.#marks, 0o755);
    if (!this.#hasMark(jid)) this.changes.write(this.#marks, jid, "");
  }

  #hasMark(jid: string): boolean {
    return this.isFile(joinPath(this.#marks, jid));
  }

  isUnsettled(jid: string): boolean {
    return !this.#settled.has(jid) && this.#hasMark(jid);
  }

  /** The mark goes after the next flush: a loss of power must not take the outcomes and leave the job settled. */
  settle(jid: string): void {
    if (!this.isUnsettled(jid)) return;
    this.changes.saving(() => {
      this.#settled.add(jid);
      this.changes.undoBy(() => this.#settled.delete(jid));
    });
  }

  #unsettle(jid: string): void {
    if (this.#settled.delete(jid)) this.changes.undoBy(() => this.#settled.add(jid));
  }

  #removeMarks(jids: readonly string[]): void {
    for (const jid of jids) {
      if (!this.#settled.delete(jid)) continue;
      try {
        this.fs.remove(joinPath(this.#marks, jid));
      } catch (error) {
        // The job is looked at again after a restart, and is found to have ended.
        this.#log.warning("the mark of a job that has ended cannot be removed", { jid, error: messageOf(error) });
      }
    }
  }

  /** Jobs with a load that are not settled, oldest first. */
  unsettled(): string[] {
    const found: string[] = [];
    for (const jid of this.namesIn(this.#marks)) {
      if (!isPlainJid(jid) || this.#settled.has(jid)) continue;
      if (this.isFile(this.fileOf(jid, ".load.p"))) {
        found.push(jid);
        this.#noteFiles(jid);
      } // Salt has removed the job.
      else if (this.fs.stat(this.directoryOf(jid)) === undefined) this.fs.remove(joinPath(this.#marks, jid));
    }
    return found.sort();
  }

  /** Notes all files of a job: what they say counts as known from now on, its returns as well. */
  #noteFiles(jid: string): void {
    for (const name of this.fs.list(this.directoryOf(jid))) {
      const path = this.fileOf(jid, name);
      this.note(path);
      if (!this.isDirectory(path)) continue;
      for (const own of this.fs.list(path)) this.note(joinPath(path, own));
    }
  }

  endtime(jid: string): string | undefined {
    const path = this.fileOf(jid, "endtime");
    return this.isFile(path) ? this.fs.readText(path) : undefined;
  }

  updateEndtime(jid: string, time: string): void {
    try {
      this.changes.write(this.directoryOf(jid), "endtime", time);
    } catch (error) {
      // The job may have been removed in between.
      if (codeOf(error) !== "ENOENT") throw error;
    }
  }

  /** See {@link LocalCacheOptions.note}. */
  note(path: string): void {
    this.#options.note?.(path);
  }

  flush(): void {
    this.changes.flush();
    this.#removeMarks([...this.#settled]);
  }

  /** A flush that is over when `sync` is; if that fails, what was saved is undone. */
  async flushWith(sync: () => Promise<void>): Promise<void> {
    const settled = [...this.#settled];
    await this.changes.flushWith(sync);
    this.#removeMarks(settled);
  }
}
