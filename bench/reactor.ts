/**
 * Question: how many reactions a second does the reactor call (one SLS file with one `local` call), and how long does it take from an event that
 * a minion fires, as a beacon does, to the return of the job that reacts to it?
 *
 * Control row: real Salt 3006's master, reactor and minion, in the same run, with the same configuration and SLS files. Reactions are counted by
 * the jobs that they publish, for minions with accepted keys that are not there, so that no minion takes processor time; events are fired
 * straight into the bus. The processor time is that of the master with all its processes: it says more where other work is on the machine. The latency ends with the return on the master's bus: `test.ping` takes no time by itself.
 *
 * Run: node bench/reactor.ts [--rounds 3] [--runtimes node,bun,deno] [--json] [--quick]
 */
import { copyFileSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { createHash } from "node:crypto";
import { deferred } from "../src/base/async/deferred.ts";
import type { BusEvent } from "../src/model/event/bus.ts";
import { listenBus, sendToBus } from "../src/model/event/bus_client.ts";
import { currentRuntime } from "../src/runtime/current.ts";
import { packEvent } from "../src/protocol/wire/event_frame.ts";
import { Bed } from "./bed/bed.ts";
import type { Daemon } from "./bed/daemon.ts";
import { installed, type RuntimeName } from "./bed/runtimes.ts";
import { brine, buildBundle, NO_SALT, realSalt, type Side } from "./bed/sides.ts";
import { runProgram } from "./program.ts";
import { type BenchOptions, median, rounded, type Row } from "./rows.ts";

export interface ReactorBenchOptions extends BenchOptions {
  /** @default 3 */
  rounds?: number;
  runtimes?: readonly RuntimeName[];
}

const MANY = `
{% set id = data.get('id', 'nobody') %}
react:
  local.test.arg:
    - tgt: {{ id }}
    - args:
      - id: {{ id }}
      - n: {{ data.get('n', 0) }}
`;
/** Minions with an accepted key that are not there. */
const GHOSTS = 20;
const PING = `
ping:
  local.test.ping:
    - tgt: m1
`;

interface Master {
  side: Side;
  bed: Bed;
  daemon: Daemon;
  rates: number[];
  /** Milliseconds of processor time, of one reaction. */
  costs: number[];
  latencies: number[];
}

async function start(side: Side): Promise<Master> {
  const bed = new Bed();
  const srv = bed.path("srv");
  mkdirSync(srv);
  writeFileSync(`${srv}/many.sls`, MANY);
  writeFileSync(`${srv}/ping.sls`, PING);
  const daemon = await bed.startMaster(side, {
    reactor: [{ "bench/many": [`${srv}/many.sls`] }, { "bench/ping": [`${srv}/ping.sls`] }],
    log_level_logfile: "warning",
  });
  const minion = bed.startMinion(side, "m1");
  const keys = bed.path("master", "pki", "minions");
  await bed.until(daemon, "the minion's key is accepted", () => existsSync(`${keys}/m1`));
  for (let n = 0; n < GHOSTS; n++) copyFileSync(`${keys}/m1`, `${keys}/ghost${n}`);
  const master: Master = { side, bed, daemon, rates: [], costs: [], latencies: [] };
  // The first ones load what the others find loaded, and show that minion and reactor are there.
  await bed.until(minion, "the reactor answers the minion", () => latency(master, 3000).then(() => true, () => false));
  await rate(master, 20);
  return master;
}

const hash = (id: string) => createHash("sha256").update(id).digest("hex").slice(0, 10);

/** Listens to a master's bus while something is done. */
async function during<T>(master: Master, onEvent: (event: BusEvent) => void, act: () => Promise<T>): Promise<T> {
  const { net } = await currentRuntime();
  const path = master.bed.path("master", "run", "master_event_pub.ipc");
  const listener = await listenBus(net, { kind: "unix", path }, onEvent);
  try {
    return await act();
  } finally {
    listener.close();
  }
}

/** Reactions a second. */
async function rate({ bed, ...master }: Master, count: number): Promise<number> {
  const { net, clock } = await currentRuntime();
  const done = deferred<void>();
  let seen = 0;
  let first = 0;
  const onEvent = ({ tag }: BusEvent) => {
    if (!/^salt\/job\/\d+\/new$/.test(tag)) return;
    if (seen++ === 0) first = performance.now();
    if (seen === count) done.resolve();
  };
  return await during({ bed, ...master }, onEvent, async () => {
    const path = bed.path("master", "run", "master_event_pull.ipc");
    const bus = await sendToBus(net, { kind: "unix", path });
    for (let n = 0; n < count; n++) {
      bus.send(packEvent("bench/many", { id: `ghost${n % GHOSTS}`, n }, { now: clock.now() }));
    }
    await done.promise;
    const took = performance.now() - first;
    void bus.close();
    return (count - 1) / (took / 1000);
  });
}

/** Milliseconds from an event on the minion's bus to the return of the job that reacts to it. */
async function latency(master: Master, timeoutMs = 30_000): Promise<number> {
  const { net, clock } = await currentRuntime();
  const done = deferred<number>();
  const late = setTimeout(() => done.reject(new Error("no reaction")), timeoutMs);
  try {
    const onEvent = ({ tag }: BusEvent) => void (/\/ret\/m1$/.test(tag) && done.resolve(performance.now()));
    return await during(master, onEvent, async () => {
      const path = master.bed.path("m1", "run", `minion_event_${hash("m1")}_pull.ipc`);
      const bus = await sendToBus(net, { kind: "unix", path });
      const began = performance.now();
      const asked = { tag: "bench/ping", data: { a: 1 }, events: null, pretag: null };
      bus.send(packEvent("fire_master", asked, { now: clock.now() }));
      const ended = await done.promise;
      void bus.close();
      return ended - began;
    });
  } finally {
    clearTimeout(late);
  }
}

export async function run(options: ReactorBenchOptions = {}): Promise<Row[]> {
  const { quick = false, say = () => {}, rounds = quick ? 1 : 3 } = options;
  buildBundle();
  const real = realSalt();
  if (real === undefined) say(NO_SALT);
  const sides = [
    ...installed(options.runtimes).map((runtime) => brine(runtime, "bundle")),
    ...real === undefined ? [] : [real],
  ];
  const masters: Master[] = [];
  try {
    for (const side of sides) {
      say(`reactor: ${side.name} starts`);
      masters.push(await start(side));
    }
    for (let round = 0; round < rounds; round++) {
      say(`reactor: round ${round + 1} of ${rounds}`);
      for (const master of masters) {
        const count = master.side === real ? 200 : 2000;
        const before = master.daemon.cpuMs();
        master.rates.push(await rate(master, count));
        const after = master.daemon.cpuMs();
        if (before !== undefined && after !== undefined) master.costs.push((after - before) / count);
        for (let at = 0; at < (quick ? 5 : 20); at++) master.latencies.push(await latency(master));
      }
    }
  } finally {
    await Promise.all(masters.map(({ bed }) => bed.stop()));
  }
  const control = masters.find(({ side }) => side === real);
  const noteOf = ({ side }: Master) => side.runtime ?? side.name;
  return [
    ...masters.map((master) => ({
      name: "reactions, one local call each",
      value: rounded(median(master.rates)),
      unit: "reactions/s",
      note: noteOf(master),
      ...(control === undefined || master === control
        ? {}
        : { ratio: rounded(median(master.rates) / median(control.rates)) }),
    })),
    ...masters.filter(({ costs }) => costs.length > 0).map((master) => ({
      name: "processor time of a reaction",
      value: rounded(median(master.costs)),
      unit: "ms",
      note: noteOf(master),
      ...(control === undefined || master === control || control.costs.length === 0
        ? {}
        : { ratio: rounded(median(control.costs) / median(master.costs)) }),
    })),
    ...masters.map((master) => ({
      name: "event of a minion -> reaction -> job -> return",
      value: rounded(median(master.latencies)),
      unit: "ms",
      note: noteOf(master),
      ...(control === undefined || master === control
        ? {}
        : { ratio: rounded(median(control.latencies) / median(master.latencies)) }),
    })),
  ];
}

if (import.meta.main) await runProgram({ rounds: "number" }, run);
