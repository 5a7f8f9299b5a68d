import assert from "node:assert/strict";
import { test } from "node:test";
import { fleetEntries } from "../../src/console/fleet_entries.ts";

const nightly = { function: "state.apply", cron: "30 2 * * *", enabled: true };

test("equal jobs of several minions are one, and minions that did not tell are named", () => {
  const { entries, silent, told } = fleetEntries("schedules", {
    web2: { nightly, enabled: true },
    web10: { nightly, often: { function: "test.ping", minutes: 5, enabled: false } },
    db1: { nightly: { ...nightly, cron: "0 3 * * *" } },
    bare: "schedule: {}",
    gone: false,
    old: 7,
  });
  assert.deepEqual(entries.map(({ name, text, when, enabled, ids }) => [name, text, when, enabled, ids.join()]), [
    ["nightly", "state.apply", "cron 30 2 * * *", true, "web2,web10"],
    ["nightly", "state.apply", "cron 0 3 * * *", true, "db1"],
    ["often", "test.ping", "every 5 minutes", false, "web10"],
  ]);
  assert.deepEqual([silent, told], [["gone", "old"], 4]);
});

test("beacons of minions are put together by their settings", () => {
  const load = [{ averages: { "1m": [0, 4] } }, { interval: 10 }];
  const { entries } = fleetEntries("beacons", { a: { load, enabled: true }, b: { load }, c: null });
  assert.deepEqual(entries.map(({ name, when, ids }) => [name, when, ids]), [["load", "every 10 s", ["a", "b"]]]);
});

test("minions choose how many they have: different ones are bounded", () => {
  const jobs = (from: number) =>
    Object.fromEntries(Array.from({ length: 900 }, (_one, at) => [`j${from + at}`, { function: "x.y", minutes: 1 }]));
  const answers = Object.fromEntries(Array.from({ length: 10 }, (_one, at) => [`m${at}`, jobs(at * 900)]));
  assert.equal(fleetEntries("schedules", answers).entries.length, 5000);
  assert.deepEqual(fleetEntries("schedules", "Traceback"), { entries: [], silent: [], told: 0 });
});
