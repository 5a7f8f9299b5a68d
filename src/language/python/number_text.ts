/** Numbers as Python's `int()` and `float()` read them from text. */
import { WHITESPACE } from "./whitespace.ts";

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
