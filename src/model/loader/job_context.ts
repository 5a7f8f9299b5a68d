/** The {@link JobContext} of a job, and of parts of a job that have other options than the rest. */
import type { JobContext } from "./family.ts";
import type { FunctionTable } from "./loader.ts";
import { bindArguments } from "./signature.ts";

const NO_KEYWORDS = {};
const NONE: ReadonlyMap<string, unknown> = new Map();

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
    async call(fun, positional = [], keyword = NO_KEYWORDS) {
      const found = parts.providers === undefined
        ? await functions.find(fun)
        : await provided(functions, parts.providers, fun) ?? await functions.find(fun);
      if ("message" in found) throw missing(fun, found.message);
      const given = keyword === NO_KEYWORDS ? NONE : new Map(Object.entries(keyword));
      const args = bindArguments(shortName(fun), found.signature, positional, given);
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
async function provided(functions: FunctionTable, providers: Record<string, string>, fun: string) {
  const name = shortName(fun);
  const module = fun.slice(0, -name.length - 1);
  if (!Object.hasOwn(providers, module)) return undefined;
  return (await functions.raw(providers[module]!))?.get(name);
}

/** The function's name without its module, as in Python's messages. */
export function shortName(fun: string): string {
  return fun.slice(fun.indexOf(".") + 1);
}
