/** Scheduled jobs of our master and minion: what becomes of them is what real Salt's made of the same, which `tests/vectors/schedules.json` has. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import process from "node:process";
import { describe, test } from "node:test";
import { type Scheduled, SCHEDULED_BEDS } from "../../interop/automation/schedule_bed.ts";

const { scheduled: recorded } = JSON.parse(
  readFileSync(new URL("../../vectors/schedules.json", import.meta.url), "utf8"),
) as { scheduled: Record<string, Scheduled> };

const reason = process.versions.bun !== undefined || process.versions.deno !== undefined
  ? "starts programs, which Node's test runner does alone: BRINE_RUNTIME chooses their runtime"
  : false;

/** `docs/schedules.md` has why: a failure says what happened and goes to returners; `return_config` of a master is used. */
const FAILURES = new Set(["throws", "a returner of a failure", "missing", "a returner of no function"]);

/** Of a failure without its text, and its event alone. */
function comparable(name: string, lines: readonly string[]): string[] {
  if (!FAILURES.has(name)) return [...lines];
  return lines.filter((line) => line.startsWith("event ")).map((line) =>
    name.includes("throws") || name.includes("a failure")
      ? line.replace(/"return":"(\\.|[^"\\])*"/, '"return":"…"')
      : line
  );
}

describe("what becomes of scheduled jobs", { skip: reason, concurrency: 1 }, () => {
  for (const [bed, run] of Object.entries(SCHEDULED_BEDS)) {
    test(`of ${bed} is what real Salt 3006 made of them`, { timeout: 300_000 }, async () => {
      const ours = await run("brine", recorded[bed]);
      for (const [name, lines] of Object.entries(recorded[bed]!)) {
        if (name === "a returner with settings" && bed.startsWith("a master")) {
          assert.match(lines.join(), /"retcode":254/, "3006 fails to read return_config on a master");
          assert.match(ours[name]!.join(), /file alt .*"retcode":0/);
          continue;
        }
        assert.deepEqual(comparable(name, ours[name]!), comparable(name, lines), `${bed}: ${name}`);
      }
    });
  }
});
