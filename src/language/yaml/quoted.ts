import { escape } from "./emitter.ts";

/** A text as a YAML scalar in double quotes, on one line, in ASCII. */
export function doubleQuoted(text: string): string {
  return `"${text.replace(/["\\]|[^\x20-\x7e]/gu, escape)}"`;
}

/** A text as a YAML scalar in single quotes, on one line: line feeds become empty lines. */
export function singleQuoted(text: string): string {
  return `'${text.replaceAll("'", "''").replace(/\n+/g, (breaks) => `${breaks}\n`)}'`;
}
