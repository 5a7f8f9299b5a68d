/** The engine `reactor` of a minion of ours: what becomes of events is what a real minion made of them, which `tests/vectors/minion_reactor.json` has. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import process from "node:process";
import { before, describe, test } from "node:test";
import { MINION_REACTIONS, type MinionCaused, reactOnMinion } from "../../interop/automation/minion_reactor_bed.ts";

const { caused: recorded } = JSON.parse(
  readFileSync(new URL("../../vectors/minion_reactor.json", import.meta.url), "utf8"),
) as { caused: MinionCaused };

const reason = process.versions.bun !== undefined || process.versions.deno !== undefined
  ? "starts programs, which Node's test runner does alone: BRINE_RUNTIME chooses their runtime"
  : false;

describe("the reactor of a minion", { skip: reason }, () => {
  let ours: MinionCaused = {};
  before(async () => void (ours = await reactOnMinion("brine", recorded)), { timeout: 300_000 });
  for (const name of Object.keys(MINION_REACTIONS)) {
    test(`a reaction that real Salt 3006 has done: ${name}`, () => assert.deepEqual(ours[name], recorded[name]));
  }
});
