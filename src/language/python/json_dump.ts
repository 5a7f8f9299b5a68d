import { entriesOf, floatRepr, isFloat, isInteger, isMap, PythonObject, typeName } from "./values.ts";
import { sortedBy } from "./ordering.ts";
import { typeError, valueError } from "./python_error.ts";

export interface JsonDumpOptions {
  /** The blanks for each level; null for one line. @default null */
  indent?: number | string | null;
  /** Sorts the keys of maps. @default false */
  sortKeys?: boolean;
  /** Escapes characters beyond ASCII. @default true */
  ensureAscii?: boolean;
  /** The text between items, and between key and value. @default `[", ", ": "]`, with an indent `[",", ": "]` */
  separators?: readonly [string, string];
}

/** Maximum nesting of lists and maps, as when JSON is read. */
const MAX_DEPTH = 900;

const SHORT: Readonly<Record<string, string>> = {
  '"': '\\"',
  "\\": "\\\\",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
  "\f": "\\f",
  "\b": "\\b",
};

function text(value: string, ascii: boolean): string {
  // deno-lint-ignore no-control-regex
  const escaped = ascii ? /["\\]|[^\x20-\x7e]/g : /["\\\x00-\x1f]/g;
  return `"${
    value.replace(escaped, (character) =>
      SHORT[character] ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`)
  }"`;
}

function scalar(value: unknown): string | undefined {
  if (value === null || value === undefined) return "null";
  if (typeof value === "boolean") return String(value);
  if (isInteger(value)) return BigInt(value).toString();
  if (!isFloat(value)) return undefined;
  const number = Number(value);
  return Number.isFinite(number)
    ? floatRepr(number)
    : Number.isNaN(number)
    ? "NaN"
    : number > 0
    ? "Infinity"
    : "-Infinity";
}

function keyOf(key: unknown): string {
  const known = typeof key === "string" ? key : scalar(key);
  if (known === undefined) {
    throw typeError(`keys must be str, int, float, bool or None, not ${typeName(key)}`);
  }
  return known;
}

/**
 * Python's `json.dumps`: `1.0` stays a float, integers are exact.
 *
 * @throws {PythonError} for a value that JSON does not have
 */
export function dumpJson(value: unknown, options: JsonDumpOptions = {}): string {
  const { indent = null, sortKeys = false, ensureAscii = true } = options;
  const unit = indent === null
    ? undefined
    : typeof indent === "string"
    ? indent
    : " ".repeat(Math.max(0, Math.min(indent, 1000)));
  const [between, behindKey] = options.separators ?? (unit === undefined ? [", ", ": "] : [",", ": "]);
  const wrap = (open: string, items: string[], close: string, level: number): string => {
    if (items.length === 0) return open + close;
    if (unit === undefined) return open + items.join(between) + close;
    const inner = `\n${unit.repeat(level + 1)}`;
    return `${open}${inner}${items.join(between + inner)}\n${unit.repeat(level)}${close}`;
  };
  const write = (one: unknown, level: number): string => {
    if (level > MAX_DEPTH) throw valueError("Circular reference detected");
    if (typeof one === "string") return text(one, ensureAscii);
    const plain = scalar(one);
    if (plain !== undefined) return plain;
    if (Array.isArray(one)) return wrap("[", Array.from(one, (item) => write(item, level + 1)), "]", level);
    if (!isMap(one)) {
      if (one instanceof PythonObject) one.truth();
      throw typeError(`Object of type ${typeName(one)} is not JSON serializable`);
    }
    const entries = sortKeys ? sortedBy(entriesOf(one), ([key]) => key) : entriesOf(one);
    const items = entries.map(([key, item]) => `${text(keyOf(key), ensureAscii)}${behindKey}${write(item, level + 1)}`);
    return wrap("{", items, "}", level);
  };
  return write(value, 0);
}
