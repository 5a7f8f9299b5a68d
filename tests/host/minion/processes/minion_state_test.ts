/** The state of the minion as the process of a job sees it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { packMinionState, unpackMinionState } from "../../../../src/host/minion/processes/minion_state.ts";
import { Tuple, tupleOf } from "../../../../src/language/python/values.ts";
import { testMinion } from "../../../support/context.ts";

test("the tuple among the grains is a tuple in the process of a job", async () => {
  const sent = { id: "web1", osrelease_info: tupleOf([12, 5]), roles: ["db"] };
  const { context } = await testMinion({ grains: sent });
  const { grains } = unpackMinionState(packMinionState(context));
  assert.deepEqual([grains.osrelease_info instanceof Tuple, grains.roles instanceof Tuple], [true, false]);
  assert.deepEqual({ ...grains }, sent);
});
