import assert from "node:assert/strict";
import { test } from "node:test";
import {
  NOTHING_SAVED,
  readSaved,
  type Saved,
  withFavourite,
  withRun,
  withSavedView,
  withTarget,
} from "../../src/console/saved.ts";

const target = (name: string, tgt = "web*") => ({ name, tgt, type: "glob" });

test("what the browser has stored is used as far as it is sound", () => {
  for (const bad of [undefined, null, 7, "x", [], { targets: 7, favourites: "x", recent: {} }]) {
    assert.deepEqual(readSaved(bad), NOTHING_SAVED);
  }
  const saved = readSaved({
    targets: [target("a"), { name: "b", tgt: 7, type: "glob" }, null],
    favourites: [
      { name: "ping", where: "minions", fun: "test.ping", arg: [], kwarg: {} },
      { name: "elsewhere", where: "shell", fun: "rm", arg: [], kwarg: {} },
    ],
    recent: [{ where: "runner", fun: "manage.up", tgt: "", type: "glob" }, { where: "runner" }],
  });
  assert.deepEqual([saved.targets.length, saved.favourites.length, saved.recent.length], [1, 1, 1]);
});

test("a saved target replaces the one of its name; they are in order, and bounded", () => {
  let saved: Saved = withTarget(withTarget(NOTHING_SAVED, target("b")), target(" a "));
  saved = withTarget(saved, target("b", "db*"));
  assert.deepEqual(saved.targets, [target("a"), target("b", "db*")]);
  for (let at = 0; at < 98; at++) saved = withTarget(saved, target(`t${at}`));
  assert.throws(() => withTarget(saved, target("one more")), /more than 100: delete one first/);
  assert.equal(withTarget(saved, target("b", "x")).targets.length, 100);
  assert.throws(() => withTarget(NOTHING_SAVED, target("long", "x".repeat(300_000))), /too long/);
  assert.throws(
    () => withFavourite(NOTHING_SAVED, { name: " ", where: "minions", fun: "x.y", arg: [], kwarg: {} }),
    /name/,
  );
});

test("runs are noted once each, the latest first, without their arguments", () => {
  let saved: Saved = NOTHING_SAVED;
  const run = { where: "minions" as const, fun: "cmd.run", tgt: "*", type: "glob", arg: ["secret"] };
  saved = withRun(withRun(withRun(saved, run), { ...run, fun: "test.ping" }), run);
  assert.deepEqual(saved.recent.map(({ fun }) => fun), ["cmd.run", "test.ping"]);
  assert.ok(!JSON.stringify(saved).includes("secret"));
  for (let at = 0; at < 30; at++) saved = withRun(saved, { ...run, tgt: `m${at}` });
  assert.equal(saved.recent.length, 20);
  assert.equal(withRun(saved, { ...run, tgt: "x".repeat(100_000) }).recent[0]!.tgt, "");
});

test("views are kept by name, and others than texts in them are not read", () => {
  const saved = withSavedView(NOTHING_SAVED, { name: "webs", query: { tgt: "web*", state: "down" } });
  assert.deepEqual(readSaved(JSON.parse(JSON.stringify(saved))).views, [{
    name: "webs",
    query: { tgt: "web*", state: "down" },
  }]);
  assert.deepEqual(readSaved({ views: [{ name: "x", query: { tgt: 7 } }, { name: "y" }] }).views, []);
});
