/**
 * Question: does a peer that misbehaves slow down anybody else? One subscriber of events that does not read, and one peer that sends 200
 * pieces of garbage a second to the request port, the publish port and both event sockets: what does that do to the pings of
 * another caller?
 *
 * Control: the same peer in the same run, with the same garbage to a sink of its own, in turns (A, B, B, A…). `ratio` is the time
 * without divided by the time with: 0.91 is the bound of ten percent more. The disturber runs on the same cores; the processor time of
 * the master says what the garbage costs it.
 *
 * Run: node bench/isolation.ts [--rounds 10] [--pings 100] [--rate 200] [--runtimes node,bun,deno] [--json]
 */
import { LocalClient } from "../src/client/local_client.ts";
import { silentLogger } from "../src/base/log.ts";
import { currentRuntime } from "../src/runtime/current.ts";
import { sendToBus } from "../src/model/event/bus_client.ts";
import { packEvent } from "../src/protocol/wire/event_frame.ts";
import { Bed } from "./bed/bed.ts";
import type { Daemon } from "./bed/daemon.ts";
import { installed, ROOT, runtimeCommand, type RuntimeName } from "./bed/runtimes.ts";
import { brine, buildBundle, type Form, NO_SALT, realSalt, type Side } from "./bed/sides.ts";
import { pause } from "./bed/until.ts";
import { Swarm } from "./fleet.ts";
import { runProgram } from "./program.ts";
import { type BenchOptions, median, rounded, type Row } from "./rows.ts";
import { swarmId } from "./swarm/mix.ts";

export interface IsolationOptions extends BenchOptions {
  /** Of both, in turns. @default 10 */
  rounds?: number;
  /** In each turn. @default 100 */
  pings?: number;
  /** Pieces of garbage a second. @default 200 */
  rate?: number;
  runtimes?: readonly RuntimeName[];
  form?: Form;
  /** Leave out real Salt. */
  alone?: boolean;
}

const MINIONS = 20;
/** Events that flow beside the pings, so that a subscriber that does not read falls behind. */
const EVENTS_PER_PING = 4;
const EVENT_TEXT = "an event of some length ".repeat(200);

/** Times in milliseconds, and the processor time of the master. */
interface Turn {
  pings: number[];
  cpuMs: number;
  ms: number;
}

interface Measured {
  calm: Turn;
  disturbed: Turn;
  garbage: number;
}

const percentile = (values: readonly number[], share: number) =>
  [...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))]!;

const newTurn = (): Turn => ({ pings: [], cpuMs: 0, ms: 0 });

/** Pings one minion after the other, and fires events beside. */
async function oneTurn(
  { master, client, fire }: { master: Daemon; client: LocalClient; fire: () => void },
  pings: number,
  into: Turn,
): Promise<void> {
  const [cpu, began] = [master.cpuMs() ?? 0, performance.now()];
  for (let ping = 0; ping < pings; ping++) {
    for (let event = 0; event < EVENTS_PER_PING; event++) fire();
    const start = performance.now();
    const tgt = swarmId(ping % MINIONS, MINIONS);
    const answers = await client.command({ tgt, fun: "test.ping" }, { timeoutMs: 60_000 });
    if (answers[tgt] !== true) throw new Error(`The ping of ${tgt} was answered with ${JSON.stringify(answers)}`);
    into.pings.push(performance.now() - start);
  }
  into.cpuMs += (master.cpuMs() ?? 0) - cpu;
  into.ms += performance.now() - began;
}

/** Starts a master, a few minions and the disturber, and measures the turns. */
async function measure(
  side: Side,
  { rounds, pings, rate }: { rounds: number; pings: number; rate: number },
): Promise<Measured> {
  await using bed = new Bed();
  const master = await bed.startMaster(side, { timeout: 60 });
  const swarm = new Swarm(bed, { minions: MINIONS, processes: 1 });
  await swarm.next("listening");
  const [push, events] = ["pull", "pub"].map((name) => bed.path("master", "run", `master_event_${name}.ipc`));
  const disturber = bed.run([
    ...[...runtimeCommand("bun") ?? runtimeCommand("node")!, `${ROOT}/bench/disturber.ts`, "--rate", String(rate)],
    ...["--request", String(bed.requestPort), "--publish", String(bed.publishPort)],
    ...["--push", push!, "--events", events!],
  ]);
  const heard = async () => JSON.parse(await disturber.line()) as { sent: number };
  await heard();
  const runtime = await currentRuntime();
  await using client = await LocalClient.open({
    ...{ runtime, log: silentLogger, opts: bed.clientOptions, requestTimeoutMs: 60_000 },
  });
  using bus = await sendToBus(
    runtime.net,
    { kind: "unix", path: push! },
    side.runtime === undefined ? "stream" : "length",
  );
  const fire = () => bus.send(packEvent("bench/isolation", { text: EVENT_TEXT }, { now: runtime.clock.now() }));
  await pause(2000);
  const at = { master, client, fire };
  await oneTurn(at, pings, newTurn());
  const measured: Measured = { calm: newTurn(), disturbed: newTurn(), garbage: 0 };
  for (let round = 0; round < rounds; round++) {
    for (const to of round % 2 === 0 ? ["sink", "master"] as const : ["master", "sink"] as const) {
      disturber.tell(to);
      const before = await heard();
      await oneTurn(at, pings, to === "master" ? measured.disturbed : measured.calm);
      disturber.tell(to);
      if (to === "master") measured.garbage += (await heard()).sent - before.sent;
      else await heard();
    }
  }
  return measured;
}

/** The rows of one side. */
function rowsOf(note: string, { calm, disturbed, garbage }: Measured): Row[] {
  const row = (name: string, unit: string, of: (turn: Turn) => number): Row[] => [
    { name: `isolation: ${name}`, note: `${note}, without`, value: rounded(of(calm)), unit },
    {
      ...{ name: `isolation: ${name}`, note: `${note}, with a stuck subscriber and garbage`, unit },
      ...{ value: rounded(of(disturbed)), ratio: rounded(of(calm) / of(disturbed)) },
    },
  ];
  const extra = disturbed.cpuMs / disturbed.ms - calm.cpuMs / calm.ms;
  return [
    ...row("ping of another caller, median", "ms", ({ pings }) => median(pings)),
    ...row("ping of another caller, p99", "ms", ({ pings }) => percentile(pings, 0.99)),
    ...row("processor time of the master for a ping", "ms", ({ cpuMs, pings }) => cpuMs / pings.length),
    {
      ...{ name: "isolation: processor time of the master for a piece of garbage", note },
      ...{ value: rounded(Math.max(0, extra * disturbed.ms / garbage)), unit: "ms" },
    },
  ];
}

export async function run(options: IsolationOptions = {}): Promise<Row[]> {
  const { quick = false, say = () => {}, form = "bundle", rate = 200 } = options;
  const { rounds = quick ? 2 : 10, pings = quick ? 50 : 100 } = options;
  if (form === "bundle") buildBundle();
  const sides = installed(options.runtimes).map((runtime) => brine(runtime, form));
  const real = options.alone ? undefined : realSalt();
  if (real !== undefined) sides.push(real);
  else if (!options.alone) say(NO_SALT);
  const rows: Row[] = [];
  for (const side of sides) {
    say(`isolation: ${side.name}`);
    rows.push(...rowsOf(side.name, await measure(side, { rounds, pings, rate })));
  }
  return rows;
}

if (import.meta.main) {
  await runProgram(
    { rounds: "number", pings: "number", rate: "number", alone: "flag", source: "flag" },
    ({ source, ...options }) => run({ ...options, form: source ? "source" : "bundle" }),
  );
}
