import { truthy } from "../../language/python/values.ts";
import type { CustomFunction, CustomPlace, LoadedFile } from "./custom_file.ts";
import { known, loadCustomFile, virtualOf } from "./custom_file.ts";
import type { CustomFile } from "./custom_files.ts";
import { withCustomFiles } from "./with_custom_files.ts";
import { withLentFiles } from "./lent_files.ts";
import { bindArguments, parseSignature } from "./signature.ts";
import type { StateContext, StateFunction, StateModule, StateRegistry, StateReturn } from "./states.ts";

function stateFunction({ signature, doc, run }: CustomFunction): StateFunction {
  return { signature, doc, run: (context, args) => run(context, args) as Promise<StateReturn> };
}

/** A copy of the file's export `states` whose functions convert errors to those that hosts distinguish. */
function wrapped(own: StateModule): StateModule {
  const functions = Object.entries(own.functions).map(([name, { run, ...rest }]) => [
    name,
    stateFunction({ ...rest, run: (context, args) => known(() => run(context as StateContext, args)) }),
  ]);
  return { ...own, functions: Object.fromEntries(functions) };
}

/** The states of a Python module, with `mod_init` and the other functions that the runner of states calls itself. */
function pythonStates(functions: LoadedFile["functions"], virtual: LoadedFile["virtual"]): StateModule {
  const called = (name: string) => {
    const found = functions.get(name);
    if (found === undefined) return undefined;
    const signature = parseSignature(found.signature);
    return (context: StateContext, values: unknown[], keyword: Record<string, unknown> = {}) =>
      found.run(context, bindArguments(name, signature, values, new Map(Object.entries(keyword))));
  };
  const [init, aggregate, beacon] = ["mod_init", "mod_aggregate", "mod_beacon"].map(called);
  return {
    virtual,
    functions: Object.fromEntries([...functions].map(([name, found]) => [name, stateFunction(found)])),
    ...(init && { modInit: async (context, low) => truthy(await init(context, [low])) }),
    ...(aggregate && {
      modAggregate: async (context, low, chunks, running) =>
        await aggregate(context, [low, chunks, running]) as typeof low,
    }),
    ...(beacon && {
      modBeacon: async (context, { name, ...rest }) => await beacon(context, [name], rest) as StateReturn,
    }),
  };
}

async function stateModule(place: CustomPlace, file: CustomFile): Promise<{ states: StateModule }> {
  const { exports, functions, virtual } = await loadCustomFile(place, "states", file);
  if (file.form === "python") return { states: pythonStates(functions, virtual) };
  const own = exports.states as StateModule | undefined;
  if (typeof own === "object" && own !== null && typeof own.functions === "object") {
    return {
      states: {
        ...wrapped(own),
        virtual: async (context) => virtualOf(await own.virtual?.(context) ?? virtual(context), exports.virtualname),
      },
    };
  }
  return {
    states: {
      virtual,
      functions: Object.fromEntries([...functions].map(([name, found]) => [name, stateFunction(found)])),
    },
  };
}

/** Adds custom state modules to the registry, and after them modules lent by Salt's package. */
export function withCustomStates(states: StateRegistry, place: CustomPlace): StateRegistry {
  const load = (file: CustomFile) => stateModule(place, file);
  const own = withCustomFiles(states, place, "states", {
    load,
    unavailable: (why) => ({ states: { virtual: () => ({ unavailable: why }), functions: {} } }),
  });
  return withLentFiles(own, place, "states", load);
}
