/** SQLite, as the job cache, ledgers and spools use it. Synchronous: a row costs microseconds. */

export type SqlValue = null | number | bigint | string | Uint8Array;
export type SqlRow = Record<string, SqlValue>;

export interface SqlStatement {
  run(...values: SqlValue[]): { changes: number };
  get(...values: SqlValue[]): SqlRow | undefined;
  all(...values: SqlValue[]): SqlRow[];
  iterate(...values: SqlValue[]): Iterable<SqlRow>;
  /**
   * All rows as lists, for queries that somebody else has written: columns may have any names, also the same one, and every integer
   * is a `bigint`.
   *
   * @throws {RangeError} for more rows than `most`
   */
  table(values: SqlValue[], most: number): { columns: string[]; rows: SqlValue[][] };
}

export interface Database {
  exec(sql: string): void;
  prepare(sql: string): SqlStatement;
  /** Closes the database. A second call does nothing. */
  close(): void;
}

interface OpenDatabaseOptions {
  /** How long each access waits while another process locks the file, in milliseconds. @default 0 */
  busyMs?: number;
}

/**
 * SQLite as the core needs it of a runtime.
 *
 * @internal
 */
export interface Databases {
  /** @throws {SystemError} naming the file if it cannot be opened, is locked or is not a database */
  open(path: string, options?: OpenDatabaseOptions): Database;
}
