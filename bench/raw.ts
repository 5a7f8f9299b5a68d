/** Figures as they were measured, one line of JSON each: `--raw FILE` of every benchmark appends them, and `report.ts` makes its table of them. */
import { spawnSync } from "node:child_process";
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { loadavg } from "node:os";
import { runtimeCommand, RUNTIMES, which } from "./bed/runtimes.ts";
import { saltProgram } from "./bed/salt_release.ts";
import { machine, type Row } from "./rows.ts";

/** One figure of one run. */
export interface RawRow extends Row {
  /** The benchmark: `master`. */
  bench: string;
  /** When it ended, in UTC: `2026-01-31T12:00:00.000Z`. */
  at: string;
  machine: string;
  /** Processes that wanted a core, over the last minute. */
  load: number;
  /** Of the runtimes and real Salt, those that are installed: `{node: "24.1.0", …}`. */
  versions: Record<string, string>;
}

/** The first number with dots that a program prints of its version. */
function versionOf(argv: readonly string[]): string | undefined {
  const { stdout } = spawnSync(argv[0]!, [...argv.slice(1), "--version"], { encoding: "utf8" });
  return /\d+(?:\.\d+)+/.exec(stdout ?? "")?.[0];
}

/** Versions of the runtimes and of real Salt. */
export function versions(): Record<string, string> {
  const found: Record<string, string> = {};
  for (const name of RUNTIMES) {
    const program = runtimeCommand(name) === undefined ? undefined : which(name);
    const version = program === undefined ? undefined : versionOf([program]);
    if (version !== undefined) found[name] = version;
  }
  const salt = saltProgram("3006", "salt-master");
  const version = existsSync(salt) ? versionOf([salt]) : undefined;
  if (version !== undefined) found.salt = version;
  return found;
}

/** Appends the rows of a benchmark to a file. */
export function appendRaw(file: string, bench: string, rows: readonly Row[]): void {
  const common = {
    bench,
    at: new Date().toISOString(),
    machine: machine(),
    load: Number(loadavg()[0]!.toFixed(1)),
    versions: versions(),
  };
  appendFileSync(file, rows.map((row) => `${JSON.stringify({ ...common, ...row })}\n`).join(""));
}

/**
 * Reads what {@link appendRaw} has written.
 *
 * @throws {SyntaxError} that names the line that is no JSON
 */
export function readRaw(file: string): RawRow[] {
  return readFileSync(file, "utf8").split("\n").flatMap((line, at) => {
    if (line === "") return [];
    try {
      return [JSON.parse(line) as RawRow];
    } catch (cause) {
      throw new SyntaxError(`Cannot read line ${at + 1} of ${file}: it is not JSON`, { cause });
    }
  });
}
