import { joinPath } from "../../base/paths.ts";
import { hex } from "../../protocol/crypto/hex.ts";
import { messageOf } from "../../base/errors.ts";
import type { Renderer, RendererTable } from "../../language/render/renderer.ts";
import { RenderError } from "../../language/render/render_error.ts";
import { type CustomPlace, known } from "./custom_file.ts";
import { strangersCode } from "./custom_files.ts";
import { rendererContext } from "./renderer_context.ts";

/** Runs a text as a module from a file that only this user can read, and returns its exports. A text runs only once. */
async function run({ runtime: { fs, process, crypto, importFile }, opts }: CustomPlace, text: string, ending: string) {
  const { cachedir } = opts;
  if (typeof cachedir !== "string" || cachedir === "") {
    throw new TypeError("code needs a directory to run from: set cachedir");
  }
  const directory = joinPath(cachedir, "code");
  fs.mkdir(directory, 0o700);
  const stranger = strangersCode({ fs, process }, directory);
  if (stranger !== undefined) {
    throw new TypeError(
      `code is not run from "${directory}": ${stranger}; set cachedir to a directory that only you can write`,
    );
  }
  const digest = hex(crypto.hash("sha256", new TextEncoder().encode(text)));
  const path = joinPath(directory, `${digest}.${ending}`);
  fs.write(path, text, { mode: 0o600 });
  return await importFile(path, digest);
}

function code(place: CustomPlace, name: string, ending: string): Renderer {
  return async (input, job) => {
    if (typeof input !== "string") {
      throw new RenderError(job.path, `${name} runs text, but got data: put it first in the pipeline`);
    }
    try {
      const exports = await run(place, input, ending);
      const made = exports.default ?? exports.run;
      const data = await (typeof made === "function" ? known(() => made(rendererContext(place, job))) : made);
      if (data !== undefined) return data;
    } catch (cause) {
      throw new RenderError(job.path, `renderer ${name}: ${messageOf(cause)}`, {}, { cause });
    }
    throw new RenderError(
      job.path,
      `renderer ${name}: its default export must be data, or a function that returns data`,
    );
  };
}

/**
 * The renderers `js` and `ts`: a file that exports its data, or a function that returns it. The file runs as code on this host,
 * like a custom module.
 */
export function codeRenderers(place: CustomPlace): RendererTable {
  return {
    js: () => Promise.resolve(code(place, "js", "mjs")),
    ts: () => Promise.resolve(code(place, "ts", "mts")),
  };
}
