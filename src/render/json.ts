import { JsonError, parseOrderedJson } from "../python/json.ts";
import { RenderError } from "./render_error.ts";
import type { Renderer } from "./renderer.ts";

/** JSON; a first line that begins with `#!` is not part of it. Nothing is an empty map. */
export function json(): Renderer {
  return (input, { path }) => {
    if (typeof input !== "string") return input;
    // The line stays as an empty one, so that the numbers of the others are right.
    const text = input.replace(/^#![^\n]*/, "");
    if (text.trim() === "") return {};
    try {
      return parseOrderedJson(text);
    } catch (error) {
      if (!(error instanceof JsonError)) throw error;
      const { line, column } = error;
      throw new RenderError(path, error.message, { line, column }, { cause: error });
    }
  };
}
