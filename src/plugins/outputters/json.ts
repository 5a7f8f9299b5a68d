import { entriesOf, floatRepr, isFloat, isInteger, isMap, repr, sorted } from "../../language/python/values.ts";
import type { OutputOptions } from "./outputter.ts";

/** JSON as Python's `json.dumps` writes it, with `1.0` and integers of any size; keys keep their order. */
export function jsonOutput(data: unknown, options: OutputOptions = {}): string {
  const { output_indent: indent } = options;
  const width = indent === undefined || indent === "pretty" ? 4 : indent === null || indent < 0 ? undefined : indent;
  try {
    return write(data, width, indent === "pretty", "\n");
  } catch (error) {
    // A key that JSON cannot express: Salt prints an empty document instead of nothing.
    if (error instanceof TypeError) return "{}";
    throw error;
  }
}

const ESCAPES: Record<string, string> = {
  '"': '\\"',
  "\\": "\\\\",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
  "\f": "\\f",
  "\b": "\\b",
};

// Characters from U+0020 on are not escaped: JSON.stringify would also escape lone surrogates.
// deno-lint-ignore no-control-regex
const ESCAPED = /["\\\x00-\x1f]/g;

/** A text as a JSON string; only what JSON forbids is escaped. */
function jsonString(text: string): string {
  const body = text.replace(
    ESCAPED,
    (character) => ESCAPES[character] ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
  return `"${body}"`;
}

function jsonFloat(value: number): string {
  return Number.isFinite(value) ? floatRepr(value) : Number.isNaN(value) ? "NaN" : value > 0 ? "Infinity" : "-Infinity";
}

function scalar(value: unknown): string | undefined {
  if (value === null || value === undefined) return "null";
  if (typeof value === "boolean") return String(value);
  if (isInteger(value)) return Number.isSafeInteger(value) ? String(value) : BigInt(value).toString();
  return isFloat(value) ? jsonFloat(value.valueOf()) : undefined;
}

function keyText(key: unknown): string {
  if (typeof key === "string") return key;
  const text = scalar(key);
  if (text === undefined) throw new TypeError(`Cannot write ${repr(key)} as a key of a JSON object`);
  return text;
}

function write(value: unknown, indent: number | undefined, sortKeys: boolean, line: string): string {
  if (typeof value === "string") return jsonString(value);
  const isList = Array.isArray(value);
  if (!isList && !isMap(value)) return scalar(value) ?? jsonString(repr(value));
  const inner = indent === undefined ? "" : line + " ".repeat(indent);
  const separator = indent === undefined ? ", " : `,${inner}`;
  let text = "";
  const add = (item: string) => text += text === "" ? inner + item : separator + item;
  if (isList) { for (const item of value) add(write(item, indent, sortKeys, inner)); }
  else {
    const entries = sortKeys ? sorted(entriesOf(value), ([key]) => key) : entriesOf(value);
    if (entries === undefined) throw new TypeError("Cannot sort keys of different types");
    for (const [key, item] of entries) add(`${jsonString(keyText(key))}: ${write(item, indent, sortKeys, inner)}`);
  }
  if (text !== "" && indent !== undefined) text += line;
  return isList ? `[${text}]` : `{${text}}`;
}
