/** The renderer `py` for SLS files, pillar and templates: a Python file whose function `run` returns data or a text. */
import { messageOf } from "../../../base/errors.ts";
import type { Renderer, RenderJob } from "../../../language/render/renderer.ts";
import { RenderError } from "../../../language/render/render_error.ts";
import type { TemplateFunctionTable } from "../../../language/render/jinja/salt_functions.ts";
import { CommandExecutionError } from "../family.ts";
import type { CustomPlace } from "../loaded_file.ts";
import { rendererContext } from "../renderer_context.ts";
import { traceback } from "../traceback.ts";
import type { Callable, PythonCaller } from "./helper.ts";
import { pythonCallerOf, pythonHelper } from "./python_file.ts";

/** The functions of templates, where there is no job. */
export function callableOf(functions: TemplateFunctionTable): Callable {
  return {
    find: async (name) => await functions.has(name) ? { doc: "", run: {} } : undefined,
    run: async (name, positional, keyword) => await functions.call(name, positional, new Map(Object.entries(keyword))),
    names: () => Promise.resolve([]),
  };
}

/** The values and functions of the host that a rendered file receives. */
export function rendererCaller(place: CustomPlace, job: RenderJob): PythonCaller {
  const { functions } = job;
  const caller = pythonCallerOf(place, rendererContext(place, job));
  if (functions === undefined || caller.callable.modules !== undefined) return caller;
  return { ...caller, callable: { ...caller.callable, modules: callableOf(functions) } };
}

/** Makes the renderer that runs the text of a file. */
export function py(place: CustomPlace): Renderer {
  return async (input, job) => {
    if (typeof input !== "string") {
      throw new RenderError(job.path, "py runs text, but got data: put it first in the pipeline", {});
    }
    const { saltenv, sls, context = {}, path } = job;
    const names = {
      saltenv,
      __env__: saltenv,
      // Outside of SLS files of states, the names in `context` are variables: `data` and `tag` of a reaction.
      ...(sls === undefined || sls === "" ? context : { sls, __sls__: sls, tmplpath: path, context }),
    };
    try {
      return await pythonHelper(place).runText(rendererCaller(place, job), input, path, names);
    } catch (cause) {
      // If the helper died, there is no traceback of the file.
      const text = cause instanceof CommandExecutionError && cause.stack === undefined
        ? messageOf(cause)
        : traceback(cause);
      throw new RenderError(path, text, {}, { cause, isWhole: true });
    }
  };
}
