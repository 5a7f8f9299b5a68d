/**
 * Question: how does a master handle a whole fleet that signs in at once and retries because it was not answered in time:
 * 10,000 minions that sign in together, a restart under that load and with two jobs a second published meanwhile, and returns
 * over a connection each, on a quiet machine and on one with all cores busy?
 *
 * Control row: the same master and minions with a hundred in flight, in the same run; `ratio` is the share of that rate. Real
 * Salt 3006's master is measured with fewer minions. The load (`herd_minions.ts`) shares the machine.
 *
 * Run: node bench/herd.ts [--minions 10000] [--busy] [--runtimes node,bun,deno] [--real] [--alone] [--sign-in] [--form source]
 */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import process from "node:process";
import { LocalClient } from "../src/client/local_client.ts";
import { silentLogger } from "../src/base/log.ts";
import { nodeRuntime } from "../src/runtime/node/node_runtime.ts";
import { Bed } from "./bed/bed.ts";
import type { Daemon } from "./bed/daemon.ts";
import { runCommand } from "./bed/run_command.ts";
import { installed, ROOT, runtimeCommand, type RuntimeName } from "./bed/runtimes.ts";
import { brine, buildBundle, type Form, realSalt, type Side } from "./bed/sides.ts";
import { pause } from "./bed/until.ts";
import type { HerdEvent } from "./herd_minions.ts";
import { minionKeys } from "./keys.ts";
import { runProgram } from "./program.ts";
import { type BenchOptions, rounded, type Row } from "./rows.ts";

export interface HerdBenchOptions extends BenchOptions {
  /** @default 10000 */
  minions?: number;
  /** Number for real Salt, which would take minutes with all. @default 2000 */
  realMinions?: number;
  runtimes?: readonly RuntimeName[];
  /** Whether to keep all cores busy with other work. @default both, one after the other */
  busy?: readonly boolean[];
  /** Leave out the control. */
  alone?: boolean;
  /** Leave out Brine. */
  onlyReal?: boolean;
  /** Leave out the restart and the returns. */
  signInOnly?: boolean;
  form?: Form;
}

/** The figures of one master. */
interface Measured {
  /** Sign-ins a second with a hundred in flight. */
  calm: number;
  herd: Extract<HerdEvent, { event: "in" }>;
  /** Processor time of the master for a minion that signs in, in milliseconds. */
  cost: { calm: number; herd: number };
  /** The figures after the sign-in; undefined if only that is measured. */
  later?: MeasuredLater;
}

/** The figures of a restart and of returns. */
interface MeasuredLater {
  restart: Extract<HerdEvent, { event: "in" }>;
  returns: Extract<HerdEvent, { event: "returned" }>[];
  /** Returns that the master does not have on record. */
  missing: number;
  /** Peak memory in bytes until all minions were in: of the master that was killed, and of the next one. */
  peak: number | undefined;
  /** Peak memory in bytes, the returns of all included. */
  peakReturns: number | undefined;
  stopMs: number;
}

class Herd {
  readonly #daemon: Daemon;

  constructor(bed: Bed, minions: number, more: readonly string[] = []) {
    const words = runtimeCommand("bun") ?? runtimeCommand("node") ?? [process.execPath];
    this.#daemon = bed.run([
      ...[...words, `${ROOT}/bench/herd_minions.ts`, "--minions", String(minions)],
      ...["--master", `127.0.0.1:${bed.requestPort}`, "--master-key", bed.path("master", "pki", "master.pub"), ...more],
    ]);
  }

  tell(command: string): void {
    this.#daemon.tell(command);
  }

  async next<E extends HerdEvent["event"]>(event: E): Promise<Extract<HerdEvent, { event: E }>> {
    for (;;) {
      const line = JSON.parse(await this.#daemon.line()) as HerdEvent;
      if (line.event === event) return line as Extract<HerdEvent, { event: E }>;
    }
  }

  stop(): Promise<void> {
    return this.#daemon.stop();
  }
}

/** The peak memory of a process; undefined where the system does not report it. */
function peakOf(daemon: Daemon): number | undefined {
  try {
    return Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${daemon.pid}/status`, "utf8"))![1]) * 1024;
  } catch {
    return undefined;
  }
}

/** Accepts the keys of the herd beforehand. */
async function acceptKeys(bed: Bed, minions: number): Promise<void> {
  const directory = bed.path("master", "pki", "minions");
  mkdirSync(directory, { recursive: true });
  const pairs = await minionKeys(nodeRuntime().crypto, 50, (line) => console.error(line));
  const width = String(minions - 1).length;
  for (let index = 0; index < minions; index++) {
    writeFileSync(`${directory}/herd${String(index).padStart(width, "0")}`, pairs[index % 50]!.publicPem.trim());
  }
}

/** Publishes a job for all minions twice a second, also while nobody takes it, until it is stopped. */
function flowingJobs(bed: Bed): () => Promise<number> {
  let [running, published] = [true, 0];
  const flow = (async () => {
    while (running) {
      try {
        const opts = bed.clientOptions;
        await using client = await LocalClient.open({
          runtime: nodeRuntime(),
          log: silentLogger,
          opts,
          requestTimeoutMs: 5000,
        });
        if (await client.publish({ tgt: "*", fun: "test.ping" }) !== undefined) published++;
      } catch {
        // The master is away.
      }
      await pause(500);
    }
  })();
  return async () => {
    running = false;
    await flow;
    return published;
  };
}

/** Keeps all cores busy with other work. */
function busyLoops(bed: Bed): Daemon[] {
  return Array.from({ length: availableParallelism() }, () => bed.run(["sh", "-c", "while :; do :; done"]));
}

/** Starts a master and the herd, and measures them. */
export async function measureHerd(
  side: Side,
  minions: number,
  options: { busy: boolean; signInOnly: boolean; say(line: string): void },
): Promise<Measured> {
  const { busy, say } = options;
  await using bed = new Bed();
  await acceptKeys(bed, minions);
  let master = await bed.startMaster(side, {
    timeout: 120,
    zmq_backlog: 4000,
    log_level: "error",
  });
  const stress = busy ? busyLoops(bed) : [];

  const calmHerd = new Herd(bed, minions, ["--in-flight", "100"]);
  await calmHerd.next("ready");
  const calmFrom = master.cpuMs();
  calmHerd.tell("signin");
  const calm = minions / (await calmHerd.next("in")).ms * 1000;
  await calmHerd.stop();
  const calmTo = master.cpuMs();
  say(`  ${rounded(calm)} sign-ins/s with 100 in flight`);

  const herd = new Herd(bed, minions);
  await herd.next("ready");
  herd.tell("hold");
  herd.tell("signin");
  const first = await herd.next("in");
  say(`  all at once: ${JSON.stringify(first)}`);
  const cost = {
    calm: ((calmTo ?? NaN) - (calmFrom ?? NaN)) / minions,
    herd: ((master.cpuMs() ?? NaN) - (calmTo ?? NaN)) / minions,
  };
  if (options.signInOnly) {
    await herd.stop();
    await Promise.all(stress.map((loop) => loop.stop()));
    return { calm, herd: first, cost };
  }
  await pause(3000);
  let peak = peakOf(master);

  const stopJobs = flowingJobs(bed);
  // The whole group: the children of real Salt would keep the ports.
  process.kill(-master.pid, "SIGKILL");
  await herd.next("lost");
  master = bed.run([...side.command("salt-master"), "-c", bed.config("master")], bed.path("master", "out"));
  const restart = await herd.next("in");
  peak = Math.max(peak ?? 0, peakOf(master) ?? 0) || undefined;
  const jobs = await stopJobs();
  say(
    `  after a restart: ${JSON.stringify(restart)}, ${jobs} jobs meanwhile, at most ${
      Math.round((peak ?? 0) / 2 ** 20)
    } MiB`,
  );

  const returns: Extract<HerdEvent, { event: "returned" }>[] = [];
  await using client = await LocalClient.open({
    runtime: nodeRuntime(),
    log: silentLogger,
    opts: bed.clientOptions,
    requestTimeoutMs: 120_000,
  });
  herd.tell("release");
  herd.tell("unlock");
  await herd.next("unlocked");
  const jids: string[] = [];
  for (let job = 0; job < 3; job++) {
    const published = await client.publish({ tgt: "*", fun: "test.ping" });
    jids.push(published!.jid);
    herd.tell(`return ${published!.jid}`);
  }
  for (const _ of jids) returns.push(await herd.next("returned"));
  let missing = minions * jids.length;
  for (const jid of jids) {
    const argv = [...side.command("salt-run"), "-c", bed.config("master"), "jobs.lookup_jid", jid, "--out=json"];
    missing -= (await runCommand(argv)).stdout.match(/"herd\d+": true/g)?.length ?? 0;
  }
  say(`  returns: ${JSON.stringify(returns)}, ${missing} are not on record`);
  const peakReturns = peakOf(master);

  await herd.stop();

  const stopping = performance.now();
  await master.stop(60_000);
  const stopMs = performance.now() - stopping;
  await Promise.all(stress.map((loop) => loop.stop()));
  say(`  at most ${Math.round((peakReturns ?? 0) / 2 ** 20)} MiB, stopped in ${Math.round(stopMs)} ms`);
  return { calm, herd: first, cost, later: { restart, returns, missing, peak, peakReturns, stopMs } };
}

/** All masters, one after the other. */
export async function run(options: HerdBenchOptions = {}): Promise<Row[]> {
  const { quick = false, say = () => {}, form = "bundle", minions = quick ? 2000 : 10_000 } = options;
  const { realMinions = Math.min(minions, 2000), busy = quick ? [false] : [false, true] } = options;
  if (form === "bundle" && !options.onlyReal) buildBundle();
  const sides = options.onlyReal ? [] : installed(options.runtimes).map((runtime) => brine(runtime, form));
  const real = options.alone ? undefined : realSalt();
  if (real !== undefined) sides.push(real);
  const rows: Row[] = [];
  for (const side of sides) {
    const count = side === real ? realMinions : minions;
    for (const beside of busy) {
      const note = `${side.name}, ${count} minions${beside ? ", all cores busy" : ""}`;
      say(`herd: ${note}`);
      const { calm, herd, cost, later } = await measureHerd(side, count, {
        busy: beside,
        signInOnly: options.signInOnly ?? false,
        say,
      });
      const seconds = (ms: number) => rounded(ms / 1000);
      const left = (ms: number) => count / ms * 1000 / calm;
      rows.push(
        { name: "sign-ins with 100 in flight", note, value: rounded(calm), unit: "/s" },
        { name: "all at once: until all are in", note, value: seconds(herd.ms), unit: "s", ratio: left(herd.ms) },
        { name: "all at once: attempts for each", note, value: rounded(herd.attempts / count), unit: "" },
        { name: "all at once: time-outs for each", note, value: rounded(herd.unanswered / count), unit: "" },
        {
          name: "all at once: processor time of the master for each",
          note,
          value: rounded(cost.herd),
          unit: "ms",
          ratio: cost.calm / cost.herd,
        },
      );
      if (later === undefined) continue;
      const { restart, returns, missing, peak, peakReturns, stopMs } = later;
      rows.push(
        {
          name: "killed and started again: until all are in",
          note,
          value: seconds(restart.ms),
          unit: "s",
          ratio: left(restart.ms),
        },
        {
          name: "killed and started again: until all have returned a job",
          note,
          value: seconds(restart.ms + Math.max(...returns.map(({ ms }) => ms))),
          unit: "s",
        },
        {
          name: "three jobs' returns: the last",
          note,
          value: seconds(Math.max(...returns.map(({ ms }) => ms))),
          unit: "s",
        },
        {
          name: "three jobs' returns: not acknowledged in three tries",
          note,
          value: returns.reduce((sum, one) => sum + one.unanswered + one.refused, 0),
          unit: "",
        },
        { name: "three jobs' returns: not on record", note, value: missing, unit: "" },
        { name: "stopping", note, value: seconds(stopMs), unit: "s" },
      );
      // Of one process only: real Salt has several.
      if (peak !== undefined && side !== real) {
        rows.push({ name: "memory at most, until all are in", note, value: Math.round(peak / 2 ** 20), unit: "MiB" });
      }
      if (peakReturns !== undefined && side !== real) {
        const value = Math.round(peakReturns / 2 ** 20);
        rows.push({ name: "memory at most, with three jobs' returns", note, value, unit: "MiB" });
      }
    }
  }
  return rows;
}

if (import.meta.main) {
  await runProgram(
    {
      minions: "number",
      busy: "flag",
      quiet: "flag",
      real: "flag",
      alone: "flag",
      "sign-in": "flag",
      form: "text",
    },
    ({ busy, quiet, real, form, "sign-in": signInOnly = false, ...options }) =>
      run({
        minions: 10_000,
        ...options,
        signInOnly,
        busy: busy ? [true] : quiet ? [false] : [false, true],
        ...(real ? { onlyReal: true } : {}),
        form: form === "source" ? "source" : "bundle",
      }),
  );
}
