import assert from "node:assert/strict";
import { test } from "node:test";
import { kwargs, testMinion } from "../../support/context.ts";

for (
  const { opts, state, runs } of [
    { opts: {}, state: "test.nop", runs: true },
    { opts: { disable_states: ["test"] }, state: "test.nop", runs: false },
    { opts: { disable_states: ["cmd"] }, state: "test.nop", runs: true },
    { opts: { whitelist_state_modules: ["test"] }, state: "test.nop", runs: true },
    { opts: { whitelist_state_modules: ["test"] }, state: "cmd.run", runs: false },
    { opts: { whitelist_state_modules: [] }, state: "cmd.run", runs: true },
    { opts: { whitelist_state_modules: ["test"], disable_states: ["test"] }, state: "test.nop", runs: false },
  ]
) {
  test(`${state} ${runs ? "runs" : "does not run"} under ${JSON.stringify(opts)}`, async () => {
    const minion = await testMinion({ opts });
    const { return: value } = await minion.run("state.single", [state, kwargs({ name: "pwd" })]);
    const missing = `Specified state '${state}' was not found`;
    if (!runs) return assert.deepEqual(value, [missing]);
    assert.ok(!Array.isArray(value), String(value));
  });
}
