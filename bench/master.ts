/**
 * Question: how many authentications and returns a second does a master process from a thousand minions at once,
 * and how long does `'*' test.ping` take?
 *
 * Control row: real Salt 3006's master with its defaults, under the same swarm (`swarm.ts`) and asked by the same client
 * (that of Brine, which works with both), in the same run. Masters take turns; each figure is the median of the rounds. The
 * swarm and the client run on the same machine as the master: with two cores, three busy processes share them.
 *
 * Run: node bench/master.ts [--minions 1000] [--jobs 20] [--rounds 3] [--bits 2048] [--returns 100000] [--runtimes node,bun,deno] [--json]
 * `--quick --returns 30000` is a short look at the remaining memory.
 */
import process from "node:process";
import { LocalClient } from "../src/client/local_client.ts";
import { silentLogger } from "../src/base/log.ts";
import { nodeRuntime } from "../src/runtime/node/node_runtime.ts";
import { Bed } from "./bed/bed.ts";
import type { Daemon } from "./bed/daemon.ts";
import { installed, ROOT, runtimeCommand, type RuntimeName } from "./bed/runtimes.ts";
import { brine, buildBundle, NO_SALT, realSalt, type Side, withFlags } from "./bed/sides.ts";
import { pause } from "./bed/until.ts";
import { runProgram } from "./program.ts";
import { type BenchOptions, median, rounded, type Row } from "./rows.ts";
import type { SwarmEvent } from "./swarm/event.ts";

export interface MasterBenchOptions extends BenchOptions {
  /** @default 1000 */
  minions?: number;
  /** Back to back, after two for warm-up. @default 20 */
  jobs?: number;
  /** @default 3 */
  rounds?: number;
  runtimes?: readonly RuntimeName[];
  /** Flags for the runtime of Brine masters, such as `--cpu-prof`. */
  flags?: readonly string[];
  /** @default "bundle" */
  form?: "source" | "bundle";
  /** Size of the keys of the master and the minions. @default 2048 */
  bits?: number;
  /** Leave out the control. */
  alone?: boolean;
  /** Returns after which the remaining memory is measured; given, `quick` measures it as well. @default 100000 */
  returns?: number;
}

export interface Measured {
  authsPerSecond: number;
  /** Processor time of the master for one sign-in, its connection included. */
  authCpuMs: number | undefined;
  pingMs: number;
  returnsPerSecond: number;
  /** Processor time of the master for one return, its share of the publication included. */
  cpuMs: number | undefined;
  /** Processor time of the swarm and of the client for one return: what they take the master cannot have. */
  aroundMs: number | undefined;
  /** Of pings of one more minion while jobs for all run back to back: the 99th of a hundred, and how many there were. */
  busyPing: { p99Ms: number; count: number } | undefined;
  /** Growth of the master from no minion to all of them, in bytes. */
  grown: number | undefined;
  /** Memory after that many returns and a rest, divided by that before them, with all minions connected. */
  rested: number | undefined;
}

/** See {@link MasterBenchOptions.returns}. */
const RETURNS = 100_000;
/** The rest of the master before its remaining memory is measured. */
const REST_MS = 60_000;

async function next<E extends SwarmEvent["event"]>(
  swarm: Daemon,
  event: E,
): Promise<Extract<SwarmEvent, { event: E }>> {
  for (;;) {
    const line = JSON.parse(await swarm.line()) as SwarmEvent;
    if (line.event === event) return line as Extract<SwarmEvent, { event: E }>;
  }
}

/** Processor time of this process so far, in milliseconds. */
function ownCpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** The swarm costs least on Bun; it is the same for every master. */
function swarmCommand(): string[] {
  return [...runtimeCommand("bun") ?? runtimeCommand("node") ?? [process.execPath], `${ROOT}/bench/swarm.ts`];
}

/** Starts a master and a swarm, and measures them. @param returns see {@link MasterBenchOptions}; 0: without @param more options of the master; `transport` and `ssl` are those of all @param how `warmUp`: jobs that are not measured; `pings`: one minion is pinged while all are */
export async function measureMaster(
  side: Side,
  minions: number,
  jobs: number,
  returns = 0,
  more: Record<string, unknown> = {},
  { warmUp = 2, pings = false }: { warmUp?: number; pings?: boolean } = {},
): Promise<Measured> {
  await using bed = new Bed();
  const master = await bed.startMaster(side, { timeout: 120, ...more });
  await pause(1500);
  const before = master.pss();
  const idleCpu = master.cpuMs();
  const swarmOf = (minions: number) =>
    bed.run([
      ...swarmCommand(),
      ...["--json", "--minions", String(minions), "--master", `127.0.0.1:${bed.requestPort}`],
      ...["--transport", JSON.stringify({ transport: more.transport, ssl: more.ssl })],
      ...["--bits", String(more.keysize ?? 2048)],
    ]);
  const swarm = swarmOf(minions);
  const { ms: authMs } = await next(swarm, "authenticated");
  const authCpu = master.cpuMs();
  await next(swarm, "listening");
  // The publisher learns of a subscription a moment after the subscriber has sent it. Memory is measured at rest with all
  // minions connected, so that each master has time to free what the sign-ins took.
  await pause(12_000);
  const after = master.pss();

  await using client = await LocalClient.open({
    runtime: nodeRuntime(),
    log: silentLogger,
    opts: { ...bed.clientOptions, ...more },
    requestTimeoutMs: 120_000,
  });
  const ping = async (): Promise<number> => {
    const start = performance.now();
    let returned = 0;
    const outcomes = client.run({ tgt: "*", fun: "test.ping" }, { timeoutMs: 120_000, gatherMs: 30_000 });
    for await (const outcome of outcomes) if (outcome.kind === "returned" && outcome.return === true) returned++;
    if (returned !== minions) throw new Error(`${side.name}: ${returned} of ${minions} minions have answered`);
    return performance.now() - start;
  };
  for (let warm = 0; warm < warmUp; warm++) await ping();
  const times: number[] = [];
  const cpuBefore = master.cpuMs();
  const around = (swarm.cpuMs() ?? NaN) + ownCpuMs();
  const start = performance.now();
  for (let job = 0; job < jobs; job++) times.push(await ping());
  const all = performance.now() - start;
  const cpuAfter = master.cpuMs();
  const aroundMs = ((swarm.cpuMs() ?? NaN) + ownCpuMs() - around) / (minions * jobs);
  let rested: number | undefined;
  if (returns > 0) {
    for (let done = (jobs + warmUp) * minions; done < returns; done += minions) await ping();
    await pause(REST_MS);
    rested = master.pss();
  }
  // Last: one minion more is there from then on.
  const busyPing = pings ? await pingWhileBusy(client, swarmOf) : undefined;
  // A profile is written as the process ends.
  await master.stop();
  return {
    authsPerSecond: minions / authMs * 1000,
    authCpuMs: idleCpu === undefined || authCpu === undefined ? undefined : (authCpu - idleCpu) / minions,
    pingMs: median(times),
    returnsPerSecond: minions * jobs / all * 1000,
    cpuMs: cpuBefore === undefined || cpuAfter === undefined ? undefined : (cpuAfter - cpuBefore) / (minions * jobs),
    grown: before === undefined || after === undefined ? undefined : after - before,
    aroundMs: Number.isNaN(aroundMs) ? undefined : aroundMs,
    busyPing,
    rested: rested === undefined || after === undefined ? undefined : rested / after,
  };
}

/** How long one minion is pinged while all are. */
const BUSY_MS = 20_000;

/**
 * Pings one minion again and again while jobs for all run back to back. It has a process of its own, as on a host of its own: one of
 * the swarm would wait for the other 999 to seal their returns, whatever the master does.
 */
async function pingWhileBusy(
  client: LocalClient,
  swarmOf: (minions: number) => Daemon,
): Promise<NonNullable<Measured["busyPing"]>> {
  await next(swarmOf(1), "listening");
  await pause(2000);
  const job = { timeoutMs: 120_000, gatherMs: 30_000 };
  const [alone] = await client.run({ tgt: ["swarm0"], fun: "test.ping" }, job).all();
  if (alone?.kind !== "returned") throw new Error(`swarm0 has not answered a ping: ${alone?.kind}`);
  const end = performance.now() + BUSY_MS;
  const isOver = () => performance.now() > end;
  const times: number[] = [];
  const busy = async () => {
    while (!isOver()) {
      for await (const { id, kind } of client.run({ tgt: "*", fun: "test.ping" }, job)) {
        if (kind !== "returned") throw new Error(`${id} has not answered a ping of all: ${kind}`);
      }
    }
  };
  const single = async () => {
    while (!isOver()) {
      const began = performance.now();
      const [outcome] = await client.run({ tgt: ["swarm0"], fun: "test.ping" }, job).all();
      if (outcome?.kind !== "returned") throw new Error(`swarm0 has not answered a ping: ${outcome?.kind}`);
      times.push(performance.now() - began);
      await pause(10);
    }
  };
  await Promise.all([busy(), single()]);
  times.sort((a, b) => a - b);
  return { p99Ms: times[Math.min(times.length - 1, Math.floor(times.length * 0.99))]!, count: times.length };
}

/** All masters, in turns. */
export async function run(options: MasterBenchOptions = {}): Promise<Row[]> {
  const { quick = false, say = () => {}, minions = quick ? 200 : 1000, form = "bundle" } = options;
  const { jobs = quick ? 5 : 20, rounds = quick ? 1 : 3, flags = [], bits = 2048 } = options;
  const { returns = quick ? 0 : RETURNS } = options;
  if (form === "bundle") buildBundle();
  const sides: Side[] = installed(options.runtimes).map((runtime) => brine(runtime, form));
  const real = options.alone ? undefined : realSalt();
  if (real !== undefined) sides.push(real);
  else if (!options.alone) say(NO_SALT);
  const measured = new Map<Side, Measured[]>(sides.map((side) => [side, []]));
  for (let round = 0; round < rounds; round++) {
    for (const side of sides) {
      say(`master: round ${round + 1} of ${rounds}, ${side.name}`);
      measured.get(side)!.push(
        await measureMaster(withFlags(side, flags), minions, jobs, round === 0 ? returns : 0, {
          keysize: bits,
        }, { pings: true }),
      );
    }
  }
  const rows: Row[] = [];
  const figure = (name: string, unit: string, pick: (one: Measured) => number | undefined, better: "more" | "less") => {
    const of = (side: Side) => {
      const found = measured.get(side)!.map(pick).filter((value) => value !== undefined);
      return found.length === 0 ? undefined : median(found);
    };
    const control = real === undefined ? undefined : of(real);
    for (const side of sides) {
      const value = of(side);
      if (value === undefined) continue;
      const ratio = control === undefined || side === real
        ? undefined
        : better === "more"
        ? value / control
        : control / value;
      rows.push({
        name,
        value: rounded(value),
        unit,
        note: side.name,
        ...(ratio === undefined ? {} : { ratio: rounded(ratio) }),
      });
    }
  };
  const with_ = `${minions} minions${bits === 2048 ? "" : ` with keys of ${bits} bits`}`;
  figure(`${with_} sign in`, "auth/s", (one) => one.authsPerSecond, "more");
  figure(`${with_}, processor time of the master`, "ms/sign-in", (one) => one.authCpuMs, "less");
  figure(`${with_}, '*' test.ping`, "ms", (one) => one.pingMs, "less");
  figure(`${with_}, ${jobs} such jobs in a row`, "returns/s", (one) => one.returnsPerSecond, "more");
  const micros = (one: Measured) => one.cpuMs === undefined ? undefined : one.cpuMs * 1000;
  figure(`${with_}, processor time of the master`, "µs/return", micros, "less");
  const around = (one: Measured) => one.aroundMs === undefined ? undefined : one.aroundMs * 1000;
  figure(`${with_}, processor time of swarm and client`, "µs/return", around, "less");
  figure(`${with_} pinged back to back: a ping of one of them, p99`, "ms", (one) => one.busyPing?.p99Ms, "less");
  figure(
    `${with_} connected, master grows`,
    "MB (PSS)",
    (one) => one.grown === undefined ? undefined : one.grown / 1e6,
    "less",
  );
  const kept = `${with_}, memory after ${returns} returns and a minute's rest`;
  figure(kept, "of before", (one) => one.rested, "less");
  return rows;
}

if (import.meta.main) {
  await runProgram(
    {
      minions: "number",
      jobs: "number",
      rounds: "number",
      bits: "number",
      returns: "number",
      quick: "flag",
      flags: "text",
      source: "flag",
      alone: "flag",
    },
    ({ flags, source, ...options }) =>
      run({
        ...options,
        ...(flags === undefined ? {} : { flags: flags.split(" ") }),
        form: source ? "source" : "bundle",
      }),
  );
}
