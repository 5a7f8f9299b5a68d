import type { JobContext } from "./context.ts";
import {
  customFilesOf,
  type CustomFunction,
  type CustomPlace,
  foreignText,
  known,
  loadCustomFile,
  virtualOf,
} from "./custom_file.ts";
import type { CustomFile } from "./custom_files.ts";
import type { ExecutionFunction, ExecutionModule } from "./family.ts";
import type { ModuleRegistry } from "./loader.ts";

/** A custom function, without `inline`: it is unknown whether it could harm the minion's own process. */
function executionFunction({ signature, doc, run }: CustomFunction, out?: string): ExecutionFunction {
  return {
    signature,
    doc,
    ...(out === undefined ? {} : { out }),
    run: (context, args) => run(context, args),
  };
}

async function executionModule(place: CustomPlace, file: CustomFile): Promise<{ module: ExecutionModule }> {
  const { exports, functions, virtual } = await loadCustomFile(place, file);
  const own = exports.module as ExecutionModule | undefined;
  if (typeof own === "object" && own !== null && typeof own.functions === "object") {
    const wrapped = Object.entries(own.functions).map(([name, { run, out, ...rest }]) => [
      name,
      executionFunction({ ...rest, run: (context, args) => known(() => run(context as JobContext, args)) }, out),
    ]);
    return {
      module: {
        virtual: (context) => virtualOf(own.virtual?.(context) ?? virtual(context), exports.virtualname),
        functions: Object.fromEntries(wrapped),
      },
    };
  }
  return {
    module: {
      virtual,
      functions: Object.fromEntries([...functions].map(([name, found]) => [name, executionFunction(found)])),
    },
  };
}

/**
 * Execution modules with the custom ones among them, as the directories are now. A custom one replaces one of Brine with its name.
 * Files that cannot be loaded are modules that are not available, and replace nothing.
 */
export function withCustomModules(modules: ModuleRegistry, place: CustomPlace): ModuleRegistry {
  const { usable, foreign } = customFilesOf(place, "modules");
  if (usable.length + foreign.length === 0) return modules;
  const unavailable = (file: CustomFile): ExecutionModule => ({
    virtual: () => ({ unavailable: foreignText(file) }),
    functions: {},
  });
  return {
    ...Object.fromEntries(foreign.map((file) => [file.name, () => Promise.resolve({ module: unavailable(file) })])),
    ...modules,
    ...Object.fromEntries(usable.map((file) => [file.name, () => executionModule(place, file)])),
  };
}
