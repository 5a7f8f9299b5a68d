import assert from "node:assert/strict";
import { test } from "node:test";
import { ReactionRecord } from "../../../src/feature/reactor/reaction_record.ts";

test("the latest reactions are remembered with their time; their number and their texts are bounded", () => {
  let now = 0;
  const record = new ReactionRecord(() => now += 1000);
  for (let at = 0; at < 1000; at++) {
    record.add({
      tag: `my/${"x".repeat(10_000)}`,
      sls: "/a.sls",
      id: "a",
      fun: "local.test.ping",
      outcome: "failed",
      error: "e".repeat(9000),
    });
  }
  assert.deepEqual(record.counts, { events: 0, called: 0, failed: 1000, stopped: 0, dropped: 0 });
  assert.equal(record.latest.length, 200);
  const last = record.latest.at(-1)!;
  assert.deepEqual([last.at, last.tag.length, last.error!.length], [1000, 500, 500]);
});
