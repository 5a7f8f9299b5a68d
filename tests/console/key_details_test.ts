import assert from "node:assert/strict";
import { test } from "node:test";
import { hostText, readKeyDetails, readKeyHistory } from "../../src/console/key_details.ts";

test("what the master knows of keys is read as far as it is sound", () => {
  const found = readKeyDetails({
    minions_pre: { new1: { since: 90.5, address: "10.0.0.7" }, new2: { since: "x", address: 7 }, new3: null },
    minions: { constructor: { up_since: 5 } },
    minions_denied: 7,
  });
  assert.deepEqual([...found], [
    ["minions_pre/new1", { sinceMs: 90_500, address: "10.0.0.7" }],
    ["minions_pre/new2", {}],
    ["minions/constructor", { upSinceMs: 5000 }],
  ]);
  assert.equal(readKeyDetails("'key.details' is not available").size, 0);
});

test("the history of keys is read with the latest first, and bounded texts", () => {
  const [latest, first] = readKeyHistory([
    { time: "2026-11-21T08:43:31.000Z", act: "accept", id: "web1", user: "ada", via: "wheel", replaced: "aa:bb" },
    { time: "nonsense", id: "x".repeat(5000), user: { name: "eve" } },
    7,
  ]);
  assert.deepEqual([latest!.atMs, latest!.id.length, latest!.user], [undefined, 300, ""]);
  assert.deepEqual([first!.atMs, first!.replaced, first!.from], [Date.UTC(2026, 10, 21, 8, 43, 31), "aa:bb", ""]);
  assert.deepEqual(readKeyHistory(null), []);
});

for (
  const { presence, seen, details, want } of [
    { presence: "up", seen: "now", details: { upSinceMs: 1000 }, want: "up for 3 h" },
    { presence: "up", seen: "now", details: undefined, want: "up now" },
    { presence: "down", seen: "5 min ago", details: {}, want: "down, last seen 5 min ago" },
    { presence: "unknown", seen: "", details: undefined, want: "unknown" },
  ] as const
) {
  test(`a host that would be replaced is "${want}"`, () => {
    assert.equal(hostText({ presence, seen, details, nowMs: 1000 + 3 * 3_600_000 }), want);
  });
}
