import assert from "node:assert/strict";
import { test } from "node:test";
import { ApiError } from "../../src/console/api.ts";
import { GrainsCache } from "../../src/console/grains.ts";

const ids = (count: number) => Array.from({ length: count }, (_value, at) => `m${at}`);

test("grains are read in pieces, each once, visible minions first", async () => {
  const asked: string[][] = [];
  let done!: () => void;
  const all = new Promise<void>((resolve) => done = resolve);
  const cache: GrainsCache = new GrainsCache((piece) => {
    asked.push(piece);
    if (asked.length === 1) cache.want(["m2400", "m2401"], true);
    return Promise.resolve(Object.fromEntries(piece.map((id) => [id, { id, flags: ids(40) }])));
  }, () => {
    if (cache.size === 2500) done();
  });
  cache.want(ids(2500));
  cache.want(ids(2500));
  await all;
  assert.deepEqual(asked.map(({ length }) => length), [1000, 1000, 500]);
  assert.deepEqual(asked[1]!.slice(0, 2), ["m2400", "m2401"]);
  assert.equal(new Set(asked.flat()).size, 2500);
  // The same long value is kept once.
  assert.equal(cache.of("m1")?.flags, cache.of("m2000")?.flags);
});

test("a minion without grains in the master's cache has empty ones", async () => {
  let done!: () => void;
  const read = new Promise<void>((resolve) => done = resolve);
  const cache = new GrainsCache(() => Promise.resolve({ m0: null }), () => done());
  assert.equal(cache.of("m0"), undefined);
  cache.want(["m0", "m1"]);
  await read;
  assert.deepEqual([cache.of("m0"), cache.of("m1")], [{}, {}]);
});

test("an account that may not read grains asks once", async () => {
  let asked = 0;
  let changed!: () => void;
  const change = new Promise<void>((resolve) => changed = resolve);
  const cache = new GrainsCache(() => {
    asked++;
    return Promise.reject(new ApiError("forbidden", 401, "no", "ask"));
  }, () => changed());
  cache.want(["m0"]);
  await change;
  await Promise.resolve();
  cache.want(["m0", "m1"], true);
  assert.equal(asked, 1);
  cache.clear();
  cache.want(["m0"]);
  assert.equal(asked, 2);
});

test("an error is kept, and the next request reads again", async () => {
  let fail = true;
  let changed!: () => void;
  let change = new Promise<void>((resolve) => changed = resolve);
  const cache = new GrainsCache(
    () => fail ? Promise.reject(new Error("no")) : Promise.resolve({ m0: { a: 1 } }),
    () => changed(),
  );
  cache.want(["m0"]);
  await change;
  assert.match(String(cache.error), /no/);
  fail = false;
  change = new Promise<void>((resolve) => changed = resolve);
  // The failed round ends one turn after its error was reported.
  await Promise.resolve();
  cache.want(["m0"]);
  await change;
  assert.equal(cache.error, undefined);
  assert.deepEqual(cache.of("m0"), { a: 1 });
});
