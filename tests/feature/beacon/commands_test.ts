/** What events on a minion's bus ask of its beacons, beside what real Salt answers. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { beaconCommands, Beacons, BeaconWatch } from "../../../src/feature/beacon/mod.ts";
import type { Context } from "../../../src/model/loader/family.ts";
import { BEACONS } from "../../../src/plugins/beacons/mod.ts";
import { FakeClock } from "../../support/fake_clock.ts";
import { captureLog } from "../../support/capture_log.ts";

interface Step {
  func: string;
  answers: { tag: string; data: Record<string, unknown> }[];
}

const { commands, validation } = JSON.parse(
  readFileSync(new URL("../../vectors/beacons.json", import.meta.url), "utf8"),
) as {
  commands: { name: string; own: unknown; pillar: unknown; steps: Step[] }[];
  validation: { beacon: string; config: Record<string, unknown>[]; valid: boolean; comment: string }[];
};

const context = { runtime: { fs: { stat: () => undefined } } } as unknown as Context;

describe("manage_beacons", () => {
  for (const { name, own, pillar, steps } of commands) {
    test(name, async () => {
      const fired: { tag: string; data: Record<string, unknown> }[] = [];
      const beacons = new Beacons(own, () => pillar, () => {});
      const watch = new BeaconWatch({
        id: "web1",
        clock: new FakeClock(),
        log: captureLog().log,
        loopInterval: 1,
        modules: () => ({}),
        context: () => context,
        statesRun: () => false,
        send: () => {},
      }, beacons);
      const command = beaconCommands({ beacons, watch, fire: (tag, data) => void fired.push({ tag, data }) });
      for (const { answers, ...data } of steps) {
        fired.length = 0;
        await command(data);
        assert.deepEqual(fired, answers, data.func);
      }
      await assert.rejects(command({ func: "burn" }), /Unknown command "burn" of beacons/);
    });
  }
});

describe("validation, in Salt's words", () => {
  for (const { beacon, config, valid, comment } of validation) {
    test(`${beacon} ${JSON.stringify(config)}`, async () => {
      const module = await BEACONS[beacon]!();
      assert.deepEqual(module.validate!(config, context), [valid, comment]);
    });
  }
});
