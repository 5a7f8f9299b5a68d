/** The table of what is here of Salt says what is here. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { COMPATIBILITY_FILE, compatibilityDocument } from "../../scripts/compatibility.ts";

const text = readFileSync(COMPATIBILITY_FILE, "utf8");

test("docs/compatibility-table.md is what scripts/compatibility.ts writes", async () => {
  const current = text === await compatibilityDocument();
  assert.ok(current, "out of date: run npm run -s docs:compatibility");
});

for (
  const { name, row } of [
    { name: "a function that is here", row: /^\| `test` \| \d+ of \d+ \| .*`ping`/m },
    {
      name: "one that is missing, behind those that are here",
      row: /^\| `saltutil` \| \d+ of \d+ \|[^|]*\|[^|]*`update`/m,
    },
    { name: "one of a release alone, with that release", row: /`glob_match` \(3008\)/ },
    { name: "a module of ours alone", row: /^\| `audit` \| ours alone \|/m },
    { name: "a module that is missing, with the number of its functions", row: /`ansiblegate` \d/ },
    { name: "a module that goes by another name in Salt's files", row: /^\| `cmdmod` \| .*`run_all`/m },
  ]
) test(`the table has ${name}`, () => assert.match(text, row));
