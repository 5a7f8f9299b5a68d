import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { preload } from "../../../../cli/programs/call/preload.ts";

describe("modules that are loaded while grains are gathered", () => {
  for (const fun of ["state.apply", "test.ping", "no_such.function", "constructor", "state", ""]) {
    test(`"${fun}" is left to whoever calls it`, async () => {
      assert.equal(await preload(fun, true), undefined);
      assert.equal(await preload(fun, false), undefined);
    });
  }
});
