import type { ExecutionFunction, ExecutionModule, JobContext } from "./family.ts";
import { type CustomFunction, type CustomPlace, known, loadCustomFile, virtualOf } from "./custom_file.ts";
import type { CustomFile } from "./custom_files.ts";
import { withCustomFiles } from "./with_custom_files.ts";
import { withLentFiles } from "./lent_files.ts";
import type { ModuleRegistry } from "./loader.ts";

/** A custom function, never `inline`: nobody knows whether it could harm the minion's own process. */
function executionFunction({ signature, doc, out, run }: CustomFunction): ExecutionFunction {
  // Keep the identity of `run`: a Python helper recognizes its own functions by it.
  return { signature, doc, ...(out === undefined ? {} : { out }), run };
}

async function executionModule(place: CustomPlace, file: CustomFile): Promise<{ module: ExecutionModule }> {
  const { exports, functions, virtual, aliases = [] } = await loadCustomFile(place, "modules", file);
  const own = exports.module as ExecutionModule | undefined;
  if (typeof own === "object" && own !== null && typeof own.functions === "object") {
    const wrapped = Object.entries(own.functions).map(([name, { run, out, ...rest }]) => [
      name,
      executionFunction({
        ...rest,
        ...(out === undefined ? {} : { out }),
        run: (context, args) => known(() => run(context as JobContext, args)),
      }),
    ]);
    return {
      module: {
        virtual: async (context) => virtualOf(await own.virtual?.(context) ?? virtual(context), exports.virtualname),
        functions: Object.fromEntries(wrapped),
      },
    };
  }
  return {
    module: {
      virtual,
      aliases,
      functions: Object.fromEntries([...functions].map(([name, found]) => [name, executionFunction(found)])),
    },
  };
}

/** Adds custom modules to the registry, and after them modules lent by Salt's package. */
export function withCustomModules(modules: ModuleRegistry, place: CustomPlace): ModuleRegistry {
  const load = (file: CustomFile) => executionModule(place, file);
  const own = withCustomFiles(modules, place, "modules", {
    load,
    unavailable: (why) => ({ module: { virtual: () => ({ unavailable: why }), functions: {} } }),
  });
  return withLentFiles(own, place, "modules", load);
}
