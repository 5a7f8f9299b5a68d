import assert from "node:assert/strict";
import { test } from "node:test";
import { durabilityOf } from "../../../src/model/config/durability.ts";
import { ConfigError } from "../../../src/base/errors.ts";

for (
  const { durability, want } of [
    { durability: undefined, want: "power" },
    { durability: "power", want: "power" },
    { durability: "process", want: "process" },
  ]
) test(`durability: ${durability} is ${want}`, () => assert.equal(durabilityOf({ durability }), want));

for (const durability of ["", "Power", "none", true, 0, null]) {
  test(`durability: ${JSON.stringify(durability)} is refused with the valid values`, () => {
    assert.throws(() => durabilityOf({ durability }), (error: unknown) => {
      assert.ok(error instanceof ConfigError);
      assert.match(error.message, /expected "power" .* or "process"/);
      return true;
    });
  });
}
