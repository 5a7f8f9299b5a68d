import { str, truthy } from "../../../language/python/values.ts";
import { normaliseDeclarations } from "./declarations.ts";
import { opened, type OpenHigh } from "./high.ts";

/** Keys that a single template must not have, because it has no other files around it. */
const OF_FILES = ["include", "exclude", "extends"];

/**
 * The high data of one rendered template, for `state.template` and `state.template_str`. It has no SLS and no environment.
 *
 * @param name path of the template, or `<template-str>`
 * @returns undefined as high data of a template that renders to nothing
 * @see salt/state.py State.render_template
 */
export function highOfTemplate(data: unknown, name: string): { high: OpenHigh | undefined; errors: string[] } {
  if (!truthy(data)) return { high: undefined, errors: [] };
  const high = opened(data);
  if (!(high instanceof Map)) {
    return { high: undefined, errors: [`Template ${name} does not render to a dictionary`] };
  }
  const wrong = OF_FILES.find((key) => high.has(key));
  if (wrong !== undefined) {
    const error = `The '${wrong}' declaration found on '${name}' is invalid when rendering single templates`;
    return { high, errors: [error] };
  }
  const errors: string[] = [];
  for (const [id, body] of high) {
    if (!(body instanceof Map)) continue;
    for (const [key, run] of body) {
      if (run === null && !str(key).startsWith("_")) errors.push(trailingColon(id, name, str(key)));
    }
  }
  normaliseDeclarations(high, { plain: `template ${name}`, quoted: `template '${name}'` }, undefined, errors);
  return { high, errors };
}

function trailingColon(id: unknown, name: string, key: string): string {
  return `ID '${str(id)}' in template ${name} contains a short declaration (${key}) with a trailing colon. ` +
    "When not passing any arguments to a state, the colon must be omitted.";
}
