import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { render } from "../../../src/plugins/outputters/mod.ts";
import { parseFaithful, untag } from "../../language/python/tagged.ts";

/** Options in effect in all captures. */
const DEFAULTS = { state_output: "full", state_output_profile: true, state_verbose: true, strip_colors: true };

const folder = new URL("../../golden/outputters/", import.meta.url);

describe("outputters print what Salt prints", () => {
  for (const name of readdirSync(folder).sort()) {
    // deno-lint-ignore no-explicit-any
    const golden = parseFaithful(readFileSync(new URL(name, folder), "utf8")) as any;
    test(golden.id, async () => {
      const { text } = await render(golden.outputter, untag(golden.input), { ...DEFAULTS, ...golden.opts }, {
        retcode: golden.call_retcode,
      });
      assert.equal(text, golden.text);
    });
  }
});
