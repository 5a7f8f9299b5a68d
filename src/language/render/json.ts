import { plainMaps } from "../python/copy.ts";
import { JsonError, parseOrderedJson } from "../python/json.ts";
import { RenderError } from "./render_error.ts";
import type { Renderer } from "./renderer.ts";

/** The renderer for JSON. A first line that begins with `#!` is skipped; an empty text is an empty map. */
export function json(): Renderer {
  return (input, { path }) => {
    if (typeof input !== "string") return input;
    const [first = ""] = /^#![^\n]*\n?/.exec(input) ?? [];
    const text = input.slice(first.length);
    if (text.trim() === "") return {};
    try {
      return plainMaps(parseOrderedJson(text));
    } catch (error) {
      if (!(error instanceof JsonError)) throw error;
      const { line, column, at } = error;
      const text = `${error.message}: line ${line} column ${column} (char ${at})`;
      const place = { line: line + (first === "" ? 0 : 1), column };
      throw new RenderError(path, error.message, place, { cause: error, isForeign: true, text });
    }
  };
}
