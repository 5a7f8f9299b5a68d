import { RenderError } from "./render_error.ts";
import type { Renderer } from "./renderer.ts";

/** What Jinja would act on. */
const MARKUP = /\{\{|\{%|\{#/;

/** Replaces Jinja for now: passes on text without markup, as most pillar files are, and refuses any other. */
export function jinja(): Renderer {
  return (input, { path }) => {
    if (typeof input !== "string") throw new RenderError(path, "jinja renders text, and was given data: put it first");
    const markup = MARKUP.exec(input);
    if (markup === null) return input;
    const before = input.slice(0, markup.index).split("\n");
    throw new RenderError(
      path,
      `Jinja templates are not available yet: write the file without ${
        markup[0]
      }, or in another way than as a template`,
      { line: before.length, column: before.at(-1)!.length + 1 },
    );
  };
}
