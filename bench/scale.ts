/**
 * Question: what do a sign-in, a return and a connected minion cost a master as the fleet grows, from 100 to 10,000 minions? Linear or
 * better means that none of them costs more with more minions.
 *
 * Control row: real Salt 3006's master, as far as `--real-minions` says, under the same swarm (`swarm.ts`) and asked by the same
 * client. `ratio` is the cost for the smallest fleet divided by that for this one: below 1 it costs more. Processor time
 * does not depend on how busy the machine is.
 *
 * Run: node bench/scale.ts [--sizes 100,300,1000,3000,10000] [--real-minions 1000] [--runtimes node,bun,deno] [--json] [--raw FILE]
 */
import { installed, type RuntimeName } from "./bed/runtimes.ts";
import { brine, buildBundle, type Form, NO_SALT, realSalt } from "./bed/sides.ts";
import { fleetRows, measureFleet } from "./fleet.ts";
import { runProgram } from "./program.ts";
import { type BenchOptions, rounded, type Row } from "./rows.ts";

export interface ScaleOptions extends BenchOptions {
  sizes?: readonly number[];
  /** The largest fleet for real Salt. @default 1000 */
  realMinions?: number;
  runtimes?: readonly RuntimeName[];
  form?: Form;
  /** Leave out real Salt. */
  alone?: boolean;
}

/** Returns that are measured for each fleet, so that small ones are not lost in the ticks of the clock. */
const RETURNS = 10_000;
/** At real Salt, of which each costs many times more. */
const REAL_RETURNS = 2000;

/** The smallest fleet whose memory says something. */
const LEAST_FOR_MEMORY = 3000;

/** The names of the three costs, in the order of {@link run}. */
export const COSTS = ["scale: a sign-in", "scale: a return", "scale: a connected minion"] as const;

export async function run(options: ScaleOptions = {}): Promise<Row[]> {
  const { quick = false, say = () => {}, form = "bundle", realMinions = quick ? 300 : 1000 } = options;
  const { sizes = quick ? [100, 300, 1000] : [100, 300, 1000, 3000, 10_000] } = options;
  if (form === "bundle") buildBundle();
  const sides = installed(options.runtimes).map((runtime) => brine(runtime, form));
  const real = options.alone ? undefined : realSalt();
  if (real !== undefined) sides.push(real);
  else if (!options.alone) say(NO_SALT);
  const rows: Row[] = [];
  for (const side of sides) {
    const first = new Map<string, number>();
    for (const minions of sizes) {
      if (side === real && minions > realMinions) continue;
      say(`scale: ${side.name}, ${minions} minions`);
      const jobs = Math.max(3, Math.ceil((side === real ? REAL_RETURNS : RETURNS) / minions));
      const one = await measureFleet(side, { minions, jobs });
      say(`  ${JSON.stringify(one)}`);
      const grown = one.after === undefined || one.before === undefined ? undefined : one.after - one.before;
      const costs = [
        [COSTS[0], one.signInCpuMs, "ms"],
        [COSTS[1], one.returnCpuMs === undefined ? undefined : one.returnCpuMs * 1000, "µs"],
        [COSTS[2], grown === undefined ? undefined : grown / minions / 1000, "kB"],
      ] as const;
      for (const [name, value, unit] of costs) {
        // Of a small fleet, the growth is less than what the heap of a runtime grows and shrinks by itself.
        if (value === undefined || name === COSTS[2] && minions < LEAST_FOR_MEMORY) continue;
        const smallest = first.get(name) ?? value;
        first.set(name, smallest);
        rows.push({
          name,
          note: `${side.name}, ${minions} minions`,
          value: rounded(value),
          unit,
          ratio: rounded(smallest / value),
        });
      }
      if (minions === Math.max(...sizes) || side === real) {
        rows.push(...fleetRows(`${side.name}, ${minions} minions`, [one]));
      }
    }
  }
  return rows;
}

if (import.meta.main) {
  await runProgram(
    { sizes: "text", "real-minions": "number", alone: "flag", source: "flag" },
    ({ source, sizes, "real-minions": realMinions, ...options }) =>
      run({
        ...options,
        ...(sizes === undefined ? {} : { sizes: sizes.split(",").map(Number) }),
        ...(realMinions === undefined ? {} : { realMinions }),
        form: source ? "source" : "bundle",
      }),
  );
}
