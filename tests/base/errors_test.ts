import assert from "node:assert/strict";
import { test } from "node:test";
import { SaltError } from "../../src/base/errors.ts";

test("the name of an error is that of its class in the sources, whatever a bundler makes of it", () => {
  class FullError extends SaltError {}
  class FullError2 extends SaltError {}
  assert.deepEqual([FullError, FullError2].map((made) => new made("FULL", "").name), ["FullError", "FullError"]);
});
