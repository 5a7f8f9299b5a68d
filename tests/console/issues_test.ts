import assert from "node:assert/strict";
import { test } from "node:test";
import { issuesOf, type IssueSources, readMasterIssues } from "../../src/console/issues.ts";
import { parseRoute } from "../../src/console/route.ts";

const NONE: IssueSources = {
  counts: undefined,
  down: [],
  denied: [],
  failedStates: undefined,
  master: undefined,
  engines: undefined,
};
const counts = { up: 1, down: 0, unknown: 0, accepted: 1, pending: 0, rejected: 0, denied: 0 };
const engine = { name: "hook", module: "webhook", state: "running", reason: "", restarts: 0, lastError: "", whole: {} };

for (
  const { name, sources, want } of [
    { name: "nothing is known", sources: {}, want: [] },
    { name: "all is well", sources: { counts, failedStates: 0, master: [], engines: [engine] }, want: [] },
    { name: "a minion is down", sources: { down: ["web1"] }, want: ["error 1 minion down: web1"] },
    {
      name: "many are down",
      sources: { down: ["a", "b", "c", "d", "e", "f", "g"] },
      want: ["error 7 minions down: a, b, c, d, e and 2 more"],
    },
    {
      name: "keys wait and a key is denied: errors come first",
      sources: { counts: { ...counts, pending: 2 }, denied: ["db1"] },
      want: [
        "error 1 denied key: Another host uses the id of an accepted minion: db1",
        "warning 2 keys wait to be accepted: The master sends these minions nothing yet.",
      ],
    },
    {
      name: "states failed",
      sources: { failedStates: 3 },
      want: ["error 3 runs of states failed: In the last 24 hours, on at least one minion."],
    },
    {
      name: "the master says so",
      sources: { master: [{ kind: "disk", level: "error", text: "1.0 GiB free in /cache", remedy: "Free it." }] },
      want: ["error Little disk space on the master: 1.0 GiB free in /cache"],
    },
    {
      name: "an engine is not running",
      sources: { engines: [{ ...engine, state: "waiting", lastError: "exit code 1" }] },
      want: ["warning Engine hook: waiting: exit code 1"],
    },
  ] as { name: string; sources: Partial<IssueSources>; want: string[] }[]
) {
  test(`issues where ${name}`, () => {
    const issues = issuesOf({ ...NONE, ...sources });
    assert.deepEqual(issues.map(({ level, title, detail }) => `${level} ${title}: ${detail}`), want);
    assert.equal(new Set(issues.map(({ key }) => key)).size, issues.length);
    for (const { remedy, link } of issues) {
      assert.notEqual(remedy, "");
      if (link !== undefined) {
        assert.notDeepEqual(parseRoute(link.href).query, {}, "the link leads to what it is about");
      }
    }
  });
}

test("issues of the master are read as far as they are sound", () => {
  assert.deepEqual(readMasterIssues([{ kind: "disk", level: "great", text: "x".repeat(5000), remedy: 7 }, null]), [
    { kind: "disk", level: "warning", text: "x".repeat(500), remedy: "" },
  ]);
  assert.equal(readMasterIssues("'manage.issues' is not available."), undefined);
});
