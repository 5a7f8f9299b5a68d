import { factOf, grainColumn, type KnownMinions } from "./fleet_table.ts";
import type { Job, ShownPart } from "./job.ts";
import type { JobTally } from "./tally.ts";

/** A cell of a table: texts come from minions and may be anything. */
export type Cell = string | number | boolean | null | undefined;

/** Matches a text that a spreadsheet reads as a formula, also with wide characters and after white space. */
const FORMULA = /^[\s\0]*[=+\-@＝＋－＠]|^[\t\r\n]/;
/** Matches a number, which is not a formula although it may begin with a sign. */
const NUMBER = /^-?\d+(?:\.\d+)?$/;

/** One cell in quotes. A text that looks like a formula gets a `'` before it, so that a spreadsheet shows it as text. */
function cellText(cell: Cell): string {
  const text = cell === null || cell === undefined ? "" : String(cell);
  const safe = typeof cell === "string" && FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text;
  return `"${safe.replaceAll('"', '""')}"`;
}

/** One row as CSV with its line end. @see RFC 4180 */
export const csvRow = (cells: readonly Cell[]): string => `${cells.map(cellText).join(",")}\r\n`;

export interface ExportTable {
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
export function* exported({ columns, rows }: ExportTable, format: ExportFormat): Iterable<string> {
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

export function jobTable({ head: { jid, fun } }: Job, parts: readonly ShownPart[]): ExportTable {
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
  known: ReadonlyMap<string, JobTally>,
): ExportTable {
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

export function fleetTable(ids: readonly string[], known: KnownMinions, grains: readonly string[] = []): ExportTable {
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
