/** The tables of functions as types say what the modules declare. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { functionTables, ROOT } from "../../scripts/function_types.ts";

test("the tables in src/client/functions are those of the signatures: npm run -s types:functions writes them", async () => {
  const tables = await functionTables();
  assert.equal(tables.size, 3);
  for (const [path, text] of tables) {
    const [ours, written] = [text.split("\n"), readFileSync(`${ROOT}/${path}`, "utf8").split("\n")];
    const at = ours.findIndex((line, index) => line !== written[index]);
    assert.equal(written[at], ours[at], `${path}:${at + 1}`);
    assert.equal(written.length, ours.length, path);
  }
});
