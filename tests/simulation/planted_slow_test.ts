/** Each planted bug is found. Takes minutes: `npm run test:simulation`, or `BRINE_SIMULATION=1`. */
import assert from "node:assert/strict";
import process from "node:process";
import { describe, test } from "node:test";
import { huntFor } from "./plant.ts";
import { PLANTED } from "./planted.ts";

/** The rarest of them takes 348. */
const SEEDS = 600;
const skip = process.env.BRINE_SIMULATION === undefined ? "takes minutes: set BRINE_SIMULATION" : false;

describe("the simulation finds that", { skip, timeout: 3_600_000 }, () => {
  for (const bug of PLANTED) {
    test(bug.name, { timeout: 900_000 }, async () => {
      const { seed, output } = await huntFor(bug, SEEDS);
      assert.ok(seed !== undefined, `not in ${SEEDS} seeds: ${output.slice(-2000)}`);
    });
  }
});
