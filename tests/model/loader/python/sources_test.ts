import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { sourcesModule } from "../../../../scripts/python.ts";

test("sources.ts is what the packages of Python have: run npm run python after a change", () => {
  const file = new URL("../../../../src/model/loader/python/sources.ts", import.meta.url);
  assert.ok(readFileSync(file, "utf8") === sourcesModule(), "run npm run python");
});
