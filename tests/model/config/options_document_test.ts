import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { OPTIONS_FILE, optionsDocument } from "../../../scripts/options.ts";

test("docs/options.md is what scripts/options.ts writes", () => {
  assert.ok(readFileSync(OPTIONS_FILE, "utf8") === optionsDocument(), "out of date: run node scripts/options.ts");
});
