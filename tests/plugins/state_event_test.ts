/** The runner `state.event`: what it prints was compared with what real Salt 3006 prints of the same events. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { until } from "../../bench/bed/until.ts";
import { runnerEvents } from "../../src/host/runner/runner_events.ts";
import { runMain } from "../../cli/programs/run.ts";
import type { MasterOpts } from "../../src/model/config/master_opts.ts";
import { EventBus } from "../../src/model/event/bus.ts";
import { serveBus } from "../../src/model/event/bus_server.ts";
import { ipcHash } from "../../src/protocol/crypto/hex.ts";
import { Float } from "../../src/language/python/values.ts";
import { currentRuntime } from "../../src/runtime/current.ts";
import { memoryRuntime } from "../../src/runtime/memory/memory_runtime.ts";
import { captureLog } from "../support/capture_log.ts";
import { FakeClock } from "../support/fake_clock.ts";
import { runInProcess } from "../support/program.ts";
import { inTemporary } from "./temporary.ts";

const runtime = await currentRuntime();
const TIMEOUT = { timeout: 60_000 };

/** What a minion's event.fire_master comes to on the master's bus. */
const FIRED = {
  id: "web1",
  tag: "my/tag",
  data: { z: [new Float(1), "é"], a: { d: 1, c: [] }, b: null },
  cmd: "_minion_event",
};
const LINE = 'my/tag\t{"id": "web1", "tag": "my/tag", "data": {"z": [1.0, "é"], "a": {"d": 1, "c": []}, "b": null}, ' +
  '"cmd": "_minion_event", "_stamp": "STAMP"}\n';
const PRETTY = `my/tag\t{
    "_stamp": "STAMP",
    "cmd": "_minion_event",
    "data": {
        "a": {
            "c": [],
            "d": 1
        },
        "b": null,
        "z": [
            1.0,
            "é"
        ]
    },
    "id": "web1",
    "tag": "my/tag"
}
`;

interface Case {
  name: string;
  words: string[];
  /** Tags of the events that are fired; those before `my/tag` must be let go. */
  tags?: string[];
  data?: Record<string, unknown>;
  want: string;
  socket?: string;
}
const CASES: Case[] = [
  { name: "one line an event", words: ["my/*", "count=1"], want: `${LINE}None\n` },
  {
    name: "a glob or an expression, and no more than count",
    words: [String.raw`my/t\w+`, "count=2"],
    tags: ["other", "my/", "my/tag", "my/tag2", "my/tag3"],
    want: `${LINE}${LINE.replace("my/tag\t", "my/tag2\t")}None\n`,
  },
  { name: "count=0 is one, too", words: ["my/tag", "count=0"], want: `${LINE}None\n` },
  {
    name: "pretty: sorted keys over several lines",
    words: ["my/*", "count=1", "pretty=True"],
    want: `${PRETTY}None\n`,
  },
  { name: "quiet: waits only", words: ["my/*", "count=1", "quiet=True"], want: "None\n" },
  { name: "--quiet: returns are not shown, events are", words: ["--quiet", "my/*", "count=1"], want: LINE },
  {
    name: "bytes are text if they can be, base64 otherwise; no terminal obeys what somebody fires",
    words: ["*x*", "count=1"],
    tags: ["\u009bx\u001b[2J"],
    data: { text: Uint8Array.of(104, 105), bytes: Uint8Array.of(255, 0), csi: "\u009b2J\u001b" },
    want: '\\x9bx\\x1b[2J\t{"text": "hi", "bytes": "/wA=", "csi": "\\u009b2J\\u001b", "_stamp": "STAMP"}\nNone\n',
  },
  {
    name: "the bus of a minion",
    words: ["my/*", "count=1", "node=minion"],
    socket: `minion_event_${ipcHash(runtime.crypto, "here")}_pub.ipc`,
    want: `${LINE}None\n`,
  },
  {
    name: "the bus of the only minion, whatever it is called",
    words: ["my/*", "count=1", "node=minion"],
    socket: `minion_event_${ipcHash(runtime.crypto, "web1")}_pub.ipc`,
    want: `${LINE}None\n`,
  },
];

for (const { name, words, tags = ["my/tag"], data = FIRED, want, socket = "master_event_pub.ipc" } of CASES) {
  test(`state.event: ${name}`, TIMEOUT, async () => {
    await inTemporary(runtime, async (directory) => {
      const { fs, net, later, clock } = runtime;
      fs.write(`${directory}/master`, `id: here\nroot_dir: ${directory}\nsock_dir: ${directory}\nlog_level: error\n`);
      const bus = new EventBus(() => clock.now());
      const at = (file: string) => ({ kind: "unix" as const, path: `${directory}/${file}` });
      const addresses = { pub: at(socket), pull: at("pull.ipc") };
      await using server = await serveBus(bus, net, addresses, captureLog().log, { later, framing: () => "stream" });
      const run = runInProcess("salt-run", runMain, ["-c", directory, "state.event", ...words]);
      await until(() => server.listeners > 0);
      for (const tag of tags) bus.fire(tag, data);
      const { stdout, exitCode } = await run;
      assert.equal(stdout.replace(/"_stamp": "[^"]*"/g, '"_stamp": "STAMP"'), want);
      assert.equal(exitCode, 0);
    });
  });
}

test("state.event: an invalid number of events, or a missing bus, is an error", TIMEOUT, async () => {
  await inTemporary(runtime, async (directory) => {
    const { fs } = runtime;
    fs.write(`${directory}/master`, `id: here\nroot_dir: ${directory}\nsock_dir: ${directory}\n`);
    const run = (...words: string[]) => runInProcess("salt-run", runMain, ["-c", directory, "state.event", ...words]);
    assert.match(
      (await run("x", "count=some")).stdout,
      /count must be a number of events, or -1 for no end, not 'some'/,
    );
    for (const hash of ["0", "1"]) fs.write(`${directory}/minion_event_${hash}_pub.ipc`, "");
    assert.match(
      (await run("x", "node=minion")).stdout,
      /Cannot choose among 2 minions with a bus in .* Pass the sock_dir of one/,
    );
  });
});

test(
  "a missing bus, or one that is gone, is waited for; the start of the runner itself is not shown",
  TIMEOUT,
  async () => {
    const clock = new FakeClock();
    const memory = memoryRuntime({ clock, crypto: runtime.crypto });
    const opts = { sock_dir: "/sock", id: "here", hash_type: "sha256" } as MasterOpts;
    const bus = new EventBus(() => clock.now());
    const at = (file: string) => ({ kind: "unix" as const, path: `/sock/${file}` });
    const serve = () =>
      serveBus(bus, memory.net, { pub: at("master_event_pub.ipc"), pull: at("pull.ipc") }, captureLog().log, {
        later: memory.later,
      });
    const options = { runtime: memory, opts, skip: "salt/run/1/new", bounded: true };
    const events = runnerEvents(options, { node: "master", sockDir: undefined }, () => true)[Symbol.asyncIterator]();
    for (const tag of ["one", "two"]) {
      const next = events.next();
      const server = await serve();
      await until(() => server.listeners > 0, { clock, stepMs: 1000 });
      bus.fire("salt/run/1/new", {});
      bus.fire(tag, {});
      assert.equal((await next).value?.tag, tag);
      await server.close();
    }
    const last = events.next();
    last.catch(() => {});
    await clock.advance(3_600_000);
    await assert.rejects(last, /No event came within 3600 s: a runner on the master cannot listen longer/);
  },
);
