/** Whole sites as operators configure them, of ours and of real Salt's: what their buses tell is the same. */
import assert from "node:assert/strict";
import process from "node:process";
import { describe, test } from "node:test";
import { siteOf } from "./automation/configuration_bed.ts";
import { SITE_CASES } from "./automation/configuration_cases.ts";
import { installSalt } from "./release.ts";

const mode = process.env.BRINE_INTEROP ?? "";

function whyNot(): string | undefined {
  if (mode === "") return "NOT TESTED AGAINST REAL SALT: set BRINE_INTEROP to quick or full";
  if (process.versions.bun !== undefined || process.versions.deno !== undefined) {
    return "driven by Node's test runner alone: set BRINE_RUNTIME to test another runtime with it";
  }
  return installSalt("3006");
}

describe("whole sites beside real Salt 3006", { skip: whyNot(), concurrency: 1 }, () => {
  for (const [name, one] of Object.entries(SITE_CASES)) {
    if (mode !== "full" && one.quick !== true) continue;
    test(name, { timeout: 300_000 }, async () => {
      const theirs = await siteOf("3006", one);
      assert.ok(theirs.length > 1 && !theirs.some((line) => line.startsWith("NEVER")), theirs.join("\n"));
      assert.deepEqual(await siteOf("brine", one), theirs);
    });
  }
});
