import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { MASTER_OPTIONS } from "../../../src/model/config/master_opts.ts";
import { MINION_OPTIONS } from "../../../src/model/config/minion_opts.ts";
import { bool, fits, list, map, number, settle, text } from "../../../src/model/config/option.ts";

describe("options", () => {
  for (const [name, options] of [["master", MASTER_OPTIONS], ["minion", MINION_OPTIONS]] as const) {
    test(`every default of the ${name} fits its own type`, () => {
      for (const [key, spec] of Object.entries(options)) {
        assert.ok(fits(spec, spec.default), key);
        if (spec.type !== "any") assert.deepEqual(settle(spec, spec.default), spec.default, key);
      }
    });
  }

  for (
    const [spec, value, want] of [
      [bool(true), "no", false],
      [bool(false), "True", true],
      [bool(true), 0, false],
      [bool(true), null, true],
      [number(1), "2.5", 2.5],
      [number(1), true, 1],
      [number(1), null, 1],
      [text(""), 7, "7"],
      [text(""), false, "false"],
      [list([]), "a", ["a"]],
      [list([]), ["a"], ["a"]],
    ] as const
  ) {
    test(`${JSON.stringify(value)} for ${spec.type} is ${JSON.stringify(want)}`, () => {
      assert.ok(fits(spec, value));
      assert.deepEqual(settle(spec, value), want);
    });
  }

  for (
    const [spec, value] of [
      [number(1), ""],
      [number(1), "1x"],
      [number(1), []],
      [bool(true), []],
      [text(""), {}],
      [list([]), 7],
      [list([]), {}],
      [map({}), []],
      [map({}), "x"],
    ] as const
  ) test(`${JSON.stringify(value)} does not fit ${spec.type}`, () => assert.equal(fits(spec, value), false));
});
