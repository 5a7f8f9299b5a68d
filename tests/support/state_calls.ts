/** State functions on the execution modules of this machine, one call at a time. */
import assert from "node:assert/strict";
import { bindArguments, parseSignature } from "../../src/model/loader/signature.ts";
import type { StateContext, StateReturn } from "../../src/model/loader/states.ts";
import { STATES } from "../../src/plugins/states/mod.ts";
import type { TestMinionOptions } from "./context.ts";
import { testJob } from "./job_context.ts";

/** Calls `module.function` with its arguments by name. */
export type CallState = (
  fun: string,
  args: Record<string, unknown>,
  options?: { test?: boolean },
) => Promise<StateReturn>;

/** Calls state functions on a minion, as the runner does for chunks without requisites. */
export async function stateCaller(options: TestMinionOptions = {}): Promise<CallState> {
  const { context } = await testJob({ grains: { kernel: "Linux", os: "Debian", os_family: "Debian" }, ...options });
  return async (name, args, { test = false } = {}) => {
    const [module = "", fun = ""] = name.split(".");
    const load = STATES[module];
    assert.ok(load !== undefined, `there is no state module ${module}`);
    const found = (await load()).states.functions[fun];
    assert.ok(found !== undefined, `there is no state ${name}`);
    const chunk = { state: module, ...args, fun };
    const given: StateContext = Object.create(context, {
      opts: { value: { ...context.opts, test } },
      test: { value: test },
      saltenv: { value: "base" },
      low: { value: chunk },
      lowstate: { value: [chunk] },
      running: { value: new Map() },
      shared: { value: new Map() },
    });
    return await found.run(
      given,
      bindArguments(name, parseSignature(found.signature), [], new Map(Object.entries(args))),
    );
  };
}
