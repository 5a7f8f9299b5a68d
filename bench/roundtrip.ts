/**
 * Question: how long does one `test.ping` of one minion take for a program that keeps its client open?
 *
 * Control row: Python's `salt.client.LocalClient.cmd` in a loop, with real Salt 3006's master and minion, in the same run.
 * Brine is measured with `LocalClient.run` on the named runtime, with master and minion on the same one. The clients take turns; each
 * figure is the median over the jobs of all rounds.
 *
 * Run: node bench/roundtrip.ts [--rounds 5] [--runtimes node,bun,deno] [--json]
 */
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { LocalClient } from "../src/client/local_client.ts";
import { silentLogger } from "../src/base/log.ts";
import { currentRuntime } from "../src/runtime/current.ts";
import { runCommand } from "./bed/run_command.ts";
import { installed, runtimeCommand, type RuntimeName } from "./bed/runtimes.ts";
import { brine, buildBundle, NO_SALT, realSalt, saltPython } from "./bed/sides.ts";
import { MINION, type Pair, startPairs } from "./pair.ts";
import { runProgram } from "./program.ts";
import { type BenchOptions, median, rounded, type Row } from "./rows.ts";

export interface RoundtripBenchOptions extends BenchOptions {
  /** @default 5 */
  rounds?: number;
  runtimes?: readonly RuntimeName[];
  /** Leave out real Salt. */
  alone?: boolean;
}

/** Runs as a client: runs jobs and prints their times in milliseconds. */
async function client(opts: string, warm: number, jobs: number): Promise<void> {
  await using local = await LocalClient.open({
    runtime: await currentRuntime(),
    log: silentLogger,
    opts: JSON.parse(opts),
  });
  const times: number[] = [];
  for (let job = 0; job < warm + jobs; job++) {
    const start = performance.now();
    const answers = await local.command({ tgt: MINION, fun: "test.ping" });
    if (answers[MINION] !== true) throw new Error(`The minion has answered ${JSON.stringify(answers)}`);
    if (job >= warm) times.push(performance.now() - start);
  }
  console.log(JSON.stringify(times));
}

const PYTHON = `
import json, sys, time
import salt.client
config, minion, warm, jobs = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
client = salt.client.LocalClient(c_path=config)
times = []
for job in range(warm + jobs):
    start = time.perf_counter()
    assert client.cmd(minion, "test.ping") == {minion: True}
    if job >= warm:
        times.append((time.perf_counter() - start) * 1000)
print(json.dumps(times))
`;

function commandOf({ side, bed }: Pair, quick: boolean): string[] {
  if (side.runtime === undefined) {
    const config = `${bed.config("master")}/master`;
    return [saltPython(), "-c", PYTHON, config, MINION, "3", quick ? "5" : "20"];
  }
  const self = fileURLToPath(import.meta.url);
  const opts = JSON.stringify(bed.clientOptions);
  return [...runtimeCommand(side.runtime)!, self, "--client", opts, "--warm", "100", "--jobs", quick ? "50" : "300"];
}

export async function run(options: RoundtripBenchOptions = {}): Promise<Row[]> {
  const { quick = false, say = () => {}, rounds = quick ? 1 : 5 } = options;
  buildBundle();
  const real = options.alone ? undefined : realSalt();
  if (real === undefined && !options.alone) say(NO_SALT);
  const sides = installed(options.runtimes).map((runtime) => brine(runtime, "bundle"));
  const pairs = await startPairs(real === undefined ? sides : [...sides, real], say);
  const found = new Map<Pair, number[]>(pairs.map((pair) => [pair, []]));
  try {
    for (let round = 0; round < rounds; round++) {
      say(`roundtrip: round ${round + 1} of ${rounds}`);
      for (const pair of pairs) {
        const { code, stdout, stderr } = await runCommand(commandOf(pair, quick));
        if (code !== 0) throw new Error(`${pair.side.name}: exit ${code}\n${stderr}`);
        found.get(pair)!.push(...JSON.parse(stdout.trim().split("\n").at(-1)!) as number[]);
      }
    }
  } finally {
    await Promise.all(pairs.map((pair) => pair.bed.stop()));
  }
  const control = pairs.find(({ side }) => side === real);
  return pairs.map((pair) => ({
    name: "test.ping through an open client",
    value: rounded(median(found.get(pair)!)),
    unit: "ms",
    note: pair.side.runtime ?? pair.side.name,
    ...(control === undefined || pair === control
      ? {}
      : { ratio: rounded(median(found.get(control)!) / median(found.get(pair)!)) }),
  }));
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      client: { type: "string" },
      warm: { type: "string", default: "0" },
      jobs: { type: "string", default: "1" },
    },
    strict: false,
  });
  if (typeof values.client === "string") await client(values.client, Number(values.warm), Number(values.jobs));
  else await runProgram({ rounds: "number", alone: "flag" }, run);
}
