/** Events on the bus of a minion of ours that ask it for something: the answers are those of a real minion, which `tests/vectors/minion_bus.json` has. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import process from "node:process";
import { before, describe, test } from "node:test";
import { type Answers, answersOf } from "../../interop/automation/bus_bed.ts";
import { BUS_CASES } from "../../interop/automation/bus_cases.ts";

const { answers: recorded } = JSON.parse(
  readFileSync(new URL("../../vectors/minion_bus.json", import.meta.url), "utf8"),
) as { answers: Answers };

/** Our master sets the id of what a minion fires, in the form with `events` as well: `docs/internals/compatibility.md`. */
function expected(name: string): Answers[string] {
  const lines = recorded[name]!;
  return name === "fire_master of events" ? lines.map((line) => line.replace(/\}$/, ',"id":"ID"}')) : lines;
}

const reason = process.versions.bun !== undefined || process.versions.deno !== undefined
  ? "starts programs, which Node's test runner does alone: BRINE_RUNTIME chooses their runtime"
  : false;

describe("what a minion is asked for on its bus", { skip: reason }, () => {
  let ours: Answers = {};
  before(async () => void (ours = await answersOf("brine", recorded)), { timeout: 300_000 });
  for (const { name } of BUS_CASES) test(name, () => assert.deepEqual(ours[name], expected(name)));
});
