import type { RunnerContext, RunnerModule } from "./family.ts";
import { customFilesOf, type CustomPlace, known, loadOrLog, logForeign } from "./custom_file.ts";
import { type AnyMap, type Args, entriesOf, isMap } from "../../language/python/values.ts";
import { shortName } from "./job_context.ts";
import { moduleNamed } from "./loaded_file.ts";
import type { Callable, PythonCaller } from "./python/helper.ts";
import { returnCodeOf } from "./python/return_code.ts";
import { bindArguments, parseSignature } from "./signature.ts";

/** Runners: name → function that loads the runner. */
export type RunnerRegistry = Record<string, () => Promise<{ runner: RunnerModule }>>;

/** Adds the custom runners that the directories have now to the registry. A runner that does not load has no functions. */
export function withCustomRunners(runners: RunnerRegistry, place: CustomPlace): RunnerRegistry {
  const { usable, foreign } = customFilesOf(place, "runners");
  logForeign(place, "runners", foreign);
  const registry: RunnerRegistry = {
    ...runners,
    ...Object.fromEntries(usable.map((file) => [file.name, async () => {
      // The place instead of the context, because its `pillar` is an object with methods, which a program cannot receive.
      const loaded = await loadOrLog(place, "runners", file, () => place, {
        caller: (context) => runnerCaller(place, context, registry),
      });
      const own = loaded?.exports.runner as RunnerModule | undefined;
      const virtual = loaded?.virtual(place);
      const name = own?.name ?? (typeof virtual === "string" ? virtual : undefined);
      const named = name === undefined ? {} : { name };
      if (typeof own === "object" && own !== null) {
        const wrapped = Object.entries(own.functions).map(([name, { run, ...rest }]) => [
          name,
          { ...rest, run: (context: RunnerContext, args: Args) => known(() => run(context, args)) },
        ]);
        return { runner: { ...named, functions: Object.fromEntries(wrapped) } };
      }
      return {
        runner: {
          ...named,
          functions: Object.fromEntries(
            [...loaded?.functions ?? []].map(([name, { run, ...rest }]) => [name, {
              ...rest,
              run: (context: RunnerContext, args: Args) => run(context, args),
            }]),
          ),
        },
      };
    }])),
  };
  return registry;
}

/** The functions that a Python runner may call: other runners as `__salt__`, and through them functions of minions. */
function runnerCaller(place: CustomPlace, context: object, registry: RunnerRegistry): PythonCaller {
  const { log = place.log, opts = place.opts, progress, jobPublisher, wheel } = context as Partial<RunnerContext>;
  const find = async (name: string) => {
    const [module = "", fun = ""] = name.split(".");
    const { functions = {} } = await moduleNamed(registry, "runner", module) ?? {};
    return Object.hasOwn(functions, fun) ? functions[fun] : undefined;
  };
  const runners: Callable = {
    find,
    run: async (name, positional, keyword) => {
      const found = await find(name);
      if (found === undefined) throw Object.assign(new Error(name), { name: "KeyError" });
      const args = bindArguments(
        shortName(name),
        parseSignature(found.signature),
        positional,
        new Map(Object.entries(keyword)),
      );
      return await found.run(context as RunnerContext, args);
    },
    names: async () => {
      const modules = await Promise.all(
        Object.entries(registry).map(async ([module, load]) => {
          const { runner: { functions, name = module } } = await load();
          return Object.keys(functions).map((fun) => `${name}.${fun}`);
        }),
      );
      return modules.flat().sort();
    },
  };
  return {
    log,
    opts,
    callable: { runners, ...(wheel === undefined ? {} : { wheel: wheelOf(wheel) }) },
    ...(jobPublisher === undefined ? {} : { jobs: jobPublisher }),
    code: returnCodeOf(context as Partial<RunnerContext>),
    ...(progress === undefined
      ? {}
      : { progress: (data) => progress.call(context, isMap(data) ? recordOf(data) : { data }) }),
  };
}

/** Wheel functions, which the master runs: their names are not listed. */
const wheelOf = (wheel: RunnerContext["wheel"]): Callable => ({
  find: () => Promise.resolve({ doc: "", run: {} }),
  run: async (name, positional, keyword) => await wheel(name, positional, keyword),
  names: () => Promise.resolve([]),
});

const recordOf = (map: AnyMap): Record<string, unknown> =>
  Object.fromEntries(entriesOf(map).map(([key, value]) => [String(key), value]));
