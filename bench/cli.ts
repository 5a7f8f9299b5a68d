/**
 * Question: how long does an operator wait for `salt m1 test.ping`, from the start of the process to its end?
 *
 * Control rows: real Salt 3006's `salt` with its own master and minion, in the same run; and the runtime alone, which
 * runs an empty program: the lower bound for Brine. Each Brine client talks to a Brine master and minion on the same
 * runtime. The programs take turns, so that other load affects all of them; each figure is the median.
 *
 * Run: node bench/cli.ts [--rounds 25] [--runtimes node,bun,deno] [--json]
 */
import { writeFileSync } from "node:fs";
import { runCommand } from "./bed/run_command.ts";
import { installed, runtimeCommand, type RuntimeName } from "./bed/runtimes.ts";
import { brine, buildBundle, type Form, NO_SALT, realSalt } from "./bed/sides.ts";
import { MINION, startPairs } from "./pair.ts";
import { runProgram } from "./program.ts";
import { type BenchOptions, median, rounded, type Row } from "./rows.ts";

export interface CliBenchOptions extends BenchOptions {
  /** @default 25 */
  rounds?: number;
  runtimes?: readonly RuntimeName[];
  /** Leave out real Salt. */
  alone?: boolean;
}

interface Entry {
  note: string;
  argv: string[];
  /** The output of a successful run. */
  expect: string;
  times: number[];
  control?: boolean;
}

export async function run(options: CliBenchOptions = {}): Promise<Row[]> {
  const { quick = false, say = () => {}, rounds = quick ? 5 : 25 } = options;
  buildBundle();
  const runtimes = installed(options.runtimes);
  const real = options.alone ? undefined : realSalt();
  if (real === undefined && !options.alone) say(NO_SALT);
  const sides = runtimes.map((runtime) => brine(runtime, "bundle"));
  const pairs = await startPairs(real === undefined ? sides : [...sides, real], say);
  const entries: Entry[] = [];
  try {
    const expect = `${MINION}:\n    True\n`;
    for (const { side, bed } of pairs) {
      const words = ["-c", bed.config("master"), MINION, "test.ping"];
      if (side.runtime === undefined) {
        entries.push({ note: side.name, argv: [...side.command("salt"), ...words], expect, times: [], control: true });
        continue;
      }
      for (const form of ["bundle", "source"] as const satisfies Form[]) {
        const argv = [...brine(side.runtime, form).command("salt"), ...words];
        entries.push({ note: `${side.runtime}, ${form}`, argv, expect, times: [] });
      }
      const empty = bed.path("empty.mjs");
      writeFileSync(empty, "");
      entries.push({
        note: `${side.runtime}, an empty program`,
        argv: [...runtimeCommand(side.runtime)!, empty],
        expect: "",
        times: [],
      });
    }
    say(`cli: ${rounds} rounds`);
    // The first round is warm-up: it fills the compile caches that later starts use.
    for (let round = -1; round < rounds; round++) {
      for (const entry of entries) {
        const { code, stdout, stderr, ms } = await runCommand(entry.argv);
        if (code !== 0 || stdout !== entry.expect) {
          throw new Error(`${entry.argv.join(" ")}: exit ${code}\n${stdout}${stderr}`);
        }
        if (round >= 0) entry.times.push(ms);
      }
    }
  } finally {
    await Promise.all(pairs.map((pair) => pair.bed.stop()));
  }
  const control = entries.find((entry) => entry.control);
  return entries.map(({ note, times, expect, control: isControl }) => ({
    name: "salt m1 test.ping, whole process",
    value: rounded(median(times)),
    unit: "ms",
    note,
    ...(control === undefined || isControl || expect === ""
      ? {}
      : { ratio: rounded(median(control.times) / median(times)) }),
  }));
}

if (import.meta.main) {
  await runProgram({ rounds: "number", alone: "flag" }, run);
}
