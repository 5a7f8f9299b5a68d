import assert from "node:assert/strict";
import { test } from "node:test";
import { isStateRun } from "../../src/console/state_run.ts";
import { countRows, filterTop, flatten, hasMore, type TreeRow, treeSummary } from "../../src/console/tree.ts";

const all = () => true;
const shown = (rows: TreeRow[]) => rows.map(({ depth, name, text }) => `${" ".repeat(depth)}${name}=${text}`);

test("flatten() makes a row of each value, nested ones below their names", () => {
  const value = { a: 1, b: { c: [true, null], d: {} }, e: "two\nlines\n" };
  assert.deepEqual(shown(flatten(value, all)), [
    "a=1",
    "b=2 keys",
    " c=2 items",
    "  0=true",
    "  1=null",
    " d={}",
    "e=",
    " =two",
    " =lines",
  ]);
});

test("flatten() leaves out collapsed values", () => {
  const rows = flatten({ a: { b: 1 }, c: { d: 2 } }, (path) => path === "/c");
  assert.deepEqual(shown(rows), ["a=1 key", "c=1 key", " d=2"]);
  assert.deepEqual(rows.map(({ expanded }) => expanded), [false, true, undefined]);
});

test("flatten() gives each row a unique path", () => {
  const rows = flatten({ a: { "": [1, 2] }, b: "x\ny", "a/": 0 }, all);
  assert.equal(new Set(rows.map(({ path }) => path)).size, rows.length);
});

test("flatten() stops at its limit and says so", () => {
  const rows = flatten(Array.from({ length: 50 }, (_value, at) => at), all, 10);
  assert.equal(rows.length, 11);
  assert.match(rows.at(-1)!.text, /more than 10 rows/);
});

const state = (number: number, result: boolean | null, changes: Record<string, unknown> = {}) => ({
  __id__: `s${number}`,
  __run_num__: number,
  result,
  comment: "c",
  changes,
});
const RUN = {
  "file_|-s0_|-x_|-managed": state(0, true),
  "file_|-s1_|-x_|-managed": state(1, false),
  "file_|-s2_|-x_|-managed": state(2, true, { diff: "+" }),
  "file_|-s3_|-x_|-managed": state(3, null),
};

test("the results of states are ordered with failed ones first, each with its mark", () => {
  assert.ok(isStateRun(RUN));
  assert.deepEqual(flatten(RUN, () => false).map(({ name, mark }) => `${name} ${mark}`), [
    "s1 failed",
    "s3 would change",
    "s2 changed",
    "s0 ok",
  ]);
  assert.equal(treeSummary(RUN), "1 failed, 1 would change, 1 changed, 1 ok");
});

test("the result of a state is what changed, comment, name and time; what Salt keeps for itself is folded", () => {
  const run = {
    "file_|-motd_|-/etc/motd_|-managed": {
      __id__: "motd",
      __run_num__: 0,
      __sls__: "app",
      name: "/etc/motd",
      result: true,
      comment: "File updated\nin place",
      changes: { diff: "--- a\n+++ b\n@@ -1 +1 @@\n-old\n+new\n", mode: { old: "", new: "0644" } },
      duration: 8.4,
      start_time: "12:00:00",
    },
  };
  const rows = flatten(run, (_path, _depth, mark) => mark !== "details");
  assert.deepEqual(shown(rows).slice(1), [
    " diff=",
    "  =--- a",
    "  =+++ b",
    "  =@@ -1 +1 @@",
    "  =-old",
    "  =+new",
    " mode=(none) → 0644",
    " comment=",
    "  =File updated",
    "  =in place",
    " name=/etc/motd",
    " took=8 ms",
    " details=7 keys",
  ]);
  assert.deepEqual(rows.flatMap(({ text, difference }) => difference === undefined ? [] : [`${difference} ${text}`]), [
    "removed -old",
    "added +new",
  ]);
  assert.equal(rows.at(-1)!.expanded, false);
});

test("a state on minions leads to its job, and shows the states of each minion", () => {
  const jid = "20261121084331391697";
  const run = {
    "salt_|-deploy_|-deploy_|-state": {
      __id__: "deploy",
      __jid__: jid,
      result: true,
      comment: "",
      changes: { out: "highstate", ret: { web1: RUN } },
    },
  };
  const rows = flatten(run, (_path, _depth, mark) => mark === "changed" || mark === "changes");
  assert.deepEqual(shown(rows).slice(1, 3), [
    " web1=1 failed, 1 would change, 1 changed, 1 ok",
    "  s1=file.managed · c",
  ]);
  assert.equal(rows.find(({ name }) => name === "job")!.jid, jid);
});

for (
  const { value, text, more } of [
    { value: true, text: "true", more: false },
    { value: "one line\n", text: "one line", more: false },
    { value: "\nfirst\nsecond\n", text: "first  (3 lines)", more: true },
    { value: "", text: "empty text", more: false },
    { value: [], text: "empty list", more: false },
    { value: [1], text: "1 item", more: true },
    { value: {}, text: "empty mapping", more: false },
    { value: { a: 1, b: 2 }, text: "2 keys", more: true },
    { value: null, text: "null", more: false },
    { value: undefined, text: "", more: false },
  ]
) {
  test(`${JSON.stringify(value)} in a line is "${text}"`, () => {
    assert.equal(treeSummary(value), text);
    assert.equal(hasMore(value), more);
  });
}

test("filterTop() keeps entries with the text in their name or value", () => {
  const value = { os: "Debian", ipv4: ["10.0.0.1"], kernel: "Linux" };
  assert.deepEqual(Object.keys(filterTop(value, "DEB") as object), ["os"]);
  assert.deepEqual(Object.keys(filterTop(value, "10.0") as object), ["ipv4"]);
  assert.equal(filterTop(value, " "), value);
});

const RANDOM_VALUES: unknown[] = Array.from({ length: 300 }, (_value, seed) => randomValue(random(seed + 1), 0));

function random(seed: number): () => number {
  let state = seed;
  return () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
}

function randomValue(next: () => number, depth: number): unknown {
  const kind = Math.floor(next() * (depth > 4 ? 6 : 9));
  const many = <Item>(item: (at: number) => Item) =>
    Array.from({ length: Math.floor(next() * 5) }, (_item, at) => item(at));
  switch (kind) {
    case 0:
      return Math.floor(next() * 100);
    case 1:
      return null;
    case 2:
      return next() < 0.5;
    case 3:
      return "";
    case 4:
      return many(() => "line").join("\n");
    case 5:
      return `${many(() => "line").join("\n")}\n`;
    case 6:
      return many(() => randomValue(next, depth + 1));
    case 7:
      return Object.fromEntries(many((at) => [["a", "", "b/c", "~"][at % 4]!, randomValue(next, depth + 1)]));
    default:
      return Object.fromEntries(
        many((at) => [`file_|-s${at}_|-x_|-managed`, state(at, [true, false, null][at % 3]!, { at })]),
      );
  }
}

for (
  const { name, opens } of [
    { name: "all are expanded", opens: () => true },
    { name: "none is expanded", opens: () => false },
    {
      name: "the first level and failed states are",
      opens: (depth: number, mark?: string) => mark === "failed" || mark === "changes" || depth < 1,
    },
  ]
) {
  test(`countRows() is the number of rows that flatten() makes if ${name}`, () => {
    for (const value of RANDOM_VALUES) {
      assert.equal(
        countRows(value, opens),
        flatten(value, (_path, depth, mark) => opens(depth, mark)).length,
        JSON.stringify(value),
      );
      assert.equal(countRows(value, opens, 3), flatten(value, (_path, depth, mark) => opens(depth, mark), 3).length);
    }
  });
}

test("a value of many levels is cut, not followed until the stack ends", () => {
  const deep = JSON.parse(`${"[".repeat(100_000)}${"]".repeat(100_000)}`);
  const rows = flatten(deep, all);
  assert.match(rows.at(-1)!.text, /deeper than 200 levels/);
  assert.equal(countRows(deep, all), rows.length);
});
