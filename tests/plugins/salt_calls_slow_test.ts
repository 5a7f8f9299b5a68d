/** Execution modules: the calls of `salt_calls`, held against what real Salt 3006 answered to them. */
import assert from "node:assert/strict";
import * as fs from "node:fs";
import { describe, test } from "node:test";
import { currentRuntime } from "../../src/runtime/current.ts";
import { which } from "../../src/plugins/linux/programs.ts";
import { type Answers, type CallScenario, labelled, ourAnswers } from "./salt_calls/scenario.ts";
import { SALT_CALLS } from "./salt_calls/table.ts";
import { inTemporary } from "./temporary.ts";

const runtime = await currentRuntime();
const RECORDED: Record<string, Answers> = JSON.parse(
  fs.readFileSync(new URL("../vectors/salt_calls.json", import.meta.url), "utf8"),
);

function whyNot({ live, programs = [], without = [], root = false, devices = [] }: CallScenario): string | false {
  if (live !== undefined) return `compared with a Salt on the same machine only: ${live}`;
  const isHere = (name: string) => which(runtime.fs, name, runtime.process.env("PATH")) !== undefined;
  const missing = programs.find((name) => !isHere(name));
  if (missing !== undefined) return `there is no ${missing}`;
  const present = without.find(isHere);
  if (present !== undefined) return `recorded without ${present}, which is here`;
  const absent = devices.find((path) => !fs.existsSync(path));
  if (absent !== undefined) return `there is no ${absent}`;
  return root && runtime.process.uid() !== 0 ? "only root can do it" : false;
}

for (const [module, scenarios] of Object.entries(SALT_CALLS)) {
  describe(`as Salt answers: ${module}`, () => {
    for (const scenario of scenarios) {
      test(scenario.name, { skip: whyNot(scenario) }, async () => {
        await inTemporary(runtime, async (directory) => {
          const ours = await ourAnswers(scenario, `${directory}/d`);
          assert.deepEqual(labelled(scenario, ours), labelled(scenario, RECORDED[scenario.name]!));
        });
      });
    }
  });
}
