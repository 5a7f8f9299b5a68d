import { TemplateSyntaxError } from "./errors.ts";

const SHORT: Readonly<Record<string, string>> = {
  "\n": "",
  "\\": "\\",
  "'": "'",
  '"': '"',
  a: "\x07",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
};

const ESCAPE = /\\(?:([0-7]{1,3})|x([\da-fA-F]{2})|u([\da-fA-F]{4})|U([\da-fA-F]{8})|([^]))/gu;

const FAILED: Readonly<Record<string, string>> = {
  x: "truncated \\xXX escape",
  u: "truncated \\uXXXX escape",
  U: "truncated \\UXXXXXXXX escape",
  N: "unknown Unicode character name",
};

/** Some characters by their Unicode names; the whole list would be larger than the rest of this folder. */
const NAMED: Readonly<Record<string, string>> = {
  "NO-BREAK SPACE": "\u00a0",
  "EN DASH": "\u2013",
  "EM DASH": "\u2014",
  "BULLET": "\u2022",
  "LEFT CURLY BRACKET": "{",
  "RIGHT CURLY BRACKET": "}",
  "SNOWMAN": "\u2603",
};

/**
 * The value of a string literal: Python's escapes.
 *
 * @param body the text between the quotes
 * @throws {TemplateSyntaxError} for an escape that is cut off, or a name of a character that is not known
 */
export function unescapeString(body: string, line: number): string {
  if (!body.includes("\\")) return body;
  const named = body.replace(/\\N\{([^}]*)\}/g, (whole, name: string, at: number) => {
    // The backslash before the N is escaped itself, so `\N` is not an escape here.
    if (/(?:^|[^\\])(?:\\\\)*\\$/.test(body.slice(0, at))) return whole;
    const character = NAMED[name.toUpperCase()];
    if (character === undefined) throw new TemplateSyntaxError(FAILED.N!, line);
    return character;
  });
  return named.replace(ESCAPE, (whole, octal, hex, short, long, other: string) => {
    if (octal !== undefined) return String.fromCodePoint(parseInt(octal, 8));
    const code = hex ?? short ?? long;
    if (code !== undefined) {
      const point = parseInt(code, 16);
      if (point > 0x10ffff) throw new TemplateSyntaxError("illegal Unicode character", line);
      return String.fromCodePoint(point);
    }
    if (other in FAILED) throw new TemplateSyntaxError(FAILED[other]!, line);
    return SHORT[other] ?? whole;
  });
}
