/** States whose programs are not on the host, held against what real Salt 3006 and 3007 say of them. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { jobContext } from "../../../src/model/loader/job_context.ts";
import { hostStates } from "../../../src/model/loader/state_table.ts";
import { runStates } from "../../../src/content/state/run/run_states.ts";
import { STATES } from "../../../src/plugins/states/mod.ts";
import { memoryHost } from "../../support/memory_host.ts";
import { chunk } from "../../support/state_run.ts";

/** Family → module → comment. */
const RECORDED: Record<string, Record<string, string>> = JSON.parse(
  readFileSync(new URL("../../vectors/states/missing.json", import.meta.url), "utf8"),
);
const SYSTEMS: Record<string, string> = { RedHat: "Rocky", Suse: "SUSE" };

/** Brine needs no Python library for these. */
const NEEDS_NOTHING = /^(?:docker|mysql|x509)/;
/** Salt has a provider of these for the family on a host without any program, Brine has none. */
const WITHOUT_PROVIDER = ["network", "service"];

/** What is said of a function on a host without programs; undefined if it is there. */
async function said(family: string): Promise<Map<string, string | undefined>> {
  const system = SYSTEMS[family] ?? family;
  const grains = { os: system, os_family: family, osfinger: `${system}-1` };
  const { minion } = await memoryHost({ grains });
  const context = jobContext(minion.functions, {
    ...minion.context,
    retcode: 0,
    load: { fun: "state.apply" },
    jid: "20240101000000000000",
    signal: new AbortController().signal,
    ownProcess: () => {},
    output: undefined,
  }, (fun, message) => new Error(`${fun}: ${message}`));
  const states = hostStates(STATES, {}, () => minion.context);
  const answers = new Map<string, string | undefined>();
  for (const file of Object.keys(STATES)) {
    const { functions } = (await STATES[file]!()).states;
    for (const fun of Object.keys(functions)) {
      const full = `${file}.${fun}`;
      if (!("message" in await states.find(full))) {
        answers.set(full, undefined);
        continue;
      }
      const comments = await Promise.all([false, true].map(async (dry) => {
        const { returns } = await runStates({ context, chunks: [chunk("n", full)], states, test: dry });
        const [ret] = returns.values();
        assert.deepEqual([ret!.result, ret!.changes], [false, {}], full);
        return String(ret!.comment);
      }));
      assert.equal(comments[0], comments[1], full);
      answers.set(full, comments[0]);
    }
  }
  return answers;
}

describe("states whose programs are missing are not found, with Salt's reason", () => {
  for (const [family, recorded] of Object.entries(RECORDED)) {
    test(`on ${family}`, async () => {
      const wrong: string[] = [];
      for (const [full, got] of await said(family)) {
        const module = full.split(".")[0]!;
        const want = recorded[module]?.replace("{fun}", full);
        if (NEEDS_NOTHING.test(module) ? got === undefined : got === want) continue;
        if (want === undefined && WITHOUT_PROVIDER.includes(module)) continue;
        wrong.push(`${full}: ${got} instead of ${want}`);
      }
      assert.deepEqual(wrong, []);
    });
  }
});
