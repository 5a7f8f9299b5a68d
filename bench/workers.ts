/**
 * Question: do pings wait while a thousand minions refresh a heavy pillar, of about 40 ms of processor time each? And how many such pillars
 * does a master make a second?
 *
 * The pillar is eight files of the same five hundred names, laid over each other: long to read, and small in the end. Pings are jobs
 * of one minion of the master, over an open client: first beside an idle master, then while the swarm (`swarm.ts`) asks for its pillar.
 *
 * Control rows: a bare relay (`relay.ts`) in the positions of master and minion, whose messages take turns with the pings: what the
 * system itself takes longer while the cores are busy. The same master with `worker_threads: 0`, which compiles in its own process, and real Salt 3006 with its five workers.
 * All on the same cores, the load generator as well.
 *
 * Run: node bench/workers.ts [--minions 1000] [--seconds 20] [--workers 1,2,5] [--runtimes node,bun,deno] [--json]
 */
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { LocalClient } from "../src/client/local_client.ts";
import { silentLogger } from "../src/base/log.ts";
import { nodeRuntime } from "../src/runtime/node/node_runtime.ts";
import type { Daemon } from "./bed/daemon.ts";
import { bedDirectory } from "./bed/daemon_directory.ts";
import { installed, ROOT, runtimeCommand, type RuntimeName } from "./bed/runtimes.ts";
import { brine, buildBundle, NO_SALT, realSalt, type Side } from "./bed/sides.ts";
import { MINION, type Pair, startPair } from "./pair.ts";
import { runProgram } from "./program.ts";
import { type Relay, startRelay } from "./relay.ts";
import { type BenchOptions, rounded, type Row } from "./rows.ts";
import type { SwarmEvent } from "./swarm/event.ts";

export interface WorkersBenchOptions extends BenchOptions {
  /** @default 1000 */
  minions?: number;
  /** For how long pings are sent beside the load. @default 20 */
  seconds?: number;
  /** Numbers of request workers, separated by commas. @default the default */
  workers?: string;
  runtimes?: readonly RuntimeName[];
  /** Leave out real Salt. */
  alone?: boolean;
}

const FILES = 8;
const NAMES = 500;
/** Pings beside the idle master. */
const PINGS = 400;

function writeTree(directory: string): void {
  mkdirSync(directory, { recursive: true });
  const files = Array.from({ length: FILES }, (_, at) => `heavy_${at}`);
  const top = { base: { "swarm*": files, [MINION]: ["light"] } };
  writeFileSync(path.join(directory, "top.sls"), JSON.stringify(top));
  writeFileSync(path.join(directory, "light.sls"), "light: true\n");
  for (const [at, name] of files.entries()) {
    const lines = Array.from(
      { length: NAMES },
      (_, index) => `  name_${index}:\n    value: text ${index} of ${at}\n    on: true\n`,
    );
    writeFileSync(path.join(directory, `${name}.sls`), `heavy:\n${lines.join("")}`);
  }
}

const percentile = (values: readonly number[], share: number) =>
  [...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))]!;

/** Milliseconds of pings, and of as many messages by the bare relay. */
interface Times {
  pings: number[];
  relayed: number[];
}

/** Pings and relayed messages in turns, one after the other, while `more` says so. */
async function pings(client: LocalClient, relay: Relay, more: (count: number) => boolean): Promise<Times> {
  const times: Times = { pings: [], relayed: [] };
  while (more(times.pings.length)) {
    const start = performance.now();
    await client.command({ tgt: MINION, fun: "test.ping" }, { timeoutMs: 60_000 });
    // One without an answer was at least as slow as that.
    const pinged = performance.now();
    times.pings.push(pinged - start);
    await relay.send();
    times.relayed.push(performance.now() - pinged);
  }
  return times;
}

async function swarmEvent(swarm: Daemon, name: SwarmEvent["event"]): Promise<SwarmEvent> {
  for (;;) {
    const event = JSON.parse(await swarm.line()) as SwarmEvent;
    if (event.event === name) return event;
  }
}

function startSwarm({ bed }: Pair, minions: number, rounds: number): Daemon {
  const runtime = runtimeCommand("bun") ?? runtimeCommand("node") ?? [process.execPath];
  const words = ["--minions", `${minions}`, "--master", `127.0.0.1:${bed.requestPort}`, "--pillar", `${rounds}`];
  return bed.run([...runtime, `${ROOT}/bench/swarm.ts`, "--json", ...words]);
}

interface Measured {
  idle: Times;
  loaded: Times;
  perSecond: number;
  idleMemory: number | undefined;
}

async function measure(
  side: Side,
  options: { minions: number; seconds: number; few: number },
  more: object,
): Promise<Measured> {
  const { minions, seconds, few } = options;
  const tree = bedDirectory("workers");
  writeTree(tree);
  using _tree = { [Symbol.dispose]: () => rmSync(tree, { recursive: true, force: true }) };
  await using pair = await startPair(side, {}, { pillar_roots: { base: [tree] }, ...more });
  await using client = await LocalClient.open({
    runtime: nodeRuntime(),
    log: silentLogger,
    opts: pair.bed.clientOptions,
  });
  await using relay = await startRelay(pair.bed, tree);
  await pings(client, relay, (count) => count < PINGS / 4);
  const idle = await pings(client, relay, (count) => count < PINGS);
  const idleMemory = pair.master.pss();
  const small = startSwarm(pair, few, 2);
  await swarmEvent(small, "pillar");
  const round = await swarmEvent(small, "pillar") as Extract<SwarmEvent, { event: "pillar" }>;
  await small.stop();
  if (round.failed > 0) throw new Error(`${side.name}: ${round.failed} pillars failed`);
  const swarm = startSwarm(pair, minions, 100);
  await swarmEvent(swarm, "authenticated");
  // From the first burst of requests on.
  const until = performance.now() + seconds * 1000;
  const loaded = await pings(client, relay, () => performance.now() < until);
  await swarm.stop();
  return { idle, loaded, perSecond: few / round.ms * 1000, idleMemory };
}

export async function run(options: WorkersBenchOptions = {}): Promise<Row[]> {
  const { quick = false, say = () => {}, workers } = options;
  const { minions = quick ? 200 : 1000, seconds = quick ? 5 : 20 } = options;
  buildBundle();
  const real = options.alone ? undefined : realSalt();
  if (real === undefined && !options.alone) say(NO_SALT);
  const sides: { side: Side; name: string; more: object }[] = installed(options.runtimes).flatMap((runtime) => {
    const side = brine(runtime, "bundle");
    const counts = [...workers === undefined ? [undefined] : workers.split(",").map(Number), 0];
    return counts.map((count) => ({
      side,
      name: count === undefined ? side.name : `${side.name}, worker_threads: ${count}`,
      more: count === undefined ? {} : { worker_threads: count },
    }));
  });
  if (real !== undefined) sides.push({ side: real, name: real.name, more: {} });
  const rows: Row[] = [];
  for (const { side, name, more } of sides) {
    say(`workers: ${name}`);
    const { idle, loaded, perSecond, idleMemory } = await measure(side, { minions, seconds, few: 40 }, more);
    const row = (what: string, value: number, unit: string, ratio?: number) =>
      rows.push({
        name: what,
        value: rounded(value),
        unit,
        note: name,
        ...(ratio === undefined ? {} : { ratio: rounded(ratio) }),
      });
    const [before, beside] = [percentile(idle.pings, 0.99), percentile(loaded.pings, 0.99)];
    const [bareBefore, bareBeside] = [percentile(idle.relayed, 0.99), percentile(loaded.relayed, 0.99)];
    row("ping beside an idle master, median", percentile(idle.pings, 0.5), "ms");
    row("ping beside an idle master, p99", before, "ms");
    row(`ping while ${minions} minions refresh a heavy pillar, median`, percentile(loaded.pings, 0.5), "ms");
    row(`ping while ${minions} minions refresh a heavy pillar, p99`, beside, "ms", before / beside);
    row("bare relay beside an idle master, p99", bareBefore, "ms");
    row(`bare relay while ${minions} minions refresh a heavy pillar, p99`, bareBeside, "ms", bareBefore / bareBeside);
    row("pings in that time", loaded.pings.length, "pings");
    row("heavy pillars", perSecond, "pillars/s");
    say(
      `workers: ${name}: p99 ${rounded(before)} ms idle, ${rounded(beside)} ms loaded, ${rounded(perSecond)} pillars/s`,
    );
    if (idleMemory !== undefined) row("memory of the idle master with its processes", idleMemory / 1e6, "MB (PSS)");
  }
  return rows;
}

if (import.meta.main) {
  await runProgram({ minions: "number", seconds: "number", workers: "text", alone: "flag" }, run);
}
