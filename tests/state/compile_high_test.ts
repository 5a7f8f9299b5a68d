/** High data recorded from real Salt, and what it makes of it: tests/golden-states/README.md. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { describe, test } from "node:test";
import type { AnyMap } from "../../src/python/containers.ts";
import { compileHigh, openHigh } from "../../src/state/mod.ts";
import { ordered } from "../support/ordered.ts";
import { recordedValue } from "../support/recorded_values.ts";

interface Case {
  id: string;
  opts?: { disabled_requisites?: unknown };
  high?: never;
  low?: never[];
  errors?: string[];
  raised?: string;
}

const folder = new URL("../golden-states/compile/", import.meta.url);

for (const name of readdirSync(folder).sort()) {
  const { cases } = JSON.parse(readFileSync(new URL(name, folder), "utf8")) as { cases: Case[] };
  describe(`high data of ${name}`, () => {
    for (const { id, opts = {}, high, low, errors, raised } of cases) {
      // Errors of cases without extensions may be those of rendering, before high data is looked at.
      if (high === undefined || (low === undefined && raised === undefined)) continue;
      test(id, () => {
        const given = opts.disabled_requisites ?? [];
        const disabledRequisites = Array.isArray(given) ? given : [given];
        const compiled = compileHigh(openHigh(recordedValue(high) as AnyMap), { disabledRequisites });
        if (raised !== undefined) return assert.equal(compiled.errors.length, 1);
        assert.deepEqual(compiled.errors, errors ?? []);
        assert.deepEqual(compiled.chunks.map(ordered), low!.map((chunk) => ordered(recordedValue(chunk))));
      });
    }
  });
}
