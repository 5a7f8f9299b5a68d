import { type CustomFunction, type CustomPlace, known, loadCustomFile, virtualOf } from "./custom_file.ts";
import type { CustomFile } from "./custom_files.ts";
import { withCustomFiles } from "./with_custom_files.ts";
import type { StateContext, StateFunction, StateModule, StateRegistry, StateReturn } from "./states.ts";

function stateFunction({ signature, doc, run }: CustomFunction): StateFunction {
  return { signature, doc, run: (context, args) => run(context, args) as Promise<StateReturn> };
}

/** The module that a file exports as `states`, with its errors as errors that hosts know. */
function wrapped(own: StateModule): StateModule {
  const functions = Object.entries(own.functions).map(([name, { run, ...rest }]) => [
    name,
    stateFunction({ ...rest, run: (context, args) => known(() => run(context as StateContext, args)) }),
  ]);
  return { ...own, functions: Object.fromEntries(functions) };
}

async function stateModule(place: CustomPlace, file: CustomFile): Promise<{ states: StateModule }> {
  const { exports, functions, virtual } = await loadCustomFile(place, file);
  const own = exports.states as StateModule | undefined;
  if (typeof own === "object" && own !== null && typeof own.functions === "object") {
    return {
      states: {
        ...wrapped(own),
        virtual: (context) => virtualOf(own.virtual?.(context) ?? virtual(context), exports.virtualname),
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

/** State modules with the custom ones among them. */
export function withCustomStates(states: StateRegistry, place: CustomPlace): StateRegistry {
  return withCustomFiles(states, place, "states", {
    load: (file) => stateModule(place, file),
    unavailable: (why) => ({ states: { virtual: () => ({ unavailable: why }), functions: {} } }),
  });
}
