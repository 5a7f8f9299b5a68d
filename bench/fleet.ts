/**
 * Question: how does one master carry a fleet of 10,000 minions that stay: how long until all have signed in, how long does
 * `'*' test.ping` take, what does each cost it, and how much memory does it have? And with a mix of minions that are slow, flap, lie, replay,
 * stay silent, return too much or use wrong ids: do all others complete, and is no lie on record?
 *
 * Control row: real Salt 3006's master with fewer minions (`--real-minions`, 0 for none), under the same swarm and asked by the same client. The swarm
 * (`swarm.ts`, `--processes`) and the client run on the same machine. Processor time is that of all processes of the master.
 *
 * Run: node bench/fleet.ts [--minions 10000] [--processes 2] [--mix slow=5,…] [--seed 1] [--jobs 5] [--rounds 1] [--real-minions 1000] [--runtimes node,bun,deno] [--json]
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import path from "node:path";
import process from "node:process";
import { LocalClient } from "../src/client/local_client.ts";
import { silentLogger } from "../src/base/log.ts";
import { currentRuntime } from "../src/runtime/current.ts";
import { Bed } from "./bed/bed.ts";
import type { Daemon } from "./bed/daemon.ts";
import { installed, ROOT, runtimeCommand, type RuntimeName } from "./bed/runtimes.ts";
import { brine, buildBundle, type Form, realSalt, type Side, withFlags } from "./bed/sides.ts";
import { pause } from "./bed/until.ts";
import { runProgram } from "./program.ts";
import { type BenchOptions, median, rounded, type Row } from "./rows.ts";
import type { SwarmEvent } from "./swarm/event.ts";
import { LIE } from "./swarm/behaviours.ts";
import { type BehaviourName, behavioursOf, type Mix, parseMix, swarmId } from "./swarm/mix.ts";
import type { Deed } from "./swarm/tally.ts";

export interface FleetOptions {
  minions: number;
  /** @default 2 */
  processes?: number;
  /** @default none but honest ones */
  mix?: string;
  /** @default 1 */
  seed?: number;
  /** Pings in a row, after one for warm-up. @default 5 */
  jobs?: number;
  /** More options of the master. */
  opts?: Record<string, unknown>;
  /** Bytes of a huge return. @default 2000000 */
  huge?: number;
  /** Of slow and flapping minions, in milliseconds. @default 3000 */
  paceMs?: number;
  /** Runs the swarm. @default where it costs least: Bun */
  swarmRuntime?: RuntimeName;
  /** Milliseconds of rest before memory is measured. @default 12000 */
  restMs?: number;
  /** Silence of all minions before the client asks whether they still work, and for how long it waits for that. @default 10000, or 60000 where all are honest */
  silenceMs?: number;
}

/** How the minions of a behaviour ended, over all jobs: `returned`, `timed out`… → how many. */
export type Ends = Partial<Record<BehaviourName, Record<string, number>>>;

export interface FleetMeasured {
  /** Until the master has answered all, and until all listen for jobs. */
  signInMs: number;
  listeningMs: number;
  /** Processor time of the master for one sign-in, its connections included, in milliseconds. */
  signInCpuMs: number | undefined;
  /** Each ping's. */
  pingsMs: number[];
  /** Until the last return of an honest minion. */
  honestMs: number[];
  /** Processor time of the master for one return, in milliseconds. */
  returnCpuMs: number | undefined;
  /**
   * Processor time of master, swarm and client together for one ping of all, divided by the processors, in milliseconds: what a ping takes
   * at least on this machine when nothing else runs on it.
   */
  pingLeastMs: number | undefined;
  /** Memory in bytes: with no minion, with all of them at rest, and at most. */
  before: number | undefined;
  after: number | undefined;
  peak: number | undefined;
  ends: Ends;
  deeds: Deed[];
  /** Times that a lie is in a file of the master. */
  lies: number;
}

/** Files of a process that a swarm leaves to a master: a Brine master keeps a thousand from connections, and the client has some. */
const SPARE_FILES = 1100;

/** Minions that may keep two connections of a master that has so many files. */
function heldOf(minions: number): number {
  const limits = existsSync("/proc/self/limits") ? readFileSync("/proc/self/limits", "utf8") : "";
  const files = Number(/^Max open files\s+\S+\s+(\d+)/m.exec(limits)?.[1] ?? Infinity);
  return Math.max(0, Math.min(minions, files - SPARE_FILES - minions));
}

/** The swarm as a process of the bed. */
export class Swarm {
  readonly #daemon: Daemon;

  constructor(
    bed: Bed,
    { minions, processes = 2, mix = "", seed = 1, huge, paceMs, opts, swarmRuntime }: FleetOptions,
  ) {
    const words = runtimeCommand(swarmRuntime ?? "bun") ?? runtimeCommand("node") ?? [process.execPath];
    this.#daemon = bed.run([
      ...[...words, `${ROOT}/bench/swarm.ts`, "--json", "--minions", String(minions), "--pairs", "200"],
      ...[
        "--master",
        `127.0.0.1:${bed.requestPort}`,
        "--processes",
        String(processes),
        "--held",
        String(heldOf(minions)),
      ],
      ...["--mix", mix, "--seed", String(seed)],
      ...(huge === undefined ? [] : ["--huge", String(huge)]),
      ...(paceMs === undefined ? [] : ["--pace", String(paceMs)]),
      ...["--transport", JSON.stringify({ transport: opts?.transport, ssl: opts?.ssl })],
    ]);
  }

  async next<E extends SwarmEvent["event"]>(event: E): Promise<Extract<SwarmEvent, { event: E }>> {
    for (;;) {
      const line = JSON.parse(await this.#daemon.line()) as SwarmEvent;
      if (line.event === event) return line as Extract<SwarmEvent, { event: E }>;
    }
  }

  async summary(): Promise<Deed[]> {
    this.#daemon.tell("summary");
    return (await this.next("summary")).deeds;
  }

  cpuMs(): number | undefined {
    return this.#daemon.cpuMs();
  }
}

/** The most memory that a process ever had; undefined where the system does not report it. */
function peakOf(daemon: Daemon): number | undefined {
  try {
    return Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${daemon.pid}/status`, "utf8"))![1]) * 1024;
  } catch {
    return undefined;
  }
}

/** Behaviour of each id. */
function behaviourById(minions: number, mix: Mix, seed: number): Map<string, BehaviourName> {
  return new Map(behavioursOf(minions, mix, seed).map((name, index) => [swarmId(index, minions), name]));
}

/** Pings all. @returns milliseconds until all have an outcome, and until the last honest return */
async function ping(
  client: LocalClient,
  behaviours: ReadonlyMap<string, BehaviourName>,
  ends: Ends,
  silenceMs: number,
): Promise<{ ms: number; honestMs: number }> {
  const start = performance.now();
  let honestMs = 0;
  const outcomes = client.run({ tgt: "*", fun: "test.ping" }, { timeoutMs: silenceMs, gatherMs: silenceMs });
  for await (const outcome of outcomes) {
    if (outcome.kind === "missing") continue;
    const behaviour = behaviours.get(outcome.id) ?? "honest";
    const value = "return" in outcome ? outcome.return : undefined;
    const right = value === true || behaviour === "huge" && String(value).startsWith("huge ");
    const end = outcome.kind === "returned" && !right ? "returned something else" : outcome.kind;
    const counted = ends[behaviour] ??= {};
    counted[end] = (counted[end] ?? 0) + 1;
    if (behaviour === "honest") honestMs = performance.now() - start;
  }
  return { ms: performance.now() - start, honestMs };
}

const per = (before: number | undefined, after: number | undefined, times: number) =>
  before === undefined || after === undefined ? undefined : (after - before) / times;

/** Starts a master and a swarm, and measures them. */
export async function measureFleet(side: Side, options: FleetOptions): Promise<FleetMeasured> {
  const { minions, mix = "", seed = 1, jobs = 5, restMs = 12_000 } = options;
  // Where all are honest, nobody asks after those whose turn has not come.
  const { silenceMs = mix === "" ? 60_000 : 10_000 } = options;
  await using bed = new Bed();
  const master = await bed.startMaster(side, { timeout: silenceMs / 1000, ...options.opts });
  await pause(Math.min(1500, restMs));
  const before = master.pss();
  const idleCpu = master.cpuMs();
  const swarm = new Swarm(bed, options);
  const { ms: signInMs } = await swarm.next("authenticated");
  const signInCpuMs = per(idleCpu, master.cpuMs(), minions);
  const { ms: listeningMs } = await swarm.next("listening");
  // The publisher learns of a subscription a moment after the subscriber has sent it; and each master frees what the sign-ins took.
  await pause(restMs);
  const after = master.pss();
  await using client = await LocalClient.open({
    runtime: await currentRuntime(),
    log: silentLogger,
    opts: { ...bed.clientOptions, ...options.opts },
    requestTimeoutMs: 120_000,
  });
  const behaviours = behaviourById(minions, parseMix(mix), seed);
  await ping(client, behaviours, {}, silenceMs);
  const ends: Ends = {};
  const [pingsMs, honestMs]: [number[], number[]] = [[], []];
  const [cpu, swarmCpu, ownCpu] = [master.cpuMs(), swarm.cpuMs(), process.cpuUsage()];
  for (let job = 0; job < jobs; job++) {
    const one = await ping(client, behaviours, ends, silenceMs);
    pingsMs.push(one.ms);
    honestMs.push(one.honestMs);
  }
  const returnCpuMs = per(cpu, master.cpuMs(), minions * jobs);
  const [inMaster, inSwarm] = [per(cpu, master.cpuMs(), jobs), per(swarmCpu, swarm.cpuMs(), jobs)];
  const { user, system } = process.cpuUsage(ownCpu);
  const inClient = (user + system) / 1000 / jobs;
  const pingLeastMs = inMaster === undefined || inSwarm === undefined
    ? undefined
    : (inMaster + inSwarm + inClient) / availableParallelism();
  const deeds = await swarm.summary();
  const peak = peakOf(master);
  // A profile is written as the process ends.
  await master.stop(30_000);
  const lies = liesOnRecord(bed);
  return {
    ...{
      signInMs,
      listeningMs,
      signInCpuMs,
      pingsMs,
      honestMs,
      returnCpuMs,
      pingLeastMs,
      before,
      after,
      peak,
      ends,
      deeds,
      lies,
    },
  };
}

/** How often a lie stands in any file of the master: its job cache, its kept events, its logs. */
function liesOnRecord(bed: Bed): number {
  const folder = bed.path("master");
  return readdirSync(folder, { recursive: true, withFileTypes: true }).reduce((lies, entry) => {
    if (!entry.isFile()) return lies;
    return lies + readFileSync(path.join(entry.parentPath, entry.name), "latin1").split(LIE).length - 1;
  }, 0);
}

export interface FleetBenchOptions extends BenchOptions, Partial<Omit<FleetOptions, "opts">> {
  /** @default 1 */
  rounds?: number;
  /** Number for real Salt. @default 1000 */
  realMinions?: number;
  runtimes?: readonly RuntimeName[];
  form?: Form;
  /** Flags for the runtime of Brine masters, such as `--cpu-prof`. */
  flags?: readonly string[];
}

/** Rows of one side. */
export function fleetRows(note: string, measured: readonly FleetMeasured[]): Row[] {
  const of = (pick: (one: FleetMeasured) => number | undefined) => {
    const found = measured.map(pick).filter((value) => value !== undefined);
    return found.length === 0 ? undefined : median(found);
  };
  const mb = (bytes: number | undefined) => bytes === undefined ? undefined : bytes / 1e6;
  const rows: [string, string, number | undefined][] = [
    ["fleet: the master has answered all sign-ins", "s", of((one) => one.signInMs / 1000)],
    ["fleet: all listen for jobs", "s", of((one) => one.listeningMs / 1000)],
    ["fleet: processor time of the master", "ms/sign-in", of((one) => one.signInCpuMs)],
    ["fleet: '*' test.ping", "s", of((one) => median(one.pingsMs) / 1000)],
    [
      "fleet: '*' test.ping, processor time of all by processors",
      "s",
      of((one) => one.pingLeastMs && one.pingLeastMs / 1000),
    ],
    ["fleet: '*' test.ping, the last honest return", "s", of((one) => median(one.honestMs) / 1000)],
    ["fleet: processor time of the master", "µs/return", of((one) => one.returnCpuMs && one.returnCpuMs * 1000)],
    ["fleet: memory with all minions", "MB (PSS)", mb(of((one) => one.after))],
    ["fleet: memory at most", "MB (RSS)", mb(of((one) => one.peak))],
  ];
  return rows.flatMap(([name, unit, value]) =>
    value === undefined ? [] : [{ name, note, unit, value: rounded(value) }]
  );
}

export async function run(options: FleetBenchOptions = {}): Promise<Row[]> {
  const { quick = false, say = () => {}, form = "bundle", flags = [], rounds = 1 } = options;
  const { minions = quick ? 1000 : 10_000, realMinions = quick ? 200 : 1000 } = options;
  if (form === "bundle") buildBundle();
  const sides = installed(options.runtimes).map((runtime) => ({
    side: withFlags(brine(runtime, form), flags),
    minions,
  }));
  const real = realMinions > 0 ? realSalt() : undefined;
  if (real !== undefined) sides.push({ side: real, minions: realMinions });
  const measured = new Map<string, FleetMeasured[]>();
  for (let round = 0; round < rounds; round++) {
    for (const { side, minions } of sides) {
      const note = `${side.name}, ${minions} minions`;
      say(`fleet: round ${round + 1} of ${rounds}, ${note}`);
      const one = await measureFleet(side, { ...options, minions });
      measured.set(note, [...measured.get(note) ?? [], one]);
      say(`  ${JSON.stringify(one)}`);
    }
  }
  return [...measured].flatMap(([note, all]) => fleetRows(note, all));
}

if (import.meta.main) {
  await runProgram(
    {
      ...{ minions: "number", processes: "number", mix: "text", seed: "number", jobs: "number", rounds: "number" },
      ...{ "real-minions": "number", huge: "number", pace: "number", source: "flag", flags: "text" },
    },
    ({ source, flags, pace, "real-minions": realMinions, ...options }) =>
      run({
        ...options,
        ...(realMinions === undefined ? {} : { realMinions }),
        ...(pace === undefined ? {} : { paceMs: pace }),
        ...(flags === undefined ? {} : { flags: flags.split(" ") }),
        form: source ? "source" : "bundle",
      }),
  );
}
