/** Drivers that the one file of all programs has inside. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { INSIDE } from "../../src/plugins/driver.ts";

const folder = new URL("../../cli/drivers/", import.meta.url);
/** What is used of each package. */
const USED: Record<string, string[]> = {
  "@nats-io/jetstream": ["DeliverPolicy", "jetstream", "jetstreamManager"],
  "@nats-io/transport-node": ["connect"],
  postgres: ["default"],
};

test("each driver that is inside has a file with what is used of its package, and is compiled in", async () => {
  assert.deepEqual(Object.keys(INSIDE).sort(), Object.keys(USED).sort());
  const files = readdirSync(folder).map((name) => name.replace(/\.ts$/, ""));
  assert.deepEqual(Object.values(INSIDE).sort(), files.sort());
  const compile = readFileSync(new URL("../../scripts/compile.ts", import.meta.url), "utf8");
  for (const [name, file] of Object.entries(INSIDE)) {
    assert.ok(compile.includes(`"${file}"`), file);
    assert.deepEqual(Object.keys(await import(new URL(`${file}.ts`, folder).href)).sort(), USED[name]!.sort(), name);
  }
});
