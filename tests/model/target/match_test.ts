import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { matchMinion } from "../../../src/model/target/match.ts";
import { PatternCache } from "../../../src/model/target/patterns.ts";
import type { Subject } from "../../../src/model/target/target.ts";
import { vectors } from "./vectors.ts";

interface Row {
  tgt_type: string;
  tgt: unknown;
  delimiter?: string;
  datastore?: boolean;
  expected: boolean | Record<string, boolean | { error: string }>;
}

const patterns = () => new PatternCache();

function subject(id: string): Subject {
  const { grains, pillar } = vectors.fleet[id];
  return { id, grains, pillar, nodegroups: vectors.nodegroups };
}

describe("matchMinion() decides as Salt's matchers do", () => {
  for (const row of vectors.minion_side as Row[]) {
    const name = `${row.tgt_type} ${JSON.stringify(row.tgt)} ${row.delimiter ?? ""}`;
    test(name, () => {
      const cache = patterns();
      if (typeof row.expected === "boolean") {
        const target = { id: "any", grains: {}, pillar: {}, datastore: vectors.datastore };
        assert.equal(matchMinion(row, target, cache), row.expected);
        return;
      }
      const results = Object.keys(row.expected).map((id) => [id, matchMinion(row, subject(id), cache)]);
      // Where Salt raised, no match is right.
      const expected = Object.entries(row.expected).map(([id, want]) => [id, want === true]);
      assert.deepEqual(results, expected);
    });
  }
});

describe("matchMinion()", () => {
  const web1: Subject = { id: "web1", grains: { os: "Ubuntu" }, pillar: {} };
  for (
    const { name, target, want } of [
      { name: "treats a missing type as a glob", target: { tgt: "web*" }, want: true },
      { name: "matches no minion by an unknown type", target: { tgt: "*", tgt_type: "constructor" }, want: false },
      { name: "matches no minion by range", target: { tgt: "%web", tgt_type: "range" }, want: false },
      { name: "needs the table for node groups", target: { tgt: "webs", tgt_type: "nodegroup" }, want: false },
      {
        name: "matches no minion if one term of a compound target is bad",
        target: { tgt: "web1 or E@[", tgt_type: "compound" },
        want: false,
      },
      { name: "matches every minion by not ( )", target: { tgt: "not ( )", tgt_type: "compound" }, want: true },
      {
        name: "matches no minion by a glob that is not text",
        target: { tgt: ["web1"], tgt_type: "glob" },
        want: false,
      },
      {
        name: "matches no minion by a compound target that is not text",
        target: { tgt: 5, tgt_type: "compound" },
        want: false,
      },
    ]
  ) test(name, () => assert.equal(matchMinion(target, web1), want));

  test("finds an integer key by its text", () => {
    const grains = { ports: new Map<unknown, unknown>([[80, "open"]]) };
    const subject = { id: "a", grains, pillar: {} };
    assert.equal(matchMinion({ tgt: "ports:80:open", tgt_type: "grain" }, subject), true);
    assert.equal(matchMinion({ tgt: "ports:81:open", tgt_type: "grain" }, subject), false);
  });
});
