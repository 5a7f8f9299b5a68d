import assert from "node:assert/strict";
import { test } from "node:test";
import { Fleet, pingText, seenText } from "../../src/console/fleet.ts";

function fleet(): Fleet {
  const made = new Fleet();
  made.setKeys({
    minions: ["web10", "web2", "db1"],
    minions_pre: ["new1"],
    minions_rejected: [],
    minions_denied: ["web2"],
  });
  return made;
}

const NOW = 1_000_000;
const key = (act: string, id: string) => ({ tag: "salt/key", data: { act, id, result: true } });

test("ids are in natural order, and stay the same array until a key changes", () => {
  const made = fleet();
  assert.deepEqual(made.ids, ["db1", "web2", "web10"]);
  const before = made.ids;
  made.setConnected(["web2"], NOW);
  assert.equal(made.ids, before);
  assert.deepEqual(made.counts, { up: 1, down: 2, unknown: 0, accepted: 3, pending: 1, rejected: 0, denied: 1 });
});

test("manage.status sets which minions are up and down", () => {
  const made = fleet();
  made.setStatus({ up: ["db1"], down: ["web2", "stranger"] });
  assert.deepEqual([made.presence("db1"), made.presence("web2"), made.presence("web10"), made.presence("stranger")], [
    "up",
    "down",
    "unknown",
    "unknown",
  ]);
});

for (
  const { name, event, id, want, changed = true } of [
    { name: "a start", event: { tag: "salt/minion/web2/start", data: { id: "web2" } }, id: "web2", want: "up" },
    { name: "a return", event: { tag: "salt/job/1/ret/web2", data: { id: "web2" } }, id: "web2", want: "up" },
    {
      name: "a loss",
      event: { tag: "salt/presence/change", data: { new: [], lost: ["db1"] } },
      id: "db1",
      want: "down",
    },
    { name: "presence", event: { tag: "salt/presence/present", data: { present: ["web2"] } }, id: "web2", want: "up" },
    {
      name: "a return of an unknown id",
      event: { tag: "salt/job/1/ret/x", data: {} },
      id: "x",
      want: "unknown",
      changed: false,
    },
    { name: "the start of a job", event: { tag: "salt/job/1/new", data: {} }, id: "db1", want: "up", changed: false },
  ]
) {
  test(`${name} marks ${id} as ${want}`, () => {
    const made = fleet();
    made.setConnected(["db1"], NOW);
    assert.equal(made.apply(event), changed);
    assert.equal(made.presence(id), want);
    assert.equal(made.apply(event), false);
  });
}

test("events move keys to their state", () => {
  const made = fleet();
  assert.ok(made.apply(key("accept", "new1")));
  assert.ok(!made.apply(key("accept", "new1")));
  assert.deepEqual([made.counts.accepted, made.counts.pending], [4, 0]);
  made.setConnected(["new1"], NOW);
  assert.ok(made.apply(key("reject", "new1")));
  assert.deepEqual([made.counts.rejected, made.counts.up], [1, 0]);
  assert.ok(made.apply({ tag: "salt/auth", data: { act: "pend", id: "fresh", result: true } }));
  assert.deepEqual([...made.keys("minions_pre")], ["fresh"]);
  assert.ok(made.apply(key("delete", "fresh")));
  assert.equal(made.counts.pending, 0);
});

test("a denied key leaves the accepted key of the same id", () => {
  const made = fleet();
  assert.ok(made.apply({ tag: "salt/auth", data: { act: "denied", id: "db1", result: false } }));
  assert.ok(made.keys("minions").has("db1") && made.keys("minions_denied").has("db1"));
});

test("events without a key change nothing", () => {
  const made = fleet();
  for (const data of [{}, { act: "toString", id: "db1" }, { act: "accept" }]) {
    assert.equal(made.apply({ tag: "salt/key", data }), false);
  }
});

test("a Brine master tells when minions were lost, and events tell who was heard of", () => {
  const fleet = new Fleet();
  fleet.setKeys({ minions: ["web1", "web2", "web3"] });
  assert.equal(fleet.setPresence(["web1"], NOW), false);
  assert.ok(fleet.setPresence({ connected: ["web1"], lost: { web2: 100, stranger: 100 }, since: 50 }, NOW));
  assert.deepEqual(["web1", "web2", "web3"].map((id) => fleet.presence(id)), ["up", "down", "down"]);
  assert.deepEqual([fleet.seenMs("web2"), fleet.seenMs("web3"), fleet.watchedSinceMs], [100_000, undefined, 50_000]);
  fleet.apply({ tag: "salt/beacon/web3/load/", data: {} }, 7000);
  fleet.apply({ tag: "salt/job/20261121084331391697/ret/web2", data: { _stamp: "1970-01-01T00:05:00.000000" } }, 1);
  fleet.apply({ tag: "salt/beacon/stranger/load/", data: {} }, 7000);
  assert.deepEqual([fleet.seenMs("web3"), fleet.seenMs("web2"), fleet.seenMs("stranger")], [7000, 300_000, undefined]);
  fleet.apply({ tag: "salt/key", data: { act: "delete", id: "web3" } });
  assert.equal(fleet.seenMs("web3"), undefined);
});

test("after a restart of the master, minions that have not connected yet are unknown until it had time to see them", () => {
  const fleet = new Fleet();
  fleet.setKeys({ minions: ["web1", "web2", "web3"] });
  const states = () => ["web1", "web2", "web3"].map((id) => fleet.presence(id));
  assert.ok(fleet.setPresence({ connected: ["web1", "web2", "web3"], lost: {}, since: 100 }, NOW));
  assert.deepEqual(states(), ["up", "up", "up"]);
  // Its clock is not the one here; what has changed is since when it looks.
  assert.ok(fleet.setPresence({ connected: ["web1"], lost: { web3: 990 }, since: 150 }, NOW));
  assert.deepEqual(states(), ["up", "unknown", "down"]);
  assert.equal(fleet.isSettled(NOW + 89_000), false);
  assert.ok(fleet.setPresence({ connected: ["web1"], lost: { web3: 990 }, since: 150 }, NOW + 90_000));
  assert.deepEqual(states(), ["up", "down", "down"]);
});

test("a page that is opened right after a start of the master shows nobody as down", () => {
  for (const skewMs of [-3000, 0, 3000]) {
    const fleet = new Fleet();
    fleet.setKeys({ minions: ["web1", "web2"] });
    assert.ok(fleet.setPresence({ connected: ["web1"], lost: {}, since: (NOW + skewMs) / 1000 }, NOW));
    assert.deepEqual([fleet.presence("web1"), fleet.presence("web2")], ["up", "unknown"]);
  }
});

test("while the master is away nobody is up or down, and ages count from then", () => {
  const fleet = new Fleet();
  fleet.setKeys({ minions: ["web1", "web2"] });
  fleet.setConnected(["web1"], NOW);
  fleet.lose(NOW + 5000);
  fleet.lose(NOW + 60_000);
  assert.deepEqual(fleet.counts.unknown, 2);
  assert.equal(fleet.awaySinceMs, NOW + 5000);
  assert.deepEqual([seenText(fleet, "web1", NOW + 17_000), seenText(fleet, "web2", NOW + 17_000)], ["12 s ago", ""]);
  fleet.regain(NOW + 60_000);
  fleet.setConnected([], NOW + 61_000);
  assert.deepEqual([fleet.awaySinceMs, fleet.counts.unknown], [undefined, 2]);
  fleet.setConnected([], NOW + 160_000);
  assert.equal(fleet.counts.down, 2);
});

test("the age of a minion that has gone counts on", () => {
  const fleet = new Fleet();
  fleet.setKeys({ minions: ["web1"] });
  fleet.setConnected(["web1"], NOW);
  fleet.apply({ tag: "salt/presence/change", data: { new: [], lost: ["web1"] } }, NOW);
  assert.deepEqual([10_000, 98_000, 200_000].map((ms) => seenText(fleet, "web1", NOW + ms)), [
    "10 s ago",
    "98 s ago",
    "3 min ago",
  ]);
});

test("an accepted key that was replaced leaves no denied one, and nothing is known of its host", () => {
  const made = fleet();
  made.setConnected(["db1"], NOW);
  made.apply({ tag: "salt/auth", data: { act: "denied", id: "db1", result: false } });
  assert.ok(made.apply({ tag: "salt/key", data: { act: "accept", id: "db1", result: true, replaced: "aa:bb" } }));
  assert.deepEqual([made.keys("minions_denied").has("db1"), made.presence("db1")], [false, "unknown"]);
});

for (
  const { status, want } of [
    { status: { up: ["a", "b"], down: [] }, want: "2 of 2 minions answered" },
    { status: { up: ["a"], down: ["b"] }, want: "1 of 2 minions answered; no answer: b" },
    {
      status: { up: [], down: ["a", "b", "c", "d", "e", "f", "g"] },
      want: "0 of 7 minions answered; no answer: a, b, c, d, e and 2 more",
    },
    { status: null, want: "0 of 0 minions answered" },
  ]
) {
  test(`a ping of all ends with "${want}"`, () => assert.equal(pingText(status), want));
}
