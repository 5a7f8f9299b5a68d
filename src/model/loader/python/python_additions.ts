/** Calls a function of a Python file for a template: a filter, a test or a global. */
import { asDicts } from "../../../language/python/copy.ts";
import { iterate } from "../../../language/python/iterate.ts";
import { isMap, lookup, PythonObject, str } from "../../../language/python/values.ts";
import { type Keywords, TemplateRuntimeError, Undefined, withoutMarkup } from "../../../language/jinja/mod.ts";
import type { RenderJob } from "../../../language/render/renderer.ts";
import type { CustomFile, CustomKind } from "../custom_files.ts";
import type { CustomPlace } from "../loaded_file.ts";
import { asTemplateError } from "../template_functions.ts";
import { fileForPython, pythonHelper } from "./python_file.ts";
import { rendererCaller } from "./python_renderers.ts";

/** A value of a template as Python gets it: an iterator is a list, and an undefined value fails unless the host allows it. */
function given(value: unknown): unknown {
  const plain = withoutMarkup(value);
  if (plain instanceof Undefined) return str(plain);
  return plain instanceof PythonObject && Symbol.iterator in plain ? [...iterate(plain)] : plain;
}

export async function callMarked(
  place: CustomPlace,
  job: RenderJob,
  kind: CustomKind,
  file: CustomFile,
  fun: string,
  args: readonly unknown[],
  keywords: Keywords,
): Promise<unknown> {
  const helper = pythonHelper(place);
  const caller = rendererCaller(place, job);
  const made = fileForPython(kind, file, place);
  const positional = args.map(given);
  const keyword = Object.fromEntries(Array.from(keywords, ([name, value]) => [name, given(value)]));
  try {
    const said = await helper.load(caller, made);
    const why = isMap(said) ? lookup(said, "broken") : undefined;
    if (typeof why === "string") throw new TemplateRuntimeError(`"${file.path}" cannot be loaded: ${why}`);
    const value = await helper.call(caller, made, fun, { positional, keyword, isListed: true });
    return asDicts(value, new WeakMap());
  } catch (error) {
    throw asTemplateError(error);
  }
}
