/** The tables of functions as types say what the modules declare. */
import { test } from "node:test";
import { ROOT, tool } from "../sdk/snippets.ts";

// On Node, whatever runs this: the compiler speaks to its library over pipes as Node has them.
test("the tables of src/client/functions are what the signatures make of them now", { timeout: 120_000 }, async () => {
  await tool("node", ["scripts/function_types.ts", "--check"], ROOT);
});
