import { type Cell, csvRow } from "./csv.ts";
import { factOf, grainColumn, type KnownMinions } from "./fleet_table.ts";
import type { Job, Part } from "./job.ts";
import type { Tally } from "./tally.ts";

/** A table to export: rows with one value for each column. */
export interface Table {
  /** The name of the file, without its extension. */
  fileName: string;
  columns: readonly string[];
  rows: Iterable<readonly unknown[]>;
}

export type ExportFormat = "csv" | "json";

/**
 * The contents of a file, piece by piece: thousands of long returns are not written at once. JSON is a list of objects; in
 * CSV, values that are neither text nor number are JSON.
 */
export function* exported({ columns, rows }: Table, format: ExportFormat): Iterable<string> {
  if (format === "csv") {
    yield csvRow(columns);
    for (const row of rows) yield csvRow(row.map(cellOf));
    return;
  }
  let before = "[\n";
  for (const row of rows) {
    yield before + JSON.stringify(Object.fromEntries(columns.map((name, at) => [name, row[at]])));
    before = ",\n";
  }
  yield before === "[\n" ? "[]\n" : "\n]\n";
}

const cellOf = (value: unknown): Cell =>
  typeof value === "object" && value !== null ? JSON.stringify(value) : value as Cell;

/** The name of a file in which everything but letters, digits, dots and dashes is replaced. */
export const fileNameOf = (...words: string[]): string => words.join("-").replace(/[^\w.-]+/g, "_").slice(0, 100);

/** The targets of a job with their returns. */
export function jobTable({ head: { jid, fun } }: Job, parts: readonly Part[]): Table {
  return {
    fileName: fileNameOf(fun, jid),
    columns: ["minion", "outcome", "seconds", "retcode", "note", "return"],
    rows: parts.map(({ id, state, tookMs, retcode, note, return: value }) => [
      id,
      state,
      tookMs === undefined ? undefined : tookMs / 1000,
      retcode,
      note,
      value,
    ]),
  };
}

/** Jobs of the history, with the outcomes that are known. */
export function historyTable(
  rows: readonly {
    jid: string;
    fun: string;
    args: string;
    target: string;
    targetType: string;
    user: string;
    startedMs?: number;
  }[],
  known: ReadonlyMap<string, Tally>,
): Table {
  return {
    fileName: "jobs",
    columns: ["jid", "started", "function", "arguments", "target", "target_type", "user", "seconds", "outcomes"],
    rows: rows.map(({ jid, fun, args, target, targetType, user, startedMs }) => {
      const tally = known.get(jid);
      return [
        jid,
        startedMs === undefined ? undefined : new Date(startedMs).toISOString(),
        fun,
        args,
        target,
        targetType,
        user,
        tally?.seconds,
        tally === undefined ? undefined : Object.fromEntries(tally.counts),
      ];
    }),
  };
}

/** The minions that the fleet page lists. */
export function fleetTable(ids: readonly string[], known: KnownMinions, grains: readonly string[] = []): Table {
  return {
    fileName: "minions",
    columns: ["minion", "state", "system", "program", "address", "last_seen", ...grains],
    rows: ids.map((id) => {
      const facts = known.facts(id);
      const { system, program, address } = facts ?? {};
      const seenMs = known.seenMs(id);
      return [
        id,
        known.presence(id),
        system,
        program,
        address,
        seenMs === undefined ? undefined : new Date(seenMs).toISOString(),
        ...grains.map((grain) => factOf(facts, grainColumn(grain))),
      ];
    }),
  };
}
