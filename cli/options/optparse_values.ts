/** Values as Python's optparse reads and quotes them. */
import type { OptionValue } from "./request.ts";

/** `True` and `False` as booleans; other text stays. @param anyCase true takes `TRUE` and the like as well */
export function boolean(value: OptionValue, anyCase: boolean): OptionValue {
  if (typeof value !== "string") return value;
  const word = anyCase ? value.toLowerCase() : value;
  if (word === "true" || word === "True") return true;
  return word === "false" || word === "False" ? false : value;
}

/** A text as Python would quote it in a message. */
export function quote(value: string): string {
  const mark = value.includes("'") && !value.includes('"') ? '"' : "'";
  const body = value.replaceAll("\\", "\\\\").replaceAll("\n", "\\n").replaceAll("\r", "\\r").replaceAll("\t", "\\t");
  return mark + (mark === "'" ? body.replaceAll("'", "\\'") : body) + mark;
}

/** An integer as optparse reads it: a leading zero means octal; undefined for other text. */
export function parseInteger(value: string): number | undefined {
  const match = /^\s*([-+]?)(?:0[xX]([0-9a-fA-F]+)|0[bB]([01]+)|0([0-7]*)|([1-9]\d*))\s*$/.exec(value);
  if (match === null) return undefined;
  const [, sign, hex, binary, octal, decimal] = match;
  // With a sign in front optparse does not see the prefix: "+0x10" is an error and "-010" is minus ten.
  if (sign !== "" && (hex ?? binary) !== undefined) return undefined;
  const magnitude = hex !== undefined
    ? parseInt(hex, 16)
    : binary !== undefined
    ? parseInt(binary, 2)
    : octal !== undefined
    ? parseInt(octal || "0", sign === "" ? 8 : 10)
    : Number(decimal);
  return sign === "-" ? -magnitude : magnitude;
}

export function parseFloatingPoint(value: string): number | undefined {
  const trimmed = value.trim().toLowerCase();
  const special = /^([-+]?)(?:(inf|infinity)|nan)$/.exec(trimmed);
  if (special !== null) return special[2] === undefined ? NaN : special[1] === "-" ? -Infinity : Infinity;
  return /^[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?$/.test(trimmed) ? Number(trimmed) : undefined;
}
