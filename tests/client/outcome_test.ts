import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { hasReturn, type Outcome, returnOutcome, statusOutcome } from "../../src/client/outcome.ts";
import { OUTCOME_STATES } from "../../src/model/job/outcome.ts";

/** Every kind of {@link Outcome}: a kind that is missing here, or that the union lacks, does not compile. */
const KINDS: Record<Outcome["kind"], true> = {
  "queued": true,
  "published": true,
  "started": true,
  "returned": true,
  "failed": true,
  "timed out": true,
  "lost": true,
  "expired": true,
  "cancelled": true,
  "no answer": true,
  "missing": true,
};
const kinds = Object.keys(KINDS) as Outcome["kind"][];

test("an outcome has the states that a Brine master keeps, and two that only a client sees", () => {
  assert.deepEqual(kinds, [...OUTCOME_STATES, "no answer", "missing"]);
});

test("docs/how-it-works.md lists exactly the kinds of an outcome", () => {
  const page = readFileSync(new URL("../../docs/how-it-works.md", import.meta.url), "utf8");
  const table = page.slice(page.indexOf("| outcome | meaning |")).split("\n\n")[0]!;
  assert.deepEqual([...table.matchAll(/^\| `([a-z ]+)` \|/gm)].map(([, kind]) => kind).sort(), [...kinds].sort());
});

describe("statusOutcome()", () => {
  const reported = { at: 100, since: 90.5, note: "why" };
  for (const outcome of OUTCOME_STATES.filter((state) => state !== "returned" && state !== "failed")) {
    test(`keeps what a master reports of a target that is ${outcome}`, () => {
      assert.deepEqual(statusOutcome("web1", "1", { ...reported, outcome }), {
        kind: outcome,
        id: "web1",
        jid: "1",
        atMs: 100_000,
        sinceMs: 90_500,
        note: "why",
      });
    });
  }

  test("has no answer where the master keeps no outcomes, or reports a state of a later release", () => {
    assert.deepEqual(statusOutcome("web1", "1"), { kind: "no answer", id: "web1", jid: "1" });
    assert.equal(statusOutcome("web1", "1", { outcome: "exploded" }).kind, "no answer");
  });

  test("does not make up a return that has not arrived here", () => {
    for (const outcome of ["returned", "failed"]) {
      const found = statusOutcome("web1", "1", { outcome });
      assert.ok(!hasReturn(found) && found.kind === "no answer");
      assert.match(found.note ?? "", new RegExp(`^${outcome}: `));
    }
  });
});

describe("returnOutcome()", () => {
  for (
    const [retcode, success, want] of [
      [0, true, "returned"],
      [0, undefined, "returned"],
      [undefined, undefined, "returned"],
      [1, true, "failed"],
      [0, false, "failed"],
      [{ "test.ping": 0, "cmd.run": 2 }, undefined, "failed"],
    ] as const
  ) {
    test(`code ${JSON.stringify(retcode)} and success ${success} is ${want}`, () => {
      const outcome = returnOutcome({ id: "web1", jid: "1", return: null, retcode, success, out: undefined });
      assert.equal(outcome.kind, want);
      assert.ok(hasReturn(outcome));
    });
  }
});
