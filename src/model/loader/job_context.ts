/** The {@link JobContext} of a job, and of parts of a job that have other options than the rest. */
import type { JobContext } from "./family.ts";
import type { FunctionTable } from "./loader.ts";
import { bindArguments } from "./signature.ts";

/** The fields of a {@link JobContext} that the caller provides. */
type JobParts = Omit<JobContext, "call" | "functions" | "with">;

/**
 * Makes the context of a job. Functions that its `call` calls receive the same context.
 *
 * @param missing makes the error for a function that does not exist
 */
export function jobContext(
  functions: FunctionTable,
  parts: JobParts,
  missing: (fun: string, message: string) => Error,
): JobContext {
  const context: JobContext = {
    ...parts,
    functions,
    async call(fun, positional = [], keyword = {}) {
      const found = await provided(functions, parts.providers, fun) ?? await functions.find(fun);
      if ("message" in found) throw missing(fun, found.message);
      const args = bindArguments(shortName(fun), found.signature, positional, new Map(Object.entries(keyword)));
      return await found.function.run(context, args);
    },
    with: (other) => jobContext(functions, { ...context, ...other }, missing),
  };
  return context;
}

/**
 * The function from the file that `providers` names for its module. A function that this file lacks is taken from the module
 * itself.
 */
async function provided(functions: FunctionTable, providers: JobContext["providers"], fun: string) {
  if (providers === undefined) return undefined;
  const name = shortName(fun);
  const module = fun.slice(0, -name.length - 1);
  if (!Object.hasOwn(providers, module)) return undefined;
  return (await functions.raw(providers[module]!))?.get(name);
}

/** The function's name without its module, as in Python's messages. */
export function shortName(fun: string): string {
  return fun.slice(fun.indexOf(".") + 1);
}
