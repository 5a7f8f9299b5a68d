export type Value = string | number | boolean | null | Uint8Array;
export type Row = Record<string, unknown>;
export type Query = readonly [sql: string, ...values: Value[]];

/** What the client and its transactions have in common. */
export interface Queries {
  unsafe(sql: string, values?: Value[], options?: { prepare?: boolean }): PromiseLike<Row[] & { count: number }>;
}
