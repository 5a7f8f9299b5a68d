import assert from "node:assert/strict";
import { readFileSync, statSync } from "node:fs";
import { test } from "node:test";
import { nodeRuntime } from "../../src/runtime/node/node_runtime.ts";
import { realRuntimeContracts } from "./contracts.ts";

await realRuntimeContracts("node", () => Promise.resolve(nodeRuntime()));

/** A file that says that it is empty and is not. */
const ENDLESS = "/proc/kallsyms";
const readable = (): boolean => {
  try {
    return statSync(ENDLESS).size === 0 && readFileSync(ENDLESS).length > 20_000;
  } catch {
    return false;
  }
};

test("readAt() reads on where the size of a file says nothing", { skip: !readable() && `no ${ENDLESS} here` }, () => {
  assert.equal(nodeRuntime().fs.readAt(ENDLESS, 0, 20_000).length, 20_000);
});
