/** How values of a job stand in the columns of a database: as msgpack, and NULL where there is none. */
import type { StoredReturn } from "../../model/job/job_cache.ts";
import { decode, encode, Packed } from "../../protocol/wire/msgpack.ts";

export function toColumn(value: unknown): Uint8Array | null {
  return value === undefined ? null : encode(value, "bin");
}

export function fromColumn(column: unknown): unknown {
  return column === null ? undefined : decode(column as Uint8Array, { mode: "bin" });
}

/** A return from a row with the columns `minion, stored, value, retcode, success, out`. */
export function returnOfRow(row: Record<string, unknown>): StoredReturn {
  return {
    minion: String(row.minion),
    return: new Packed(row.value as Uint8Array),
    retcode: fromColumn(row.retcode),
    success: fromColumn(row.success),
    ...(row.out === null ? {} : { out: String(row.out) }),
    storedMs: Number(row.stored),
  };
}

/** As much of a return as its outcome depends on, from a row with the columns `minion, stored, failed`. */
export function verdictOfRow(row: Record<string, unknown>): Omit<StoredReturn, "return" | "out"> {
  const failed = Number(row.failed);
  return { minion: String(row.minion), storedMs: Number(row.stored), retcode: failed, success: true };
}
