/** The figures of benchmarks, and the table in which they are printed. */
import { cpus } from "node:os";
import process from "node:process";

/** One figure. */
export interface Row {
  name: string;
  value: number;
  unit: string;
  /** How many times better Brine is than the control; on the row of Brine, except where each control has its own row. */
  ratio?: number;
  /** The least and the greatest ratio of single rounds. */
  spread?: [least: number, greatest: number];
  /** What was measured: a runtime, a form, a control. */
  note?: string;
}

/** A figure with its machine, as `--json` prints it. */
export interface Figure extends Row {
  machine: string;
}

/** Options of every benchmark. */
export interface BenchOptions {
  /** Fewer rounds, not for a record. @default false */
  quick?: boolean;
  /** Takes lines of progress, which are not part of the result. */
  say?(line: string): void;
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/** Rounds to three significant digits: more would be noise. */
export function rounded(value: number): number {
  return value >= 1000 ? Math.round(value) : Number(value.toPrecision(3));
}

/** The machine: processors and platform. */
export function machine(): string {
  const [cpu] = cpus();
  return `${cpus().length} x ${cpu?.model.trim() ?? "unknown processor"}, ${process.platform} ${process.arch}`;
}

/** A table with one line for each figure. */
export function table(rows: readonly Row[]): string {
  const name = Math.max(...rows.map((row) => row.name.length));
  const note = Math.max(...rows.map((row) => row.note?.length ?? 0));
  const value = Math.max(...rows.map((row) => row.value.toLocaleString("en").length));
  const unit = Math.max(...rows.map((row) => row.unit.length));
  let before = "";
  return rows.map((row) => {
    const head = row.name === before ? "" : row.name;
    before = row.name;
    const beside = row.ratio === undefined ? "" : `  ${row.ratio.toFixed(row.ratio < 10 ? 2 : 1).padStart(6)} x`;
    return `${head.padEnd(name)}  ${(row.note ?? "").padEnd(note)}  ${row.value.toLocaleString("en").padStart(value)} ${
      row.unit.padEnd(unit)
    }${beside}`.trimEnd();
  }).join("\n");
}
