/**
 * Question: how long does a minion take from the start of its process to its first answered `test.ping`?
 *
 * Control row: real Salt 3006's minion with real Salt's master, in the same run. The master runs and has accepted the key, and
 * the minion has been started before, so that keys, grains and compiled code of a first start are cached. The time starts
 * just before the process is started. From then on a ping is published every 50 ms, so that a master that does not keep jobs
 * for absent minions loses no more than that; the first answered ping stops the time. The minion has ended before the next
 * round.
 *
 * Run: node bench/start.ts [--rounds 7] [--runtimes node,bun,deno] [--json] [--quick]
 */
import { rmSync } from "node:fs";
import { LocalClient } from "../src/client/local_client.ts";
import { silentLogger } from "../src/base/log.ts";
import { nodeRuntime } from "../src/runtime/node/node_runtime.ts";
import { installed, type RuntimeName } from "./bed/runtimes.ts";
import { brine, buildBundle, NO_SALT, realSalt, type Side } from "./bed/sides.ts";
import { pause } from "./bed/until.ts";
import { MINION, type Pair, startPair } from "./pair.ts";
import { runProgram } from "./program.ts";
import { type BenchOptions, median, rounded, type Row } from "./rows.ts";

export interface StartBenchOptions extends BenchOptions {
  /** @default 7, quick 3 */
  rounds?: number;
  runtimes?: readonly RuntimeName[];
}

/** Between two pings. */
const EVERY_MS = 50;
const LIMIT_MS = 60_000;

async function startOnce(pair: Pair): Promise<number> {
  await using client = await LocalClient.open({
    runtime: nodeRuntime(),
    log: silentLogger,
    opts: pair.bed.clientOptions,
  });
  // Real Salt's minion ends at once if these name a process, even a zombie.
  for (const name of ["pid", "process_responsibility_pid"]) {
    rmSync(pair.bed.path(MINION, "run", name), { force: true });
  }
  const began = performance.now();
  pair.minion = pair.bed.startMinion(pair.side, MINION);
  let answered: number | undefined;
  const pings: Promise<void>[] = [];
  while (answered === undefined) {
    if (pair.minion.ended !== undefined) throw new Error(`Ended (${pair.minion.ended}):\n${pair.minion.tail()}`);
    if (performance.now() - began > LIMIT_MS) throw new Error(`No answer within ${LIMIT_MS} ms: ${pair.side.name}`);
    pings.push((async () => {
      const job = client.command({ tgt: MINION, fun: "test.ping" }, { timeoutMs: LIMIT_MS, gatherMs: 500 });
      if ((await job)[MINION] === true) answered ??= performance.now() - began;
    })());
    await Promise.race([pause(EVERY_MS), ...pings]);
  }
  return answered;
}

export async function run(options: StartBenchOptions = {}): Promise<Row[]> {
  const { quick = false, say = () => {}, rounds = quick ? 3 : 7 } = options;
  buildBundle();
  const real = realSalt();
  if (real === undefined) say(NO_SALT);
  const ours = installed(options.runtimes).map((runtime) => brine(runtime, "bundle"));
  const sides = real === undefined ? ours : [...ours, real];
  const times = new Map<Side, number[]>(sides.map((side) => [side, []]));
  const pairs: Pair[] = [];
  try {
    for (const side of sides) {
      say(`start: preparing ${side.name}`);
      pairs.push(await startPair(side));
      await pairs.at(-1)!.minion.stop();
    }
    for (let round = 0; round <= rounds; round++) {
      for (const pair of pairs) {
        say(`start: round ${round} of ${rounds}, ${pair.side.name}`);
        const ms = await startOnce(pair);
        // The first round is dropped: its files are not cached yet.
        if (round > 0) times.get(pair.side)!.push(ms);
        await pair.minion.stop();
      }
    }
  } finally {
    await Promise.all(pairs.map((pair) => pair.bed.stop()));
  }
  return sides.map((side): Row => ({
    name: "minion start to first answered test.ping",
    value: rounded(median(times.get(side)!)),
    unit: "ms",
    note: side.name,
    ...(real === undefined || side === real ? {} : { ratio: median(times.get(real)!) / median(times.get(side)!) }),
  }));
}

if (import.meta.main) {
  await runProgram({ rounds: "number" }, run);
}
