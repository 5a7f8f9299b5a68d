/** Python's white space characters, for use inside brackets of a regular expression; JavaScript's `\s` differs. */
export const WHITESPACE = "\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000";

const START = new RegExp(`^[${WHITESPACE}]+`);
const END = new RegExp(`(?<![${WHITESPACE}])[${WHITESPACE}]+$`);
const RUNS = new RegExp(`[${WHITESPACE}]+`);

/** Removes white space from both ends: `str.strip()`. */
export function strip(text: string): string {
  return stripEnd(stripStart(text));
}

/** Removes white space from the start: `str.lstrip()`. */
export function stripStart(text: string): string {
  return text.replace(START, "");
}

/** Removes white space from the end: `str.rstrip()`. */
export function stripEnd(text: string): string {
  return text.replace(END, "");
}

/** Splits a text at white space into words: `str.split()`. */
export function splitWords(text: string): string[] {
  return text.split(RUNS).filter((word) => word !== "");
}

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

/** Numbers as Python's `int()` and `float()` read them from text. */
const AROUND = new RegExp(`^[${WHITESPACE}]+|(?<![${WHITESPACE}])[${WHITESPACE}]+$`, "g");

/** The digits of each base, and its optional prefix. */
const BASES = { 2: ["[01]", "0[bB]_?"], 8: ["[0-7]", "0[oO]_?"], 10: ["\\d"], 16: ["[\\da-fA-F]", "0[xX]_?"] } as const;

/** Python's `int(text, base)`: white space around the number and single underscores between digits are allowed; undefined for other text. */
export function intOfText(text: string, base: keyof typeof BASES = 10): number | undefined {
  const [digit, prefix = ""] = BASES[base];
  const match = new RegExp(`^([-+]?)(?:${prefix})?(${digit}+(?:_${digit}+)*)$`).exec(text.replace(AROUND, ""));
  if (match === null) return undefined;
  const magnitude = parseInt(match[2]!.replaceAll("_", ""), base);
  return match[1] === "-" && magnitude !== 0 ? -magnitude : magnitude;
}

const FLOAT = /^[-+]?(?:\d+(?:_\d+)*\.?(?:\d+(?:_\d+)*)?|\.\d+(?:_\d+)*)(?:[eE][-+]?\d+(?:_\d+)*)?$/;
const SPECIAL = /^([-+]?)(?:(inf|infinity)|nan)$/i;

/** Python's `float(text)`, with white space and underscores as in {@link intOfText}; undefined for other text. */
export function floatOfText(text: string): number | undefined {
  const trimmed = text.replace(AROUND, "");
  const special = SPECIAL.exec(trimmed);
  if (special !== null) return special[2] === undefined ? NaN : special[1] === "-" ? -Infinity : Infinity;
  return FLOAT.test(trimmed) ? Number(trimmed.replaceAll("_", "")) : undefined;
}

/** Order of two texts by code point, as Python compares them; JavaScript's `<` compares UTF-16 units. */
export function compareText(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let at = 0; at < length; at++) {
    const left = a.charCodeAt(at);
    const right = b.charCodeAt(at);
    if (left === right) continue;
    const surrogates = Number(left >= 0xd800 && left < 0xe000) - Number(right >= 0xd800 && right < 0xe000);
    // A surrogate is half of a code point above every other unit.
    return surrogates !== 0 ? surrogates : left - right;
  }
  return a.length - b.length;
}
