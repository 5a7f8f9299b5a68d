/** The engine `stalekey`: which keys it deletes, and what it does when the clock jumps or it has not looked for a while. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { engine, staleMinions, withoutUnseenTime } from "../../../src/plugins/engines/stalekey.ts";
import { memoryRuntime } from "../../../src/runtime/memory/memory_runtime.ts";
import { currentRuntime } from "../../../src/runtime/current.ts";
import { decode, encode } from "../../../src/protocol/wire/msgpack.ts";
import { engineSite } from "../../support/engine_site.ts";
import { FakeClock, SOME_TIME } from "../../support/fake_clock.ts";

const NOW = SOME_TIME / 1000;

describe("staleMinions()", () => {
  test("new minions begin now, present ones are seen now, those without a key are forgotten, the others grow stale", () => {
    const seen = new Map([["old", NOW - 101], ["edge", NOW - 100], ["back", NOW - 500], ["gone", NOW - 500]]);
    const stale = staleMinions(seen, {
      accepted: ["new", "old", "edge", "back"],
      present: new Set(["back"]),
      nowS: NOW,
      expireS: 100,
    });
    assert.deepEqual(stale, ["old"]);
    assert.deepEqual(Object.fromEntries(seen), { old: NOW - 101, edge: NOW - 100, back: NOW, new: NOW });
  });
});

describe("withoutUnseenTime()", () => {
  const cases: [string, number | undefined, number, number][] = [
    ["no round before", undefined, 0, -50],
    ["a round in time", NOW - 3600, 0, -50],
    ["a round that is a little late", NOW - 3650, 0, -50],
    ["the master was down for a month", NOW - 2_592_000, 2_592_000 - 3600, 0],
    ["the clock was set back by a day", NOW + 86_400, -90_000, -90_050],
  ];
  for (const [name, writtenS, moved, at] of cases) {
    test(name, () => {
      const seen = new Map([["web1", NOW - 50]]);
      assert.equal(withoutUnseenTime({ seen, writtenS }, NOW, 3600), moved);
      assert.equal(seen.get("web1"), NOW + at);
    });
  }
});

async function site(minions: { accepted: string[]; connected: string[] }, settings = { interval: 60, expire: 300 }) {
  const clock = new FakeClock();
  const { crypto } = await currentRuntime();
  const runtime = memoryRuntime({ clock, crypto });
  runtime.fs.mkdir("/cache");
  const deleted: unknown[] = [];
  const here = await engineSite({
    runtime,
    opts: { cachedir: "/cache", minion_data_cache: true },
    master: {
      accepted: () => Promise.resolve([...minions.accepted]),
      connected: () => Promise.resolve([...minions.connected]),
      wheel(fun, arg) {
        deleted.push([fun, arg]);
        const [{ minions: ids }] = arg as [{ minions: string[] }];
        minions.accepted = minions.accepted.filter((id) => !ids.includes(id));
        return Promise.resolve({});
      },
    },
  });
  const round = async (ms = 60_000) => {
    await clock.waiting(60_000);
    clock.advance(ms);
    await clock.waiting(60_000);
  };
  return { ...here, clock, runtime, deleted, round, settings, [Symbol.asyncDispose]: here.end };
}

describe("stalekey", () => {
  test("deletes the key of a minion that was not connected for longer than expire, and of no other", async () => {
    await using here = await site({ accepted: ["web1", "db1"], connected: ["web1"] });
    void here.start(engine, here.settings);
    for (let n = 0; n < 5; n++) await here.round();
    assert.deepEqual(here.deleted, []);
    await here.round();
    assert.deepEqual(here.deleted, [["key.delete_dict", [{ minions: ["db1"] }]]]);
    const kept = decode(here.runtime.fs.read("/cache/presence.p"), { mode: "bin" }) as Record<string, unknown>;
    assert.deepEqual(Object.keys(kept), ["web1"]);
    await here.round();
    assert.equal(here.deleted.length, 1);
  });

  test("a clock that jumps a year ahead deletes nothing", async () => {
    await using here = await site({ accepted: ["web1", "db1"], connected: [] });
    void here.start(engine, here.settings);
    await here.round();
    here.clock.set(here.clock.now() + 365 * 86_400_000);
    await here.round();
    assert.deepEqual(here.deleted, []);
    assert.match(JSON.stringify(here.captured.records), /that time does not count/);
    for (let n = 0; n < 5; n++) await here.round();
    assert.equal(here.deleted.length, 2);
  });

  test("neither does a clock that is set back, nor a master that was down for long", async () => {
    await using here = await site({ accepted: ["web1", "db1"], connected: [] });
    const at = SOME_TIME / 1000 - 7 * 86_400;
    here.runtime.fs.write("/cache/presence.p", encode({ web1: at, db1: at }, "bin"));
    here.runtime.fs.utimes("/cache/presence.p", at * 1000, at * 1000);
    void here.start(engine, here.settings);
    await here.round();
    here.clock.set(here.clock.now() - 86_400_000);
    await here.round();
    assert.deepEqual(here.deleted, []);
  });

  test("a file that cannot be read deletes nothing, and stays", async () => {
    await using here = await site({ accepted: ["web1"], connected: [] });
    here.runtime.fs.write("/cache/presence.p", "broken");
    void here.start(engine, here.settings);
    for (let n = 0; n < 8; n++) await here.round();
    assert.deepEqual(here.deleted, []);
    assert.equal(here.runtime.fs.readText("/cache/presence.p"), "broken");
    assert.match(JSON.stringify(here.captured.records), /cannot be read: remove or repair it/);
  });

  test("is for masters that keep data of their minions", () => {
    assert.match(engine.unavailable!({ role: "minion", opts: {} })!, /configure it there/);
    assert.match(engine.unavailable!({ role: "master", opts: { minion_data_cache: false } })!, /minion_data_cache/);
    assert.equal(engine.unavailable!({ role: "master", opts: { minion_data_cache: true } }), undefined);
  });
});
