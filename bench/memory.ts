/**
 * Question: how much memory do an idle master and an idle minion take?
 *
 * Control row: real Salt 3006's master (with its default of five workers) and minion, in the same run. The figure is the
 * proportional set size (`/proc/PID/smaps_rollup`) of all processes of the daemon, some seconds after the minion has
 * signed in and answered. Pages of the runtime's own file that several processes map are divided among them; so that
 * other processes do not make the figure smaller, each runtime is run from a copy of its file.
 *
 * Run: node bench/memory.ts [--rounds 3] [--runtimes node,bun,deno] [--json]
 */
import { mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { installed, type RuntimeName } from "./bed/runtimes.ts";
import { brine, buildBundle, fromCopy, NO_SALT, realSalt } from "./bed/sides.ts";
import { pause } from "./bed/until.ts";
import { startPair } from "./pair.ts";
import { runProgram } from "./program.ts";
import { type BenchOptions, median, rounded, type Row } from "./rows.ts";

export interface MemoryBenchOptions extends BenchOptions {
  /** @default 3 */
  rounds?: number;
  runtimes?: readonly RuntimeName[];
  /** Leave out real Salt. */
  alone?: boolean;
}

const IDLE_MS = 5000;

export async function run(options: MemoryBenchOptions = {}): Promise<Row[]> {
  const { quick = false, say = () => {}, rounds = quick ? 1 : 3 } = options;
  buildBundle();
  const real = options.alone ? undefined : realSalt();
  if (real === undefined && !options.alone) say(NO_SALT);
  const ours = installed(options.runtimes).flatMap((runtime) => [brine(runtime, "bundle"), brine(runtime, "source")]);
  const sides = real === undefined ? ours : [...ours, real];
  const found = new Map(sides.map((side) => [side, { master: [] as number[], minion: [] as number[] }]));
  for (let round = 0; round < rounds; round++) {
    for (const side of sides) {
      say(`memory: round ${round + 1} of ${rounds}, ${side.name}`);
      const folder = mkdtempSync(path.join(tmpdir(), "brine-bench-runtime-"));
      await using _copy = { [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) };
      await using pair = await startPair(fromCopy(side, folder));
      await pause(IDLE_MS);
      const { master, minion } = { master: pair.master.pss(), minion: pair.minion.pss() };
      if (master === undefined || minion === undefined) {
        say("memory: this system does not tell the proportional set size");
        return [];
      }
      found.get(side)!.master.push(master);
      found.get(side)!.minion.push(minion);
    }
  }
  return (["master", "minion"] as const).flatMap((daemon) =>
    sides.map((side) => {
      const value = median(found.get(side)![daemon]);
      return {
        name: `idle ${daemon}`,
        value: rounded(value / 1e6),
        unit: "MB (PSS)",
        note: side.name,
        ...(real === undefined || side === real ? {} : { ratio: rounded(median(found.get(real)![daemon]) / value) }),
      };
    })
  );
}

if (import.meta.main) {
  await runProgram({ rounds: "number", alone: "flag" }, run);
}
