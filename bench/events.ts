/**
 * Question: how many events a second go from a client through the master's bus to one subscriber, and to ten?
 *
 * Control row: real Salt 3006's master with Python's own client (`fire_event`), in the same run. Brine's events are fired by our client on the
 * named runtime. The subscribers are the same program on both sides, which counts what arrives; a figure is the number of events over the
 * time from the first that arrived to the last that arrived at the last subscriber. The sides take turns; each figure is the median of the rounds.
 *
 * Run: node bench/events.ts [--rounds 3] [--runtimes node,bun,deno] [--json] [--quick]
 */
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { deferred } from "../src/base/async/deferred.ts";
import { listenBus, sendToBus } from "../src/model/event/bus_client.ts";
import { currentRuntime } from "../src/runtime/current.ts";
import { packEvent } from "../src/protocol/wire/event_frame.ts";
import { Bed } from "./bed/bed.ts";
import { runCommand } from "./bed/run_command.ts";
import { installed, runtimeCommand, type RuntimeName } from "./bed/runtimes.ts";
import { brine, buildBundle, NO_SALT, realSalt, saltPython, type Side } from "./bed/sides.ts";
import { runProgram } from "./program.ts";
import { type BenchOptions, median, rounded, type Row } from "./rows.ts";

export interface EventsBenchOptions extends BenchOptions {
  /** @default 3 */
  rounds?: number;
  runtimes?: readonly RuntimeName[];
}

const TAG = "bench/event";
const SUBSCRIBERS = [1, 10];
const DATA = { id: "web1.example.com", what: "x".repeat(80), list: [1, 2, 3], more: { a: true, b: null } };

/** Runs as a client: fires events. */
async function fire(pull: string, count: number): Promise<void> {
  const { net, clock } = await currentRuntime();
  const bus = await sendToBus(net, { kind: "unix", path: pull });
  for (let n = 0; n < count; n++) {
    bus.send(packEvent(TAG, { ...DATA, n }, { now: clock.now() }));
    // What is written waits in this process: the loop must go on for it to leave.
    if (n % 500 === 499) await new Promise((resolve) => setTimeout(resolve, 0));
  }
  await bus.close();
}

const PYTHON = `
import json, sys
import salt.config, salt.utils.event
config, count, tag, data = sys.argv[1], int(sys.argv[2]), sys.argv[3], json.loads(sys.argv[4])
opts = salt.config.master_config(config)
with salt.utils.event.get_event("master", opts=opts, sock_dir=opts["sock_dir"], listen=False) as event:
    for n in range(count):
        data["n"] = n
        event.fire_event(data, tag)
`;

interface Master {
  side: Side;
  bed: Bed;
  found: Map<number, number[]>;
}

function commandOf({ side, bed }: Master, count: number): string[] {
  if (side.runtime === undefined) {
    return [saltPython(), "-c", PYTHON, `${bed.config("master")}/master`, String(count), TAG, JSON.stringify(DATA)];
  }
  const self = fileURLToPath(import.meta.url);
  const pull = bed.path("master", "run", "master_event_pull.ipc");
  return [...runtimeCommand(side.runtime)!, self, "--fire", pull, "--count", String(count)];
}

/** Events a second to so many subscribers. */
async function measure(master: Master, subscribers: number, count: number): Promise<number> {
  const { net } = await currentRuntime();
  const path = master.bed.path("master", "run", "master_event_pub.ipc");
  let first = 0;
  let last = 0;
  const all: Promise<void>[] = [];
  const listeners = [];
  for (let at = 0; at < subscribers; at++) {
    const done = deferred<void>();
    let seen = 0;
    listeners.push(
      await listenBus(net, { kind: "unix", path }, ({ tag }) => {
        if (tag !== TAG) return;
        if (first === 0) first = performance.now();
        if (++seen < count) return;
        last = performance.now();
        done.resolve();
      }),
    );
    all.push(done.promise);
  }
  const { code, stderr } = await runCommand(commandOf(master, count));
  if (code !== 0) throw new Error(`${master.side.name}: exit ${code}\n${stderr}`);
  await Promise.all(all);
  for (const listener of listeners) listener.close();
  return (count - 1) / ((last - first) / 1000);
}

export async function run(options: EventsBenchOptions = {}): Promise<Row[]> {
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
      const bed = new Bed();
      masters.push({ side, bed, found: new Map(SUBSCRIBERS.map((count) => [count, []])) });
      const daemon = await bed.startMaster(side);
      await bed.until(daemon, "the bus is there", () => existsSync(bed.path("master", "run", "master_event_pull.ipc")));
    }
    for (let round = 0; round < rounds; round++) {
      say(`events: round ${round + 1} of ${rounds}`);
      for (const master of masters) {
        for (const subscribers of SUBSCRIBERS) {
          const count = master.side === real ? 3000 : quick ? 20_000 : 50_000;
          master.found.get(subscribers)!.push(await measure(master, subscribers, count));
        }
      }
    }
  } finally {
    await Promise.all(masters.map(({ bed }) => bed.stop()));
  }
  const control = masters.find(({ side }) => side === real);
  return SUBSCRIBERS.flatMap((subscribers) =>
    masters.map((master) => {
      const rate = median(master.found.get(subscribers)!);
      return {
        name: `events through the bus, ${subscribers} ${subscribers === 1 ? "subscriber" : "subscribers"}`,
        value: rounded(rate),
        unit: "events/s",
        note: master.side.runtime ?? master.side.name,
        ...(control === undefined || master === control
          ? {}
          : { ratio: rounded(rate / median(control.found.get(subscribers)!)) }),
      };
    })
  );
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: { fire: { type: "string" }, count: { type: "string", default: "1" } },
    strict: false,
  });
  if (typeof values.fire === "string") await fire(values.fire, Number(values.count));
  else await runProgram({ rounds: "number" }, run);
}
