import { asDicts } from "../../language/python/copy.ts";
import { PythonError } from "../../language/python/python_error.ts";
import type { TemplateFunctionTable as TemplateTable } from "../../language/render/jinja/salt_functions.ts";
import { SaltFunctionError } from "../../language/render/jinja/salt_functions.ts";
import type { Context, JobContext } from "./family.ts";
import { CommandExecutionError, CommandNotFoundError, SaltInvocationError } from "./family.ts";
import { jobContext } from "./job_context.ts";
import type { FunctionTable } from "./loader.ts";
import { ArgumentMismatchError } from "./signature.ts";

/** Converts the error of a function to the one that a template reports. */
export function asTemplateError(error: unknown): unknown {
  if (
    error instanceof CommandExecutionError || error instanceof SaltInvocationError ||
    error instanceof CommandNotFoundError
  ) {
    return new SaltFunctionError(error.message);
  }
  if (error instanceof ArgumentMismatchError) return new PythonError("TypeError", error.message);
  return error;
}

/** The functions of a host, and a function that makes the context for one call of a template. */
export interface TemplateHost {
  functions: FunctionTable;
  context(): Context;
}

export function callContext({ functions, context }: TemplateHost): JobContext {
  return jobContext(
    functions,
    {
      ...context(),
      retcode: 0,
      load: {},
      jid: "",
      signal: new AbortController().signal,
      ownProcess: () => {},
      output: undefined,
    },
    (fun) => new CommandExecutionError(`'${fun}' is not available.`),
  );
}

/**
 * Execution functions for templates: direct calls, without a job's conversions and markers.
 *
 * @param open called when a template first uses a function
 */
function tableOf(open: () => Promise<Pick<JobContext, "functions" | "call">>): TemplateTable {
  const dicts = new WeakMap<object, unknown>();
  let opened: Promise<Pick<JobContext, "functions" | "call">> | undefined;
  const host = () => opened ??= open();
  return {
    has: async (name) => !("message" in await (await host()).functions.find(name)),
    hasModule: async (name) => await (await host()).functions.hasModule(name),
    async call(name, args, keywords) {
      const { functions, call } = await host();
      if ("message" in await functions.find(name)) throw new PythonError("KeyError", `'${name}'`);
      try {
        return asDicts(await call(name, [...args], Object.fromEntries(keywords)), dicts);
      } catch (error) {
        throw asTemplateError(error);
      }
    },
  };
}

/** The functions of a host for templates outside of a job. @param open called when a template first uses a function */
export function templateFunctions(open: () => Promise<TemplateHost>): TemplateTable {
  return tableOf(async () => callContext(await open()));
}

/**
 * The functions of a job for its templates: signals to the job reach the processes that they start.
 *
 * @param before called before the first function call
 */
export function jobTemplateFunctions(
  context: Pick<JobContext, "functions" | "call">,
  before: () => void = () => {},
): TemplateTable {
  return tableOf(() => {
    before();
    return Promise.resolve(context);
  });
}
