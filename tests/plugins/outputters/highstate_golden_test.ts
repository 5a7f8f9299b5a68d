import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { type OutputOptions, render } from "../../../src/plugins/outputters/mod.ts";
import { recordedValue } from "../../support/recorded_values.ts";

interface Case {
  id: string;
  ret: string;
  opts: Record<string, never>;
  text: string;
}

/** Options in effect where a case is silent. */
const DEFAULTS = { state_output: "full", state_output_profile: true, state_verbose: true };

const file = new URL("../../golden-states/output/highstate.json", import.meta.url);
const { recorded, cases } = JSON.parse(readFileSync(file, "utf8")) as {
  recorded: { returns: Record<string, never> };
  cases: Case[];
};

describe("the outputter highstate prints what Salt prints", () => {
  for (const { id, ret, opts, text } of cases) {
    test(`${id}: ${ret} with ${JSON.stringify(opts)}`, async () => {
      const given = recordedValue(opts) as Map<string, unknown>;
      const options: OutputOptions = { ...DEFAULTS, ...Object.fromEntries(given) };
      const printed = await render("highstate", recordedValue(recorded.returns[ret]!), options);
      assert.equal(printed.text, text);
    });
  }
});
