/** Commands in the running text of README and docs/: each is run by `npm run test:docs`, or has a row that says why not. */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { ROOT } from "../docs/blocks.ts";
import { inlineCommands } from "../docs/inline.ts";
import { INLINE } from "../docs/inline_commands.ts";

test("each command in running text is run, or says where it is or why not", () => {
  const commands = inlineCommands();
  assert.ok(commands.size > 150, `${commands.size} commands`);
  const missing = [...commands].filter(([command]) => !Object.hasOwn(INLINE, command)).map(([command, files]) =>
    `${files}: ${command}`
  );
  assert.deepEqual(missing, [], "add a row to tests/docs/inline_commands.ts");
  assert.deepEqual(Object.keys(INLINE).filter((command) => !commands.has(command)), [], "rows without a command");
  for (const [command, row] of Object.entries(INLINE)) {
    if ("by" in row) assert.ok(existsSync(path.join(ROOT, row.by)), `${command}: ${row.by}`);
    if ("not" in row) assert.ok(row.not.length > 10, command);
  }
});

test("a command that is new in running text is found, also over two lines and in a table", () => {
  const markdown = "Then `salt-run\nfoo.bar X`.\n\n| `brine a \\| b` | `word` |\n\n```sh\nsalt `salt-key no`\n```\n";
  assert.deepEqual([...inlineCommands([["a.md", markdown]]).keys()], ["salt-run foo.bar X", "brine a | b"]);
});
