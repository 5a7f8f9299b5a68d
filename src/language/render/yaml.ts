import { isMap, sizeOf, truthy } from "../python/values.ts";
import { explainYaml } from "../yaml/libyaml/explain_yaml.ts";
import { parseOrderedYaml } from "../yaml/ordered.ts";
import { YamlError } from "../yaml/yaml_error.ts";
import { RenderError } from "./render_error.ts";
import type { Renderer } from "./renderer.ts";

/** The most texts whose values are kept: a master renders the same few texts for every minion. */
const MAX_KEPT = 1000;
/** The most characters of all kept texts. */
const MAX_KEPT_CHARACTERS = 32 * 1024 * 1024;

/** The renderer for YAML, by the rules of Salt's loader; maps keep their order. An empty document is an empty map. */
export function yaml(): Renderer {
  const known = new Map<string, unknown>();
  let characters = 0;
  return (input, { path }) => {
    // Input that is not text is the data of an earlier renderer.
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
      if (known.size <= MAX_KEPT && characters <= MAX_KEPT_CHARACTERS) break;
      known.delete(oldest);
      characters -= oldest.length;
    }
    return value;
  };
}

/** The error of a file: for the log in Brine's words, which never quote the file, and otherwise in Salt's words. */
function refused(error: YamlError, input: string, path: string): RenderError {
  const { line, column, problem } = error;
  const said = explainYaml(input);
  // For errors of the scanner, Salt shows only the problem.
  const text = said?.stage === "scanner" ? said.problem : said?.text;
  const isForeign = said?.stage === "composer";
  return new RenderError(path, problem, { line, column }, { cause: error, isForeign, text });
}
