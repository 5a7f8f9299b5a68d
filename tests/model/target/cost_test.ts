/** Targets of any caller take a bounded number of steps, and report it when they exceed it. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { expandTarget } from "../../../src/model/target/expand.ts";
import { matchMinion } from "../../../src/model/target/match.ts";
import { PatternCache } from "../../../src/model/target/patterns.ts";

const TIMEOUT = { timeout: 20_000 };

/** Maps within maps, two each. */
const tree = (levels: number): unknown => levels === 0 ? { z: "v" } : { a: tree(levels - 1), b: tree(levels - 1) };
const chain = (levels: number): unknown => levels === 0 ? { z: "v" } : { a: chain(levels - 1), l: ["x"] };

const GIVEN_UP: { name: string; tgt: string; tgt_type: string; grains?: unknown; error?: RegExp }[] = [
  { name: "optional characters", tgt: `x:${".?".repeat(28)}y`, tgt_type: "grain_pcre", grains: { x: "a".repeat(28) } },
  { name: "three stars", tgt: "x:.*.*.*\\x00", tgt_type: "grain_pcre", grains: { x: "a".repeat(4000) } },
  { name: "counted repetitions", tgt: "x:(?:a{1,20}){1,20}b", tgt_type: "grain_pcre", grains: { x: "a".repeat(400) } },
  {
    name: "a glob with many stars",
    tgt: `x:${"*a".repeat(5000)}b`,
    tgt_type: "grain",
    grains: { x: "a".repeat(100_000) },
  },
  { name: "any key 26 times, in a tree", tgt: `${"*:".repeat(26)}nope`, tgt_type: "grain", grains: tree(8) },
  { name: "any key 26 times, in a chain", tgt: `${"*:".repeat(26)}nope`, tgt_type: "grain", grains: chain(30) },
  {
    name: "any key 60 times, in a large tree",
    tgt: `${"*:".repeat(60)}nope`,
    tgt_type: "grain",
    grains: tree(13),
    error: /takes more than \d+ steps/,
  },
  { name: "a hundred levels", tgt: `${"a:".repeat(100)}b`, tgt_type: "grain", grains: tree(2), error: /64 levels/ },
  { name: "a backreference", tgt: "(a)\\1", tgt_type: "pcre", error: /backreference/ },
  {
    name: "many parentheses",
    tgt: `${"( ".repeat(2000)}a`,
    tgt_type: "compound",
    error: /levels of parentheses/,
  },
  { name: "many negations", tgt: `${"not ".repeat(2000)}a`, tgt_type: "compound" },
  { name: "many words", tgt: "a or ".repeat(50_000), tgt_type: "compound", error: /4096 words/ },
];

describe("expandTarget()", TIMEOUT, () => {
  for (const { name, tgt, tgt_type, grains = {}, error } of GIVEN_UP) {
    test(`matches no minion in bounded steps: ${name}`, TIMEOUT, () => {
      const patterns = new PatternCache();
      const data = { grains: grains as Record<string, unknown> };
      const source = { accepted: () => ["web1"], cached: () => ["web1"], data: () => data };
      const found = expandTarget({ tgt, tgt_type }, source, { patterns });
      assert.deepEqual(found.minions, []);
      if (error !== undefined && found.error !== undefined) assert.match(found.error, error);
      assert.equal(found.error !== undefined, error !== undefined, found.error);
      assert.equal(matchMinion({ tgt, tgt_type }, { id: "web1", grains: data.grains, pillar: {} }, patterns), false);
      // What one target has cost is not counted for the next.
      assert.deepEqual(expandTarget({ tgt: "web.*", tgt_type: "pcre" }, source, { patterns }).minions, ["web1"]);
    });
  }

  test("has enough steps for an ordinary pattern on ten thousand minions", () => {
    const ids = Array.from({ length: 10_000 }, (_, at) => `web${at}.prod.example.com`);
    const source = { accepted: () => ids, cached: () => [], data: () => undefined };
    const found = expandTarget({ tgt: "^web[0-9]+\\.prod\\..*$", tgt_type: "pcre" }, source);
    assert.equal(found.error, undefined);
    assert.equal(found.minions.length, 10_000);
  });
});

describe("PatternCache", () => {
  test("compiles a refused pattern once, and drops the oldest when there are too many states", () => {
    const patterns = new PatternCache();
    for (const _ of [1, 2]) assert.throws(() => patterns.regexp("(a)\\1"), /backreference/);
    for (let at = 0; at < 100; at++) assert.equal(patterns.regexp(`x{10000}${at}`)("y"), false);
    assert.equal(patterns.regexp("web.*")("web1"), true);
  });
});
