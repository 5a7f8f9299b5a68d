import { entriesOf, isFloat, isInteger, isMap, repr, str } from "../../language/python/values.ts";
import { Constant, DateTime, Float, Packed, unpack } from "../../protocol/wire/msgpack.ts";
import { jsonOutput } from "../outputters/json.ts";

/** The text of bytes if they are UTF-8, else their Python notation: a return is rather kept like that than lost. */
function textOf(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    // What JSON has no word for.
    return repr(bytes);
  }
}

function keyOf(key: unknown): string {
  if (typeof key === "string") return key;
  if (key === null || key === undefined) return "null";
  if (typeof key === "boolean") return String(key);
  if (key instanceof Uint8Array) return textOf(key);
  return isInteger(key) || isFloat(key) ? repr(key) : str(key);
}

/** A value with nothing in it that JSON has no word for. */
export function plainValue(value: unknown): unknown {
  if (value === undefined) return null;
  if (value instanceof Packed) return plainValue(unpack(value, "bin"));
  if (value instanceof Uint8Array) return textOf(value);
  if (value instanceof DateTime) return value.toString();
  if (value instanceof Constant) return value.name;
  if (Array.isArray(value)) return Array.from(value, plainValue);
  if (isMap(value)) return new Map(entriesOf(value).map(([key, item]) => [keyOf(key), plainValue(item)]));
  return value;
}

/**
 * A value of a return as Salt's `json.dumps` writes it, on one line: `1.0` stays a float and keys become text. Bytes,
 * which make Salt's fail, are text here.
 */
export function toJson(value: unknown): string {
  return jsonOutput(plainValue(value), { output_indent: null });
}

const WORDS = /"(?:\\.|[^"\\])*"|-?Infinity|NaN/g;

/** What Python wrote as JSON, which may have infinities: they come back, and what is no number is null. */
export function fromJson(text: string): unknown {
  const revive = (_key: string, value: unknown, { source = "" }: { source?: string } = {}): unknown => {
    if (typeof value !== "number" || source === "") return value;
    if (/[.eE]/.test(source)) return Number.isInteger(value) ? new Float(value) : value;
    return Number.isSafeInteger(value) ? value : BigInt(source);
  };
  const parse = (json: string): unknown => JSON.parse(json, revive as (key: string, value: unknown) => unknown);
  try {
    return parse(text);
  } catch (error) {
    const mended = text.replace(
      WORDS,
      (word) => word.startsWith('"') ? word : word === "NaN" ? "null" : word.startsWith("-") ? "-1e999" : "1e999",
    );
    if (mended === text) throw error;
    return parse(mended);
  }
}
