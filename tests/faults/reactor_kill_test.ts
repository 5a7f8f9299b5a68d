/** The reactor is killed again and again while it reacts: no event is handled twice, and the log names each that was not handled. */
import assert from "node:assert/strict";
import { existsSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { test } from "node:test";
import { bedDirectory } from "../../bench/bed/daemon_directory.ts";
import { pause, until } from "../../bench/bed/until.ts";
import { listenBus, sendToBus } from "../../src/model/event/bus_client.ts";
import { currentRuntime } from "../../src/runtime/current.ts";
import { packEvent } from "../../src/protocol/wire/event_frame.ts";
import { Bed, FULL, whyNot } from "./bed.ts";

const KILLS = FULL ? 20 : 3;
const EVENTS_A_KILL = 100;

const SLS = `
react to {{ data.n }}:
  local.test.arg:
    - tgt: {{ data.id }}
    - args:
      - n: {{ data.n }}
`;

test("events are reacted to at most once through kill -9 of the reactor, and those that were not are named", {
  skip: whyNot() || (existsSync("/proc/self/stat") ? false : "processes cannot be listed here"),
  timeout: FULL ? 600_000 : 180_000,
}, async (t) => {
  const tree = bedDirectory("reactor");
  const sls = path.join(tree, "react.sls");
  writeFileSync(sls, SLS);
  await using bed = await Bed.start({ minions: 2, master: { reactor: [{ "fault/*": [sls] }] } });
  bed.onStop(() => rmSync(tree, { recursive: true, force: true }));
  const { net, clock } = await currentRuntime();
  const socket = (name: string) => ({ kind: "unix" as const, path: path.join(bed.directory, "master", "run", name) });
  const times = new Map<number, number>();
  const listener = await listenBus(net, socket("master_event_pub.ipc"), ({ tag, data }) => {
    if (!/^salt\/job\/\d+\/new$/.test(tag) || data.fun !== "test.arg") return;
    const { n } = (data.arg as { n: number }[])[0]!;
    times.set(n, (times.get(n) ?? 0) + 1);
  });
  const bus = await sendToBus(net, socket("master_event_pull.ipc"));
  const pids = () =>
    [...bed.log("master").matchAll(/process started: part=reactor pid=(\d+)/g)].map(([, pid]) => Number(pid));
  await until("the reactor is there", () => pids().length === 1);
  const named = () =>
    new Set(
      [...bed.log("master").matchAll(/events (?:perhaps )?not (?:fully )?handled.*$/gm)]
        .flatMap(([line]) => [...line.matchAll(/fault\/(\d+) at/g)].map(([, n]) => Number(n))),
    );
  let sent = 0;
  const fire = (count: number) => {
    for (let at = 0; at < count; at++, sent++) {
      const id = bed.ids[sent % bed.ids.length];
      bus.send(packEvent(`fault/${sent}`, { n: sent, id }, { now: clock.now() }));
    }
  };
  for (let kill = 1; kill <= KILLS; kill++) {
    const before = times.size;
    fire(EVENTS_A_KILL);
    await until("it reacts", () => times.size > before + Math.floor(bed.random() * EVENTS_A_KILL / 2));
    process.kill(pids().at(-1)!, "SIGKILL");
    fire(10);
    await until("it is started again", () => pids().length === kill + 1);
  }
  await until("every event was handled, or is named", () => {
    const left = named();
    return Array.from({ length: sent }, (_, n) => n).every((n) => times.has(n) || left.has(n));
  }).catch(async (error) => {
    await pause(0);
    const lost = Array.from({ length: sent }, (_, n) => n).filter((n) => !times.has(n) && !named().has(n));
    throw new Error(
      `${error.message}; neither handled nor named: ${lost.join(", ")}\n${bed.log("master").slice(-2000)}`,
    );
  });
  const twice = [...times].filter(([, count]) => count > 1).map(([n]) => n);
  assert.deepEqual(twice, []);
  listener.close();
  void bus.close();
  t.diagnostic(`seed ${bed.seed}: ${sent} events, ${KILLS} kills, ${times.size} handled, ${named().size} named`);
});
