import { isMap, sizeOf } from "../python/containers.ts";
import { truthy } from "../python/truth.ts";
import { explainYaml } from "../yaml/libyaml/explain_yaml.ts";
import { parseOrderedYaml } from "../yaml/ordered.ts";
import { YamlError } from "../yaml/yaml_error.ts";
import { RenderError } from "./render_error.ts";
import type { Renderer } from "./renderer.ts";

/** Texts whose values are kept: a master renders the same few for every minion. */
const KEPT = 1000;
/** Characters of all texts that are kept. */
const KEPT_CHARACTERS = 32 * 1024 * 1024;

/** YAML as Salt's loader reads it, every map in the order it was written. An empty document is an empty map. */
export function yaml(): Renderer {
  const known = new Map<string, unknown>();
  let characters = 0;
  return (input, { path }) => {
    // What is data already has come through a renderer before.
    if (typeof input !== "string") return input;
    let value = known.get(input);
    if (value !== undefined) return value;
    try {
      const parsed = parseOrderedYaml(input);
      value = truthy(parsed) || (isMap(parsed) && sizeOf(parsed) > 0) ? parsed : {};
    } catch (error) {
      if (!(error instanceof YamlError)) throw error;
      throw refused(error, input, path);
    }
    known.set(input, value);
    characters += input.length;
    for (const oldest of known.keys()) {
      if (known.size <= KEPT && characters <= KEPT_CHARACTERS) break;
      known.delete(oldest);
      characters -= oldest.length;
    }
    return value;
  };
}

/** The error of a file: in the log as our reader says it, which never shows what is in the file, and otherwise in Salt's words. */
function refused(error: YamlError, input: string, path: string): RenderError {
  const { line, column, problem } = error;
  const said = explainYaml(input);
  // Of errors of form Salt gives the problem alone.
  const text = said?.stage === "scanner" ? said.problem : said?.text;
  const isForeign = said?.stage === "composer";
  return new RenderError(path, problem, { line, column }, { cause: error, isForeign, text });
}
