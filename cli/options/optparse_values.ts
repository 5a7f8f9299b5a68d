/** Values as Python's optparse reads and quotes them. */
import { intOfText } from "../../src/language/python/number_text.ts";
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

/** An integer as optparse reads it: a leading zero means octal, unless something stands before it; undefined for other text. */
export function parseInteger(value: string): number | undefined {
  const prefix = value.slice(0, 2).toLowerCase();
  if (prefix === "0x") return intOfText(value, 16);
  if (prefix === "0b") return intOfText(value.slice(2) || "0", 2);
  return intOfText(value, value.startsWith("0") ? 8 : 10);
}
