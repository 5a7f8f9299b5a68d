/** Every decoder bears what a stranger may send. `npm run fuzz` feeds them more. */
import assert from "node:assert/strict";
import process from "node:process";
import { describe, test } from "node:test";
import { DECODERS } from "./decoders.ts";
import { faultOf, fromBase64, fuzz } from "./fuzz.ts";

/** Inputs of each decoder. Decoders are the same code on all runtimes: Node feeds them most. */
const { bun, deno } = process.versions as { [name: string]: string | undefined };
const INPUTS = bun !== undefined || deno !== undefined ? 500 : 1500;

/** Inputs that were not borne once, in base64. */
const REGRESSIONS: [decoder: string, input: string, why: string][] = [];

describe("a decoder", { timeout: 600_000 }, () => {
  for (const decoder of DECODERS) {
    test(`of ${decoder.name} reads or refuses whatever comes`, { timeout: 300_000 }, async () => {
      const { faults } = await fuzz(decoder, { inputs: INPUTS, from: 1_000_000 });
      assert.deepEqual(faults, []);
    });
  }

  for (const [name, input, why] of REGRESSIONS) {
    test(`of ${name} bears an input that it did not: ${why}`, async () => {
      const decoder = DECODERS.find((one) => one.name === name)!;
      assert.equal(await faultOf(decoder, fromBase64(input), 1), undefined);
    });
  }

  test("that throws anything else is found", async () => {
    const careless = { ...DECODERS[0]!, name: "careless", read: (bytes: Uint8Array) => void bytes[10]!.toFixed() };
    const { faults } = await fuzz(careless, { inputs: 2000, most: 1 });
    assert.match(faults[0]?.why ?? "", /^TypeError/);
  });
});
