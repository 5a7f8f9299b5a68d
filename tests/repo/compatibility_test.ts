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
    { name: "a module that is here", row: /^\| `test` \| \d+ of \d+ \|/m },
    { name: "a function that is here", row: /^- \*\*`test`\*\*\n {2}- here: .*`ping`/m },
    { name: "a function that is missing", row: /^- \*\*`saltutil`\*\*\n {2}- here: .*\n {2}- missing: .*`update`/m },
    { name: "a function of one release, with that release", row: /`glob_match` \(3008\)/ },
    { name: "a module that Salt lacks", row: /^\| `audit` \| Brine only \|/m },
    { name: "a module that is missing, with its releases", row: /^\| `acme` \| none of 7 \| +\| 3006, 3007 \|/m },
    {
      name: "a module that goes by another name in Salt's files",
      row: /^- \*\*`cmdmod`\*\*\n {2}- here: .*`run_all`/m,
    },
    {
      name: "a beacon that is missing, with the reason",
      row: /^\| `sh` \| missing \| +\| it needs strace on every shell/m,
    },
  ]
) test(`the table has ${name}`, () => assert.match(text, row));
