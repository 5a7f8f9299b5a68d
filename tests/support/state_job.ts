/** Minions whose jobs see programs and variables of a test's own, and that run states. */
import type { JobContext } from "../../src/model/loader/family.ts";
import type { StateContext, StateModule, StateReturn } from "../../src/model/loader/states.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";
import { currentRuntime } from "../../src/runtime/current.ts";
import { type TestMinion, testMinion, type TestMinionOptions } from "./context.ts";
import { callState } from "./recorded_states.ts";

const runtime = await currentRuntime();

/** A runtime on which programs see these variables. */
export function withEnvironment(variables: Record<string, string>): Pick<Runtime, "process"> {
  return {
    process: {
      ...runtime.process,
      pid: runtime.process.pid,
      env: (name: string) => variables[name] ?? runtime.process.env(name),
      environment: () => ({ ...runtime.process.environment(), ...variables }),
    },
  };
}

/** The variables of a directory of programs that go before the host's. */
export const withPrograms = (directory: string, programs: Record<string, string>): Record<string, string> => {
  runtime.fs.mkdir(directory, 0o755);
  for (const [name, text] of Object.entries(programs)) {
    runtime.fs.write(`${directory}/${name}`, `#!/bin/sh\n${text}\n`, { mode: 0o755 });
  }
  return { PATH: `${directory}:${runtime.process.env("PATH") ?? "/usr/bin:/bin"}` };
};

export interface StateMinion {
  minion: TestMinion;
  /** Runs a state; `test` for a dry run. */
  state(fun: string, keyword: Record<string, unknown>, test?: boolean): Promise<StateReturn>;
}

/** A minion whose jobs see these variables. */
export async function stateMinion(
  variables: Record<string, string>,
  states: Record<string, StateModule>,
  options: TestMinionOptions = {},
): Promise<StateMinion> {
  const minion = await testMinion({
    ...options,
    runtime: withEnvironment(variables),
    modules: {
      ...options.modules,
      of_test: () =>
        Promise.resolve({
          module: {
            functions: {
              state: {
                signature: "fun, keyword, test",
                doc: "",
                run: (context, { fun, keyword, test }) =>
                  runState(states, context, String(fun), keyword as Record<string, unknown>, test === true),
              },
            },
          },
        }),
    },
  });
  return {
    minion,
    state: async (fun, keyword, test = false) => await minion.value("of_test.state", fun, keyword, test) as StateReturn,
  };
}

/** Runs a state within a job. */
async function runState(
  modules: Record<string, StateModule>,
  context: JobContext,
  fun: string,
  keyword: Record<string, unknown>,
  test: boolean,
): Promise<StateReturn> {
  const [module = "", name = ""] = fun.split(".");
  const own = {
    test,
    saltenv: "base",
    low: {},
    lowstate: [],
    running: new Map(),
    shared: new Map(),
    opts: { ...context.opts, test },
  };
  const whole = Object.defineProperties(Object.create(context), Object.getOwnPropertyDescriptors(own)) as StateContext;
  return await callState(modules[module]!, whole, name, keyword);
}
