import assert from "node:assert/strict";
import { test } from "node:test";
import { ApiError } from "../../src/console/api.ts";
import { FACT_FIELDS, FactsCache, readFacts } from "../../src/console/facts.ts";

const ids = Array.from({ length: 3000 }, (_value, at) => `m${at}`);

async function readAll(grains: Record<string, unknown>): Promise<{ pieces: number[]; cache: FactsCache }> {
  const pieces: number[] = [];
  let done = () => {};
  const all = new Promise<void>((resolve) => done = resolve);
  const cache: FactsCache = new FactsCache((wanted, fields) => {
    assert.deepEqual(fields, FACT_FIELDS);
    pieces.push(wanted.length);
    return Promise.resolve(Object.fromEntries(wanted.map((id) => [id, grains])));
  }, () => cache.size === ids.length && done());
  cache.want(ids);
  await all;
  return { pieces, cache };
}

test("of a master that sends the wanted grains alone, many minions are read at once", async () => {
  const { pieces, cache } = await readAll({
    os: "Debian",
    osrelease: "12",
    saltversion: "3006.28",
    brineversion: "0.1.0",
  });
  assert.deepEqual(pieces, [200, 2500, 300]);
  assert.deepEqual(cache.of("m7"), { os: "Debian", system: "Debian 12", program: "Brine 0.1.0", address: "" });
});

test("of a master that sends all grains, few are read at once, and only facts are kept", async () => {
  const { pieces, cache } = await readAll({
    ...Object.fromEntries(ids.slice(0, 50).map((id) => [id, id])),
    os: "Debian",
  });
  assert.ok(pieces.every((size) => size === 200));
  assert.deepEqual(Object.keys(cache.of("m7")!), ["os", "system", "program", "address"]);
});

test("an account that may not read grains is not asked again", async () => {
  let asked = 0;
  const changed = Promise.withResolvers<void>();
  const cache = new FactsCache(() => {
    asked++;
    return Promise.reject(new ApiError("forbidden", 401, "no", "ask"));
  }, () => changed.resolve());
  cache.want(ids);
  await changed.promise;
  cache.want(ids);
  assert.equal(asked, 1);
  assert.ok(cache.error instanceof ApiError);
});

test("grains of a minion are texts of any kind and length", () => {
  const facts = readFacts({
    os: "x".repeat(5000),
    osrelease: {},
    saltversion: ["3006"],
    fqdn_ip4: "10.0.0.1",
    ipv4: [1, "127.0.0.1"],
  });
  assert.deepEqual(facts, { os: "x".repeat(100), system: "x".repeat(100), program: "", address: "" });
});

test("grains that the user has chosen are read with the facts, at a path, as texts", async () => {
  const asked: (readonly string[])[] = [];
  let changed = Promise.withResolvers<void>();
  const own = { os: "Debian", role: ["web", "tls"], ec2: { tags: { stage: 3 } }, secret: "x" };
  const cache = new FactsCache((_ids, fields) => {
    asked.push(fields);
    return Promise.resolve({ a: own });
  }, () => changed.resolve());
  cache.want(["a"]);
  await changed.promise;
  assert.equal(cache.of("a")!.grains, undefined);
  cache.choose(["role", "ec2:tags:stage", "none"]);
  assert.equal(cache.of("a"), undefined);
  changed = Promise.withResolvers<void>();
  cache.want(["a"]);
  await changed.promise;
  assert.deepEqual(asked[1], [...FACT_FIELDS, "role", "ec2:tags:stage", "ec2", "none"]);
  assert.deepEqual([...cache.of("a")!.grains!], [["role", "web, tls"], ["ec2:tags:stage", "3"], ["none", ""]]);
});
