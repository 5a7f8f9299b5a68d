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
