import { dirName } from "../../../base/paths.ts";
import type { SystemError } from "../../../base/errors.ts";
import type { Database, SqlStatement } from "../../../runtime/database.ts";
import type { Durability, FileSystem } from "../../../runtime/fs.ts";
import { RecentJobs } from "../oldest_jobs.ts";
import { fileFailure, type JobFileOptions, openJobFile } from "./file.ts";

export interface SqliteJobCacheOptions extends JobFileOptions {
  now(): number;
  /** Calls back in a later turn of the loop. */
  later(call: () => void): void;
  /** What is flushed outlives: a loss of power, or the end of the process. @default "power" */
  durability?: Durability;
}

/**
 * The open file of the job cache: its statements, the transaction of this turn of the loop, and the sync behind it.
 *
 * A failure rolls back everything saved since the last flush; saves are then refused, and the next
 * {@link SqliteStore.flush} throws it and makes the store usable again.
 */
export class SqliteStore {
  readonly path: string;
  readonly database: Database;
  readonly recent = new RecentJobs();
  readonly #fs: FileSystem;
  readonly #now: () => number;
  readonly #durability: Durability;
  readonly #statements = new Map<string, SqlStatement>();
  readonly #begin: SqlStatement;
  readonly #commit: SqlStatement;
  #open = false;
  /** Why everything saved since the last flush is lost. */
  #lost: SystemError | undefined;
  /** Something was committed that a loss of power might take. */
  #unsynced = false;
  /** The same of an earlier process that was killed: what it has left is taken for safe from now on. */
  #inherited = true;
  #syncing: Promise<void> | undefined;
  #unsure = false;
  /** The names of the files are on the disk. */
  #named = false;

  constructor(options: SqliteJobCacheOptions) {
    this.database = openJobFile(options);
    this.path = options.path;
    this.#fs = options.fs;
    this.#now = options.now;
    this.#durability = options.durability ?? "power";
    this.#begin = this.database.prepare("BEGIN IMMEDIATE");
    this.#commit = this.database.prepare("COMMIT");
  }

  /** Whole milliseconds since the epoch. */
  now(): number {
    return Math.floor(this.#now());
  }

  /** Compiled when first needed: many commands ask for one thing only. */
  prepared(sql: string): SqlStatement {
    let statement = this.#statements.get(sql);
    if (statement === undefined) this.#statements.set(sql, statement = this.database.prepare(sql));
    return statement;
  }

  /** Opens the transaction of this turn unless it is open. @throws {SystemError} if what was saved in it is lost */
  begin(): void {
    if (this.#lost !== undefined) throw this.#lost;
    if (!this.#open) this.#begin.run();
    this.#open = true;
  }

  /** Rolls back this turn after `error`. @returns what the save and the next flush throw */
  lose(error: unknown): SystemError {
    return error === this.#lost ? this.#lost! : this.#lost = this.#rollBack(error);
  }

  /** Runs what saves something, inside the transaction of this turn. */
  saving<T>(save: () => T): T {
    try {
      this.begin();
      return save();
    } catch (error) {
      throw this.lose(error);
    }
  }

  reading<T>(read: () => T): T {
    try {
      return read();
    } catch (error) {
      throw fileFailure(this.path, error);
    }
  }

  /** Saves and commits at once, together with what was saved in this turn; on failure the next flush fails, too. */
  savingAlone(save: () => void): void {
    const own = !this.#open;
    this.saving(save);
    try {
      this.#closeTransaction();
    } catch (error) {
      // Earlier saves of this turn are lost with it, and their flush must fail.
      if (!own) this.#lost = error as SystemError;
      throw error;
    }
  }

  flush(): void | Promise<void> {
    this.#closeTransaction();
    if (this.#durability === "process") return;
    if (this.#syncing !== undefined) return this.#syncing.catch(() => {}).then(() => this.flush());
    if (this.#unsynced || this.#inherited) return this.#syncing = this.#sync();
  }

  close(): void | Promise<void> {
    // Nobody has asked whether that is safe.
    this.#inherited = false;
    try {
      const flushed = this.flush();
      if (flushed !== undefined) return flushed.finally(() => this.database.close());
    } catch (error) {
      this.database.close();
      throw error;
    }
    return this.database.close();
  }

  #rollBack(error: unknown): SystemError {
    try {
      this.database.exec("ROLLBACK");
    } catch {
      // After some errors SQLite has rolled back by itself.
    }
    this.#open = false;
    this.recent.clear();
    return fileFailure(this.path, error);
  }

  #closeTransaction(): void {
    const failed = this.#lost;
    this.#lost = undefined;
    if (failed !== undefined) throw failed;
    if (!this.#open) return;
    try {
      this.#commit.run();
      this.#open = false;
      this.#unsynced = true;
    } catch (error) {
      throw this.#rollBack(error);
    }
  }

  /**
   * SQLite itself would block the event loop while the disk works (`synchronous = FULL`); it has written its log, and the
   * log is what has to be synced.
   */
  async #sync(): Promise<void> {
    [this.#unsynced, this.#inherited] = [false, false];
    try {
      // After a failed sync the system may take unwritten pages for written: copy the log into the file, which syncs both.
      if (this.#unsure) this.database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
      const names = this.#named ? [] : [this.#fs.sync(dirName(this.path))];
      await Promise.all([this.#fs.sync(`${this.path}-wal`), ...names]);
      [this.#unsure, this.#named] = [false, true];
    } catch (error) {
      [this.#unsure, this.#unsynced] = [true, true];
      throw fileFailure(this.path, error);
    } finally {
      this.#syncing = undefined;
    }
  }
}
