import { PythonError } from "../python/python_error.ts";
import { type FunctionTable as TemplateTable, SaltFunctionError } from "../render/mod.ts";
import type { JobContext } from "./context.ts";
import { CommandExecutionError, CommandNotFoundError, SaltInvocationError } from "./family.ts";
import type { FunctionTable } from "./loader.ts";
import { ArgumentMismatchError, bindArguments } from "./signature.ts";

/** The error of a function as a template reports it. */
function templateError(error: unknown): unknown {
  if (
    error instanceof CommandExecutionError || error instanceof SaltInvocationError ||
    error instanceof CommandNotFoundError
  ) {
    return new SaltFunctionError(error.message);
  }
  if (error instanceof ArgumentMismatchError) return new PythonError("TypeError", error.message);
  return error;
}

/**
 * Execution functions as templates call them: plain calls, without the conversions and the marks of a job.
 *
 * @param context of one call; its `retcode` is nobody's
 */
export function templateFunctions(functions: FunctionTable, context: () => JobContext): TemplateTable {
  const modules = new Set<string>();
  return {
    has: async (name) => !("message" in await functions.find(name)),
    hasModule(name) {
      if (modules.has(name)) return true;
      return functions.list().then((list) => {
        for (const { name: fun } of list) modules.add(fun.slice(0, fun.indexOf(".")));
        return modules.has(name);
      });
    },
    async call(name, args, keywords) {
      const found = await functions.find(name);
      if ("message" in found) throw new PythonError("KeyError", `'${name}'`);
      try {
        const bound = bindArguments(name.slice(name.indexOf(".") + 1), found.signature, args, keywords);
        return await found.function.run(context(), bound);
      } catch (error) {
        throw templateError(error);
      }
    },
  };
}
