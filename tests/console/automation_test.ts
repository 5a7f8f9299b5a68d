import assert from "node:assert/strict";
import { test } from "node:test";
import { minionEngineOf, readEngines, readRules, readStatus } from "../../src/console/automation.ts";

test("the reactors of a master are read, whatever it answers", () => {
  assert.deepEqual(readRules([{ "a/*": ["/x.sls", "/y.sls"] }, { b: "/z.sls" }, 7]), [
    { match: "a/*", sls: ["/x.sls", "/y.sls"] },
    { match: "b", sls: ["/z.sls"] },
  ]);
  for (const other of [null, "Reactor system is not running.", {}]) assert.equal(readRules(other), undefined);
});

test("what the reactor did is read, the latest first, with bounded texts", () => {
  const status = readStatus({
    counts: { events: 2, called: 1, failed: "x" },
    waiting: 3,
    is_leader: false,
    latest: [
      { at: 1.5, tag: "a", sls: "/x.sls", id: "up", fun: "runner.manage.up", outcome: "called", jid: "1" },
      { tag: "t".repeat(9000), outcome: "failed", error: "no", minions: 7 },
      "junk",
    ],
  })!;
  assert.deepEqual([status.counts, status.waiting, status.isLeader], [
    [["events", 2], ["called", 1], ["failed", 0]],
    3,
    false,
  ]);
  const [failed, called] = status.latest;
  assert.deepEqual([failed!.tag.length, failed!.atMs, failed!.minions, failed!.jid], [1000, undefined, 7, ""]);
  assert.deepEqual([called!.atMs, called!.fun, called!.error], [1500, "runner.manage.up", ""]);
  assert.equal(readStatus("Exception occurred"), undefined);
});

test("engines are read with why they ended", () => {
  const engines = readEngines({
    queue: {
      module: "script",
      state: "waiting",
      since: "1970-01-01T00:00:01.500000",
      restarts: 7,
      memory: 5,
      last_error: { at: "x", how: "exit code 1", words: "first\nno queue" },
    },
    slack: { module: "slack", state: "absent", reason: "not here", last_error: null, memory: null },
    junk: 7,
  })!;
  assert.deepEqual(
    engines.map((
      { name, state, sinceMs, restarts, lastError, reason },
    ) => [name, state, sinceMs, restarts, lastError, reason]),
    [
      ["queue", "waiting", 1500, 7, "exit code 1: no queue", ""],
      ["slack", "absent", undefined, 0, "", "not here"],
    ],
  );
  assert.equal(readEngines("no"), undefined);
});

test("an engine of a minion is what its event tells", () => {
  const { whole, ...engine } = minionEngineOf("salt/minion/web1/engines/queue", {
    _stamp: "1970-01-01T00:00:01.500000",
    id: "web1",
    name: "another",
    module: "script",
    state: "waiting",
    restarts: 2,
    last_error: { how: "exit code 1", words: "no queue" },
  })!;
  assert.deepEqual(engine, {
    minion: "web1",
    name: "queue",
    module: "script",
    state: "waiting",
    reason: "",
    sinceMs: 1500,
    restarts: 2,
    lastError: "exit code 1: no queue",
  });
  assert.equal(whole.id, "web1");
  for (const tag of ["salt/minion/web1/start", "salt/engines/status/queue", "salt/minion/a/b/engines/x"]) {
    assert.equal(minionEngineOf(tag, { state: "running" }), undefined, tag);
  }
  assert.equal(minionEngineOf("salt/minion/web1/engines/queue", { state: 7 }), undefined);
});
