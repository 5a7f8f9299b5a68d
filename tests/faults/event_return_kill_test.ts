/** The process of event returns is killed again and again: each event is stored once, in order. */
import assert from "node:assert/strict";
import { existsSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { test } from "node:test";
import { bedDirectory } from "../../bench/bed/daemon_directory.ts";
import { until } from "../../bench/bed/until.ts";
import { sendToBus } from "../../src/model/event/bus_client.ts";
import { currentRuntime } from "../../src/runtime/current.ts";
import { packEvent } from "../../src/protocol/wire/event_frame.ts";
import { Bed, FULL, whyNot } from "./bed.ts";

const KILLS = FULL ? 20 : 3;
const EVENTS_A_KILL = 2000;

test("events are stored once and in order through kill -9 of the process that stores them", {
  skip: whyNot() || (existsSync("/proc/self/stat") ? false : "processes cannot be listed here"),
  timeout: FULL ? 600_000 : 180_000,
}, async (t) => {
  const tree = bedDirectory("event_return");
  const file = path.join(tree, "events");
  await using bed = await Bed.start({
    minions: 1,
    master: {
      event_return: "rawfile_json",
      event_return_whitelist: ["fault/*"],
      "rawfile_json.filename": file,
    },
  });
  bed.onStop(() => rmSync(tree, { recursive: true, force: true }));
  const { net, clock } = await currentRuntime();
  const pull = path.join(bed.directory, "master", "run", "master_event_pull.ipc");
  const bus = await sendToBus(net, { kind: "unix", path: pull });
  const pids = () =>
    [...bed.log("master").matchAll(/process started: part=event_return pid=(\d+)/g)].map(([, pid]) => Number(pid));
  await until("the process is there", () => pids().length === 1);
  const stored = () =>
    existsSync(file)
      ? readFileSync(file, "utf8").split("\n").slice(0, -1).map((line) =>
        Number(JSON.parse(line).tag.slice("fault/".length))
      )
      : [];
  let sent = 0;
  const fire = (count: number) => {
    for (let at = 0; at < count; at++, sent++) bus.send(packEvent(`fault/${sent}`, { n: sent }, { now: clock.now() }));
  };
  for (let kill = 1; kill <= KILLS; kill++) {
    const before = stored().length;
    fire(EVENTS_A_KILL);
    await until("some are stored", () => stored().length > before);
    process.kill(pids().at(-1)!, "SIGKILL");
    fire(10);
    await until("it is started again", () => pids().length === kill + 1);
  }
  await until("all are stored", () => stored().length >= sent);
  assert.deepEqual(stored(), Array.from({ length: sent }, (_, n) => n));
  void bus.close();
  t.diagnostic(`seed ${bed.seed}: ${sent} events, ${KILLS} kills`);
});
