import path from "node:path";
import process from "node:process";
import { parseArgs } from "node:util";
import { type RuntimeName, runtimeNamed } from "./bed/runtimes.ts";
import { appendRaw } from "./raw.ts";
import { type BenchOptions, type Row, table } from "./rows.ts";

/** Options that one benchmark has beside those of all. */
type OptionKinds = Record<string, "number" | "flag" | "text">;

type OptionValues<Kinds extends OptionKinds> = {
  -readonly [Name in keyof Kinds]?: Kinds[Name] extends "number" ? number
    : Kinds[Name] extends "flag" ? boolean
    : string;
};

/** Options of every benchmark: `--quick` and `--runtimes node,bun`; lines of progress go to stderr. */
export interface ProgramOptions extends BenchOptions {
  quick: boolean;
  runtimes?: readonly RuntimeName[];
  say(line: string): void;
}

/**
 * Runs a benchmark as a program: parses its options, prints its rows as a table or with `--json` as JSON, appends them to
 * the file of `--raw` one to a line, and exits.
 *
 * @example await runProgram({ rounds: "number", alone: "flag" }, run);
 */
export async function runProgram<const Kinds extends OptionKinds>(
  kinds: Kinds,
  run: (options: OptionValues<Kinds> & ProgramOptions) => Row[] | Promise<Row[]>,
): Promise<never> {
  const own = Object.entries(kinds).map(([name, kind]) =>
    [name, { type: kind === "flag" ? "boolean" : "string" }] as const
  );
  const { values } = parseArgs({
    options: {
      ...Object.fromEntries(own),
      quick: { type: "boolean" },
      runtimes: { type: "string" },
      json: { type: "boolean" },
      raw: { type: "string" },
    },
  }) as { values: Record<string, string | boolean | undefined> };
  const options: Record<string, unknown> = { quick: values.quick === true, say: (line: string) => console.error(line) };
  if (typeof values.runtimes === "string") options.runtimes = values.runtimes.split(",").map(runtimeNamed);
  for (const [name, kind] of Object.entries(kinds)) {
    const value = values[name];
    if (value !== undefined) options[name] = kind === "number" ? numberOf(name, String(value)) : value;
  }
  const rows = await run(options as OptionValues<Kinds> & ProgramOptions);
  if (typeof values.raw === "string") appendRaw(values.raw, path.basename(process.argv[1]!, ".ts"), rows);
  console.log(values.json ? JSON.stringify(rows) : table(rows));
  process.exit(0);
}

function numberOf(name: string, text: string): number {
  const value = Number(text);
  if (text.trim() === "" || Number.isNaN(value)) throw new RangeError(`Invalid --${name} "${text}": expected a number`);
  return value;
}
