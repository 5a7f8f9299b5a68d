/** Parses and quotes values as Python's optparse does. */
import { intOfText } from "../../src/language/python/text.ts";
import type { OptionValue } from "./request.ts";

/** Converts `True` and `False` to booleans; other text stays. @param anyCase true also accepts `TRUE` and the like */
export function optparseBoolean(value: OptionValue, anyCase: boolean): OptionValue {
  if (typeof value !== "string") return value;
  const word = anyCase ? value.toLowerCase() : value;
  if (word === "true" || word === "True") return true;
  return word === "false" || word === "False" ? false : value;
}

/** Quotes a text as Python does in messages. */
export function quote(value: string): string {
  const mark = value.includes("'") && !value.includes('"') ? '"' : "'";
  const body = value.replaceAll("\\", "\\\\").replaceAll("\n", "\\n").replaceAll("\r", "\\r").replaceAll("\t", "\\t");
  return mark + (mark === "'" ? body.replaceAll("'", "\\'") : body) + mark;
}

/** Parses an integer as optparse does: a leading zero means octal, unless a sign precedes it; undefined for other text. */
export function parseInteger(value: string): number | undefined {
  const prefix = value.slice(0, 2).toLowerCase();
  if (prefix === "0x") return intOfText(value, 16);
  if (prefix === "0b") return intOfText(value.slice(2) || "0", 2);
  return intOfText(value, value.startsWith("0") ? 8 : 10);
}
