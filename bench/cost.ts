/**
 * Question: what does a return cost a master in processor time, and how much of that could nobody do without?
 *
 * Control: the parts that every master has, each alone on the same runtime and in turns with it: sockets, cipher and MAC, msgpack,
 * SQLite with its share of syncs, one event to one subscriber (`cost_parts.ts`). `ratio` of the row of a runtime is how many
 * times the sum of these its master takes: 1 would be a master that does nothing else. The master's time has all of its
 * threads and processes in it, collections of garbage and its share of publications included.
 *
 * Run: node bench/cost.ts [--minions 500] [--jobs 40] [--rounds 3] [--runtimes node,bun,deno] [--flags "…"] [--json]
 */
import { runOn } from "./bed/run_on.ts";
import { installed, ROOT, type RuntimeName } from "./bed/runtimes.ts";
import { brine, buildBundle, type Side } from "./bed/sides.ts";
import { measureMaster } from "./master.ts";
import { runProgram } from "./program.ts";
import { type BenchOptions, median, rounded, type Row } from "./rows.ts";

export interface CostOptions extends BenchOptions {
  /** @default 500 */
  minions?: number;
  /** @default 40 */
  jobs?: number;
  /** @default 3 */
  rounds?: number;
  runtimes?: readonly RuntimeName[];
  /** Flags for the runtime of the masters, behind those of daemons. */
  flags?: readonly string[];
}

/** Jobs before those that are measured: a runtime compiles what it has run often, in threads of the same process. */
const WARM_UP = 30;

const PARTS = ["sockets", "crypto", "msgpack", "sqlite", "events"] as const;
type Parts = Record<(typeof PARTS)[number], number>;

/** The same side with flags of its runtime behind its own. */
function flagged(side: Side, flags: readonly string[]): Side {
  if (flags.length === 0) return side;
  return { ...side, command: (program) => side.command(program).toSpliced(-1, 0, ...flags) };
}

export async function run(options: CostOptions = {}): Promise<Row[]> {
  const { quick = false, say = () => {}, minions = 500, flags = [] } = options;
  const { jobs = quick ? 20 : 40, rounds = quick ? 1 : 3 } = options;
  buildBundle();
  const rows: Row[] = [];
  for (const runtime of installed(options.runtimes)) {
    const masters: number[] = [];
    const parts: Parts[] = [];
    for (let round = 0; round < rounds; round++) {
      say(`cost: round ${round + 1} of ${rounds}, ${runtime}`);
      parts.push(runOn(runtime, `${ROOT}/bench/cost_parts.ts`, []) as Parts);
      const { cpuMs } = await measureMaster(flagged(brine(runtime, "bundle"), flags), minions, jobs, 0, {}, {
        warmUp: WARM_UP,
      });
      if (cpuMs !== undefined) masters.push(cpuMs * 1000);
    }
    const unit = "µs/return";
    const found = PARTS.map((name): Row => ({
      name: `  ${name}`,
      value: rounded(median(parts.map((one) => one[name]))),
      unit,
      note: runtime,
    }));
    const sum = found.reduce((total, { value }) => total + value, 0);
    if (masters.length === 0) continue;
    const value = median(masters);
    rows.push({ name: "a master", value: rounded(value), unit, note: runtime, ratio: rounded(value / sum) });
    rows.push({ name: "the parts alone", value: rounded(sum), unit, note: runtime }, ...found);
  }
  return rows;
}

if (import.meta.main) {
  await runProgram(
    { minions: "number", jobs: "number", rounds: "number", flags: "text" },
    ({ flags, ...options }) => run({ ...options, ...(flags === undefined ? {} : { flags: flags.split(" ") }) }),
  );
}
