import assert from "node:assert/strict";
import { test } from "node:test";
import { lowstateOutcomes } from "../../../src/client/http/lowstate.ts";

test("a job of several functions has succeeded where each of them has", () => {
  const answer = (codes: unknown) => ({
    web1: { ret: { "test.ping": true, "cmd.run": "" }, retcode: codes, jid: "1" },
  });
  const kind = (codes: unknown) => lowstateOutcomes(answer(codes)).outcomes[0]!.kind;
  assert.deepEqual(
    [0, 1, { "test.ping": 0, "cmd.run": 0 }, { "test.ping": 0, "cmd.run": 2 }, undefined].map(kind),
    ["returned", "failed", "returned", "failed", "failed"],
  );
});
