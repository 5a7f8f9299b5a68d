// The boundaries of `str.splitlines`; a carriage return and line feed count as one.
const BREAKS = "\\n\\r\\v\\f\\x1c-\\x1e\\x85\\u2028\\u2029";
const BREAK = new RegExp(`\\r\\n|[${BREAKS}]`);
const LINE = new RegExp(`[^${BREAKS}]*(?:\\r\\n|[${BREAKS}])|[^${BREAKS}]+`, "g");

/** The lines of a text, as `str.splitlines()` returns them: a final break adds no empty line, an empty text has no lines. */
export function splitLines(text: string): string[] {
  const lines = text.split(BREAK);
  if (lines[lines.length - 1] === "") lines.pop();
  return lines;
}

/** The lines of a text, each with the break at its end: `str.splitlines(True)`. */
export function splitLinesKeepEnds(text: string): string[] {
  return text.match(LINE) ?? [];
}
