/** The {@link Context} of any host: a minion, the process of a job, `salt-call`, a runner. */
import type { Context } from "./family.ts";
import { withCustomModules } from "./custom_modules.ts";
import { createFunctionTable, type FunctionTable, functionTableOptions, type ModuleRegistry } from "./loader.ts";

/** What a host provides to its functions; a getter is read on each access. */
type HostParts = Omit<Context, "call" | "functions">;

/**
 * The execution functions of a host: those of the registry and of custom modules.
 *
 * @param opts the host's options, with modules to disable, and modules to use for a name
 */
export function hostFunctions(
  modules: ModuleRegistry,
  opts: Record<string, unknown>,
  context: () => Context,
): FunctionTable {
  return createFunctionTable(() => withCustomModules(modules, context()), context, functionTableOptions(opts));
}

/** The {@link Context} of a host. Its `call` rejects, because calls belong to a job. */
export function hostContext(functions: FunctionTable, parts: HostParts): Context {
  const context = {
    call: () => Promise.reject(new TypeError("Cannot call a function outside of a job")),
    functions,
  };
  // A spread would read each getter only once.
  return Object.defineProperties(context, Object.getOwnPropertyDescriptors(parts)) as unknown as Context;
}
