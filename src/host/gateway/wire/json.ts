import { entriesOf, floatRepr, isFloat, isInteger, isMap, lookup, repr } from "../../../language/python/values.ts";

// deno-lint-ignore no-control-regex
const NOT_ASCII = /[^\x00-\x7f]/;
// deno-lint-ignore no-control-regex
const EACH_NOT_ASCII = /[^\x00-\x7f]/g;

function text(value: string): string {
  const quoted = JSON.stringify(value);
  if (!NOT_ASCII.test(quoted)) return quoted;
  return quoted.replace(EACH_NOT_ASCII, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

function scalar(value: unknown): string | undefined {
  if (value === null || value === undefined) return "null";
  if (value === true) return "true";
  if (value === false) return "false";
  if (isInteger(value)) return value.toString();
  if (!isFloat(value)) return undefined;
  const float = value.valueOf();
  // JSON has no NaN or Infinity. Python writes them all the same, which browsers cannot read: here they become null.
  return Number.isFinite(float) ? floatRepr(float) : "null";
}

/** Writes a value as JSON in Python's format: blanks after `,` and `:`, only ASCII, `1.0` with its fraction, keys in their order. */
export function jsonAnswer(value: unknown): string {
  if (typeof value === "string") return text(value);
  const single = scalar(value);
  if (single !== undefined) return single;
  if (Array.isArray(value)) return value.length === 0 ? "[]" : `[${value.map(jsonAnswer).join(", ")}]`;
  if (isMap(value)) {
    const members = entriesOf(value).map(([key, item]) => {
      const name = typeof key === "string" ? key : scalar(key) ?? repr(key);
      return `${text(name)}: ${jsonAnswer(item)}`;
    });
    return members.length === 0 ? "{}" : `{${members.join(", ")}}`;
  }
  if (value instanceof Uint8Array) return text(new TextDecoder().decode(value));
  return text(String(value));
}

/** A field of a value; undefined if the field is missing, or if the value is not a map. */
export function fieldOf(value: unknown, name: string): unknown {
  return isMap(value) ? lookup(value, name) : undefined;
}
