import { messageOf } from "../../base/errors.ts";
import type { Renderer, RendererTable } from "../../language/render/renderer.ts";
import { RenderError } from "../../language/render/render_error.ts";
import { customFilesOf, type CustomPlace, known, loadCustomFile } from "./custom_file.ts";
import type { CustomFile } from "./custom_files.ts";
import { findPython } from "./python/interpreter.ts";
import { RENDERER_NAMES } from "../../language/render/renderers.ts";
import { rendererContext } from "./renderer_context.ts";
import { bindArguments, parseSignature } from "./signature.ts";
import { byName } from "./with_custom_files.ts";

async function load(place: CustomPlace, file: CustomFile): Promise<Renderer> {
  const { exports, functions, virtual } = await loadCustomFile(place, "renderers", file);
  const available = virtual(place);
  if (typeof available === "object") throw new TypeError(`"${file.path}" is not available: ${available.unavailable}`);
  const { render } = exports;
  if (typeof render === "function") return (data, job) => known(() => render(data, rendererContext(place, job)));
  const found = functions.get("render");
  if (found === undefined) throw new TypeError(`"${file.path}" has no function "render"`);
  const signature = parseSignature(found.signature);
  return (data, job) => {
    const { sls = "", saltenv, argline, path: tmplpath, context = {} } = job;
    // As in Salt, what is empty is not told.
    const more = { ...(argline === "" ? {} : { argline }), ...(Object.keys(context).length === 0 ? {} : { context }) };
    const told = Object.entries({ saltenv, sls, tmplpath, ...more }).filter(([name]) =>
      signature.keywords !== undefined || signature.params.some((param) => param.name === name)
    );
    return found.run(rendererContext(place, job), bindArguments("render", signature, [data], new Map(told)));
  };
}

/** Loads a custom renderer. An error in it becomes an error of the file that is rendered. */
function custom(place: CustomPlace, file: CustomFile): () => Promise<Renderer> {
  return () =>
    Promise.resolve(async (input, job) => {
      let data: unknown;
      try {
        data = await (await load(place, file))(input, job);
      } catch (cause) {
        if (cause instanceof RenderError) throw cause;
        throw new RenderError(job.path, `renderer ${file.name}: ${messageOf(cause)}`, {}, { cause });
      }
      if (data !== undefined) return data;
      throw new RenderError(
        job.path,
        `renderer ${file.name} returned nothing: "${file.path}" must return text or data`,
      );
    });
}

/** Names that Salt's package lends no renderer for. */
const OWN_NAMES: ReadonlySet<string> = new Set([...RENDERER_NAMES, "py", "js", "ts"]);

/** `py` of a host that has Python: loaded when it is used. */
function pythonRenderer(place: CustomPlace): RendererTable {
  if (findPython(place.runtime, place.opts) === undefined) return {};
  return { py: async () => (await import("./python/python_renderers.ts")).py(place) };
}

/** Custom renderers by name, as the directories are now, and the renderer `py` if this host has Python. */
export function customRenderers(place: CustomPlace): RendererTable {
  const python = pythonRenderer(place);
  const all = byName(python, place, "renderers", (file) => custom(place, file)());
  // Those of Brine are in another table, which is behind this one.
  const own = new Set(customFilesOf(place, "renderers").usable.map(({ name }) => name));
  return Object.fromEntries(
    Object.entries(all).filter(([name]) => own.has(name) || Object.hasOwn(python, name) || !OWN_NAMES.has(name)),
  );
}
