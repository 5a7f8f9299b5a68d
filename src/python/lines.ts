// The boundaries of `str.splitlines`; a carriage return and line feed count as one.
// deno-lint-ignore no-control-regex
const BREAK = /\r\n|[\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029]/;

/** Lines of a text as `str.splitlines()` gives them: a final break adds no empty line, an empty text has none. */
export function splitLines(text: string): string[] {
  const lines = text.split(BREAK);
  if (lines[lines.length - 1] === "") lines.pop();
  return lines;
}
