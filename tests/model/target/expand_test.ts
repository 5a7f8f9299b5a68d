import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type CachedData, expandTarget, type MinionSource } from "../../../src/model/target/expand.ts";
import { vectors } from "./vectors.ts";

interface Row {
  tgt_type: string;
  tgt: unknown;
  delimiter?: string;
  greedy: boolean;
  minions: string[];
  missing: string[];
}

interface Entry {
  grains: Record<string, unknown>;
  pillar: Record<string, unknown>;
  in_master_cache: boolean;
}

const fleet = vectors.fleet as Record<string, Entry>;
const ids = Object.keys(fleet);

function source(cacheEnabled: boolean): MinionSource {
  const ghosts = vectors.cache_only_minions as string[];
  return {
    accepted: () => [...ids].sort((a, b) => a.toLowerCase() < b.toLowerCase() ? -1 : 1),
    cached: () => [...ids.filter((id) => fleet[id]?.in_master_cache), ...ghosts],
    // The recording gave minions without a key the data of the first of the fleet.
    data: (id) => fleet[id] ?? fleet[ids[0] ?? ""],
    cacheEnabled,
    nodegroups: vectors.nodegroups,
  };
}

for (
  const { name, rows, cacheEnabled } of [
    { name: "with the data cache", rows: vectors.master_side as Row[], cacheEnabled: true },
    { name: "without the data cache", rows: vectors.master_side_cache_disabled as Row[], cacheEnabled: false },
  ]
) {
  describe(`expandTarget() predicts as Salt's master does ${name}`, () => {
    for (const row of rows) {
      test(`${row.greedy ? "greedy " : ""}${row.tgt_type} ${JSON.stringify(row.tgt)} ${row.delimiter ?? ""}`, () => {
        const { minions, missing } = expandTarget(row, source(cacheEnabled), { greedy: row.greedy });
        assert.deepEqual({ minions: [...minions].sort(), missing }, { minions: row.minions, missing: row.missing });
      });
    }
  });
}

describe("expandTarget()", () => {
  for (
    const { name, target, want } of [
      {
        name: "keeps the order and the duplicates of a list",
        target: { tgt: "web2,web1,web2", tgt_type: "list" },
        want: ["web2", "web1", "web2"],
      },
      { name: "treats a missing target as empty text", target: { tgt: null, tgt_type: "glob" }, want: [] },
      { name: "expands an unknown type to no minion", target: { tgt: "*", tgt_type: "toString" }, want: [] },
      { name: "cannot combine an empty parenthesis", target: { tgt: "web1 or ( )", tgt_type: "compound" }, want: [] },
    ]
  ) test(name, () => assert.deepEqual(expandTarget(target, source(true)).minions, want));

  for (
    const { tgt, tgt_type, want } of [
      { tgt: "os:Debian", tgt_type: "grain", want: ["known", "new"] },
      { tgt: "os:Deb.*", tgt_type: "grain_pcre", want: ["known", "new"] },
      { tgt: "role:web", tgt_type: "pillar", want: ["known", "new"] },
      { tgt: "role:w.b", tgt_type: "pillar_pcre", want: ["known", "new"] },
      { tgt: "G@os:Debian and I@role:web", tgt_type: "compound", want: ["known", "new"] },
      { tgt: "not G@os:Debian", tgt_type: "compound", want: ["gone", "other"] },
      { tgt: "192.0.2.0/24", tgt_type: "ipcidr", want: ["gone", "known", "new"] },
      { tgt: "*", tgt_type: "glob", want: ["gone", "known", "new", "other"] },
    ]
  ) {
    test(`expects those minions without cached data that its source expects: ${tgt_type} ${tgt}`, () => {
      const data: Record<string, CachedData> = {
        known: { grains: { os: "Debian", ipv4: ["192.0.2.1"] }, pillar: { role: "web" } },
        other: { grains: { os: "Arch", ipv4: ["198.51.100.1"] }, pillar: { role: "db" } },
      };
      const { minions } = expandTarget({ tgt, tgt_type }, {
        accepted: () => ["gone", "known", "new", "other"],
        cached: () => Object.keys(data),
        data: (id) => data[id],
        countsOn: (id) => id === "new",
      });
      assert.deepEqual(minions, want);
    });
  }

  test("expects no minion for a target on grains when nothing is cached and none is connected", () => {
    const empty: MinionSource = {
      accepted: () => ["a"],
      cached: () => [],
      data: () => undefined,
      countsOn: () => false,
    };
    assert.deepEqual(expandTarget({ tgt: "os:x", tgt_type: "grain" }, empty).minions, []);
  });

  test("keeps every minion when nothing is cached", () => {
    const empty: MinionSource = { accepted: () => ["a", "b"], cached: () => [], data: () => undefined };
    assert.deepEqual(expandTarget({ tgt: "os:x", tgt_type: "grain" }, empty).minions, ["a", "b"]);
    assert.deepEqual(expandTarget({ tgt: "os:x", tgt_type: "grain" }, empty, { greedy: false }).minions, []);
  });
});
