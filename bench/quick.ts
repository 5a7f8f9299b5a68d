/**
 * Question: how many times as much as Brine does Salt need, in what README promises? It takes about five minutes.
 *
 * Control row: real Salt 3006 with its defaults, in the same run. All sides take turns within a round; a ratio is the median of the
 * rounds' ratios, and its spread the least and the greatest of them. Other programs on the machine change times much more than processor
 * time.
 *
 * Run: npm run bench:quick [-- --rounds 7] [--raw docs/internals/figures.jsonl]. It needs `npm run compile`. With `--raw`,
 * `npm run bench:report` puts the table into README and docs/internals/performance.md.
 */
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { bedDirectory } from "./bed/daemon_directory.ts";
import { runCommand } from "./bed/run_command.ts";
import { brine, buildBundle, fromCopy, NO_SALT, ONE_FILE, oneFile, realSalt, type Side } from "./bed/sides.ts";
import { pause } from "./bed/until.ts";
import { measure as measureHighstates } from "./highstate.ts";
import { measureMaster } from "./master.ts";
import { MINION, type Pair, startPairs } from "./pair.ts";
import { runProgram } from "./program.ts";
import { type BenchOptions, median, rounded, type Row } from "./rows.ts";
import { quickTable } from "./quick_table.ts";
import { PARTS, runOnce, writeTree } from "./states.ts";

export interface QuickBenchOptions extends BenchOptions {
  /** Of single commands; a master is measured a quarter as often. @default 7, quick 3 */
  rounds?: number;
}

const IDLE_MS = 5000;
const MINIONS = 300;
const JOBS = 8;
const HIGHSTATES = 100;

/** Costs by name: a list of rounds for each side. */
class Costs {
  readonly #found = new Map<string, { unit: string; sides: Map<Side, number[]> }>();

  add(name: string, unit: string, side: Side, value: number | undefined): void {
    if (value === undefined) return;
    let cost = this.#found.get(name);
    if (cost === undefined) this.#found.set(name, cost = { unit, sides: new Map() });
    cost.sides.set(side, [...cost.sides.get(side) ?? [], value]);
  }

  rows(control: Side): Row[] {
    return [...this.#found].flatMap(([name, { unit, sides }]) => {
      const beside = sides.get(control) ?? [];
      return [...sides].map(([side, values]): Row => {
        const row = { name, note: side.name, unit, value: rounded(median(values)) };
        if (side === control) return row;
        const ratios = values.map((value, round) => beside[round]! / value);
        const spread = [Math.min(...ratios), Math.max(...ratios)].map(rounded) as [number, number];
        return { ...row, ratio: rounded(median(ratios)), spread };
      });
    });
  }
}

async function pings(costs: Costs, pairs: readonly Pair[], rounds: number): Promise<void> {
  await pause(IDLE_MS);
  for (const { side, master } of pairs) {
    const bytes = master.pss();
    costs.add("memory of an idle master", "MB (PSS)", side, bytes === undefined ? undefined : bytes / 1e6);
  }
  // The first round is warm-up.
  for (let round = -1; round < rounds; round++) {
    for (const { side, bed } of pairs) {
      const argv = [...side.command("salt"), "-c", bed.config("master"), MINION, "test.ping"];
      const { code, stdout, stderr, ms } = await runCommand(argv);
      if (code !== 0 || stdout !== `${MINION}:\n    True\n`) {
        throw new Error(`${argv.join(" ")}: exit ${code}\n${stdout}${stderr}`);
      }
      if (round >= 0) costs.add("salt m1 test.ping, whole process", "ms", side, ms);
    }
  }
}

async function states(costs: Costs, sides: readonly Side[], rounds: number): Promise<void> {
  const folder = bedDirectory("states");
  try {
    const trees = sides.map((side, at) => ({ side, config: writeTree(path.join(folder, String(at))) }));
    for (const part of ["one", "files"] as const) {
      const { name, words } = PARTS[part]!;
      for (let round = -1; round < rounds; round++) {
        for (const { side, config } of trees) {
          const { ms, cpuMs } = await runOnce(side, config, words);
          if (round < 0) continue;
          costs.add(name, "ms", side, ms);
          costs.add(`${name}: processor time`, "ms", side, cpuMs);
        }
      }
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function masters(
  costs: Costs,
  sides: readonly Side[],
  rounds: number,
  say: (line: string) => void,
): Promise<void> {
  for (let round = 0; round < rounds; round++) {
    for (const side of sides) {
      say(`quick: master, round ${round + 1} of ${rounds}, ${side.name}`);
      const { cpuMs, authCpuMs } = await measureMaster(side, MINIONS, JOBS);
      costs.add("processor time of the master for a return", "ms", side, cpuMs);
      costs.add("processor time of the master for a sign-in", "ms", side, authCpuMs);
    }
    for (const side of sides) {
      const { cpuMs } = (await measureHighstates(side, HIGHSTATES, 2))[1]!;
      const each = cpuMs === undefined ? undefined : cpuMs / HIGHSTATES;
      costs.add("processor time of the master for a highstate", "ms", side, each);
    }
  }
}

export async function run(options: QuickBenchOptions = {}): Promise<Row[]> {
  const { quick = false, say = () => {}, rounds = quick ? 3 : 7 } = options;
  const real = realSalt();
  if (real === undefined || !existsSync(ONE_FILE)) {
    say(real === undefined ? NO_SALT : `${ONE_FILE} is not there: npm run compile`);
    return [];
  }
  buildBundle();
  const folder = mkdtempSync(path.join(tmpdir(), "brine-bench-runtime-"));
  const sides = [oneFile(folder), fromCopy(brine("node", "bundle"), folder), real];
  const costs = new Costs();
  try {
    const pairs = await startPairs(sides, say);
    try {
      say(`quick: ${rounds} pings`);
      await pings(costs, pairs, rounds);
    } finally {
      await Promise.all(pairs.map((pair) => pair.bed.stop()));
    }
    say(`quick: states, ${rounds} rounds`);
    await states(costs, sides, rounds);
    const turns = Math.ceil(rounds / 4);
    await masters(costs, sides, turns, say);
    return costs.rows(real);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

if (import.meta.main) {
  await runProgram({ rounds: "number" }, async (options) => {
    const rows = await run(options);
    if (rows.length > 0) console.log(`${quickTable(rows)}\n`);
    return rows;
  });
}
