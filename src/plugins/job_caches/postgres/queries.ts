export type Value = string | number | boolean | null | Uint8Array;
export type PostgresRow = Record<string, unknown>;
export type PostgresQuery = readonly [sql: string, ...values: Value[]];

/** What the client and its transactions have in common. */
export interface Queries {
  unsafe(
    sql: string,
    values?: Value[],
    options?: { prepare?: boolean },
  ): PromiseLike<PostgresRow[] & { count: number }>;
}

/** The part of npm's `postgres` that is used here. */
export interface PostgresClient extends Queries {
  begin(work: (queries: Queries) => unknown): Promise<unknown>;
  end(options: { timeout: number }): Promise<void>;
}

/** How npm's `postgres` connects. */
export interface Driver {
  default(options: Record<string, unknown>): PostgresClient;
}

/** A return on its way to the server: many go in one statement. */
export interface ReturnRow {
  jid: string;
  minion: string;
  stored: number;
  value: Uint8Array;
  retcode: Uint8Array | null;
  success: Uint8Array | null;
  out: string | null;
  failed: boolean;
}

export type Write = PostgresQuery | ReturnRow;

/** PostgreSQL has no text with a NUL, and none that is not Unicode: one such text would fail all that is saved beside it. */
export const toText = (value: string): string => value.replaceAll("\0", "\ufffd").toWellFormed();

/** What the index holds of a word, which may be longer. */
export const indexedWord = (word: string): string => Array.from(toText(word)).slice(0, 500).join("");
