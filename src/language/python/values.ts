import { isRecord } from "../../base/record.ts";
import { compareText } from "./text.ts";
import { DateTime, Float } from "../../protocol/wire/msgpack_values.ts";

/** A map whose order is part of its value (Python's `OrderedDict`): outputters keep the order of its keys. */
export class OrderedMap<K = unknown, V = unknown> extends Map<K, V> {}

/** A Python tuple. Values from the wire are never tuples; values made in this process may be. */
export class Tuple<T = unknown> extends Array<T> {}

/**
 * A map of any kind: plain objects have text keys only, a `Map` may have any.
 *
 * @internal
 */
export type AnyMap = Map<unknown, unknown> | Record<string, unknown>;

/** True for what Python would call a dict: a `Map`, or an object that is not an array, number, date or byte string. */
export function isMap(value: unknown): value is AnyMap {
  return value instanceof Map || isRecord(value);
}

/** The entries of a map of either kind, in its order. */
export function entriesOf(map: AnyMap): [unknown, unknown][] {
  return map instanceof Map ? [...map] : Object.entries(map);
}

/** The number of entries of a map of either kind. */
export function sizeOf(map: AnyMap): number {
  return map instanceof Map ? map.size : Object.keys(map).length;
}

/** The value under a key, or `undefined` if there is none. */
export function lookup(map: AnyMap, key: unknown): unknown {
  if (map instanceof Map) return map.get(key);
  return typeof key === "string" && Object.hasOwn(map, key) ? map[key] : undefined;
}

// An object lists integer keys first, whatever order they were set in; and `__proto__` would set the prototype.
const UNFAITHFUL = /^(?:0|[1-9]\d{0,9}|__proto__)$/;

/** A map of the given entries: a plain object if that loses nothing, otherwise a `Map`. The last entry of a key wins. */
export function mapOf(entries: Iterable<readonly [unknown, unknown]>): AnyMap {
  const list = [...entries];
  if (list.every(([key]) => typeof key === "string" && !UNFAITHFUL.test(key))) {
    return Object.fromEntries(list as [string, unknown][]);
  }
  return new Map(list);
}

/**
 * A Python value that is neither a number, a text, a list nor a map: a range, an iterator, an undefined value. Its class defines
 * how Python names, prints and tests the value.
 */
export abstract class PythonObject {
  /** The name of the value's type, as in `type(value).__name__`. */
  abstract readonly typeName: string;

  abstract repr(): string;

  str(): string {
    return this.repr();
  }

  /** Python's `bool()`. */
  truth(): boolean {
    return true;
  }

  /** Python's `==` with a value that is not the same object. */
  equals(_other: unknown): boolean {
    return false;
  }
}

export { Float };

/** True if Python would call this value a float: a {@linkcode Float}, or a `number` that is not an integer. */
export function isFloat(value: unknown): value is number | Float {
  return value instanceof Float || (typeof value === "number" && !Number.isInteger(value));
}

/** True if Python would call this value an int. `true` and `false` are not counted. */
export function isInteger(value: unknown): value is number | bigint {
  return typeof value === "bigint" || Number.isInteger(value);
}

/** Represents the Python float `value`: boxed only when a plain `number` would read as an int. */
export function toFloat(value: number): number | Float {
  return Number.isInteger(value) ? new Float(value) : value;
}

/** Represents the Python int `value`: a `number` where that is exact, otherwise a `bigint`. */
export function toInteger(value: bigint): number | bigint {
  return value >= BigInt(Number.MIN_SAFE_INTEGER) && value <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(value) : value;
}

/** The most digits of an integer that Python reads from text. */
const MAX_DIGITS = 4300;

/**
 * Reads an integer from its digits. Like Python it refuses very long ones, because the time to read them grows faster than
 * their length.
 *
 * @param text digits, with a sign or a prefix that `BigInt` knows
 * @throws {SyntaxError} for more than 4300 digits
 */
export function integerOf(text: string): bigint {
  if (text.length > MAX_DIGITS + 1) {
    throw new SyntaxError(`Cannot read an integer of ${text.length} digits: at most ${MAX_DIGITS} are read`);
  }
  return BigInt(text);
}

/** True for what Python compares as a number: bool, int and float. */
export const isNumeric = (value: unknown): boolean => typeof value === "boolean" || isInteger(value) || isFloat(value);

/** Converts a Python number to a JavaScript number or bigint, which can be compared. */
export const comparable = (value: unknown): number | bigint => typeof value === "bigint" ? value : Number(value);

/** A tuple of items; `Tuple.of` and `new Tuple` treat a single number as a length. */
export function tupleOf<T>(items: Iterable<T>): Tuple<T> {
  const tuple = new Tuple<T>();
  // Nearly all come as short lists: an iterator would cost more than their items.
  if (Array.isArray(items)) { for (let at = 0; at < items.length; at++) tuple.push(items[at]); }
  else for (const item of items) tuple.push(item);
  return tuple;
}

/** The name of a value's Python type, as in `type(value).__name__`: `"str"`, `"NoneType"`, `"dict"`, … */
export function typeName(value: unknown): string {
  if (value === null || value === undefined) return "NoneType";
  if (typeof value === "boolean") return "bool";
  if (typeof value === "string") return "str";
  if (isInteger(value)) return "int";
  if (isFloat(value)) return "float";
  if (value instanceof PythonObject) return value.typeName;
  if (value instanceof Uint8Array) return "bytes";
  if (Array.isArray(value)) return value instanceof Tuple ? "tuple" : "list";
  if (value instanceof OrderedMap) return "OrderedDict";
  if (value instanceof Set) return "set";
  return typeof value === "function" ? "function" : "dict";
}

/** What Salt takes for true in a text or number (`salt.utils.data.is_true`): a number above zero, or the word true. */
export function isTrue(value: unknown): boolean {
  if (typeof value === "number" || typeof value === "bigint") return value > 0;
  if (typeof value !== "string") return Boolean(value);
  const text = value.trim();
  if (/^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i.test(text)) return Number(text) > 0;
  return value.toLowerCase() === "true";
}

/** Python's `a == b`: numbers and booleans are compared by value, lists in order, maps in any order. */
export function equal(a: unknown, b: unknown): boolean {
  if (isNumeric(a) && isNumeric(b)) {
    // Large integers stay exact: a bigint is never converted to a number.
    // deno-lint-ignore eqeqeq
    return typeof a === "bigint" || typeof b === "bigint" ? comparable(a) == comparable(b) : Number(a) === Number(b);
  }
  if (Array.isArray(a) && Array.isArray(b)) {
    // A list never equals a tuple.
    return a instanceof Tuple === b instanceof Tuple && a.length === b.length &&
      a.every((item, at) => equal(item, b[at]));
  }
  if (a instanceof Uint8Array && b instanceof Uint8Array) {
    return a.length === b.length && a.every((byte, at) => byte === b[at]);
  }
  if (isMap(a) && isMap(b)) {
    if (sizeOf(a) !== sizeOf(b)) return false;
    const others = new Map(entriesOf(b));
    return entriesOf(a).every(([key, value]) => others.has(key) && equal(value, others.get(key)));
  }
  if (a instanceof Set && b instanceof Set) {
    return a.size === b.size && [...a].every((item) => b.has(item) || [...b].some((other) => equal(item, other)));
  }
  if (a instanceof PythonObject && a !== b) return a.equals(b);
  if (b instanceof PythonObject && a !== b) return b.equals(a);
  return a === b;
}

/** Returns a list unchanged; any other value becomes a list with this value. */
export const listOf = (value: unknown): unknown[] => Array.isArray(value) ? value : [value];

/** The items of a list as texts; an empty list for any other value. */
export const textsOf = (value: unknown): string[] => Array.isArray(value) ? value.map(str) : [];

/** Salt's `split_input`: the items of a list as texts, or the parts of a text between commas. */
export const splitInput = (value: unknown): string[] =>
  Array.isArray(value) ? value.map(str) : str(value).split(",").map((one) => one.trim());

/** Converts a map of any kind to one with texts as keys; an empty map for any other value. */
export const fieldsOf = (value: unknown): Record<string, unknown> =>
  isMap(value) ? Object.fromEntries(entriesOf(value).map(([key, item]) => [str(key), item])) : {};

/** Python's `bool(value)`: null, false, zero and everything empty are false. */
export function truthy(value: unknown): boolean {
  if (value instanceof Float) return value.valueOf() !== 0;
  if (Array.isArray(value) || value instanceof Uint8Array) return value.length > 0;
  if (value instanceof PythonObject) return value.truth();
  if (value instanceof Set) return value.size > 0;
  if (isMap(value)) return sizeOf(value) > 0;
  // NaN is true in Python and false in JavaScript.
  return typeof value === "number" && Number.isNaN(value) ? true : Boolean(value);
}

/**
 * Python's `repr()` of a float: the fewest digits that read back as the same float, with an exponent below 1e-4 and from 1e16 on.
 *
 * @see https://docs.python.org/3/library/stdtypes.html#float (`float_repr_style` "short")
 */
export function floatRepr(value: number): string {
  if (Number.isNaN(value)) return "nan";
  if (!Number.isFinite(value)) return value > 0 ? "inf" : "-inf";
  if (value === 0) return Object.is(value, -0) ? "-0.0" : "0.0";
  const exponent = Number(value.toExponential().split("e")[1]);
  if (exponent >= -4 && exponent < 16) {
    const text = String(value);
    return text.includes(".") ? text : `${text}.0`;
  }
  const mantissa = value.toExponential().split("e")[0];
  return `${mantissa}e${exponent < 0 ? "-" : "+"}${String(Math.abs(exponent)).padStart(2, "0")}`;
}

const SHORT_ESCAPES: Record<string, string> = { "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t" };

function escapeCharacter(character: string): string {
  const short = SHORT_ESCAPES[character];
  if (short !== undefined) return short;
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x100) return `\\x${code.toString(16).padStart(2, "0")}`;
  return code < 0x10000 ? `\\u${code.toString(16).padStart(4, "0")}` : `\\U${code.toString(16).padStart(8, "0")}`;
}

// Characters that are not `str.isprintable`: controls, formats, surrogates, private and unassigned, and separators except the blank.
const ESCAPED = /[\\\p{C}\p{Zl}\p{Zp}]|(?! )\p{Zs}/gu;

/** A text as a Python literal: in single quotes, or in double quotes if it contains single quotes and no double quotes. */
export function stringRepr(text: string): string {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  const body = text.replace(ESCAPED, escapeCharacter);
  return quote + (quote === "'" ? body.replaceAll("'", "\\'") : body) + quote;
}

/** A byte string as a Python literal, `b'…'`. */
export function bytesRepr(bytes: Uint8Array): string {
  let body = "";
  let single = false;
  let double = false;
  for (const byte of bytes) {
    const character = String.fromCharCode(byte);
    single ||= character === "'";
    double ||= character === '"';
    body += byte >= 0x20 && byte < 0x7f && character !== "\\" ? character : escapeCharacter(character);
  }
  return single && !double ? `b"${body}"` : `b'${body.replaceAll("'", "\\'")}'`;
}

/** Python's `repr()` of a value. A container that contains itself is written `[...]` or `{...}` there. */
export function repr(value: unknown): string {
  return write(value, []);
}

function write(value: unknown, above: unknown[]): string {
  switch (typeof value) {
    case "string":
      return stringRepr(value);
    case "boolean":
      return value ? "True" : "False";
    case "number":
      return Number.isInteger(value) ? BigInt(value).toString() : floatRepr(value);
    case "bigint":
      return value.toString();
    case "undefined":
      return "None";
  }
  if (value === null) return "None";
  if (value instanceof Float) return floatRepr(value.valueOf());
  if (value instanceof Uint8Array) return bytesRepr(value);
  if (Array.isArray(value)) {
    if (above.includes(value)) return value instanceof Tuple ? "(...)" : "[...]";
    const inside = [...above, value];
    const items = Array.from(value, (item) => write(item, inside));
    if (!(value instanceof Tuple)) return `[${items.join(", ")}]`;
    return items.length === 1 ? `(${items[0]},)` : `(${items.join(", ")})`;
  }
  if (value instanceof Set) {
    const inside = [...above, value];
    return value.size === 0 ? "set()" : `{${Array.from(value, (item) => write(item, inside)).join(", ")}}`;
  }
  if (isMap(value)) {
    if (above.includes(value)) return "{...}";
    const inside = [...above, value];
    const entries = entriesOf(value).map(([key, item]) => [write(key, inside), write(item, inside)]);
    if (value instanceof OrderedMap) {
      return value.size === 0
        ? "OrderedDict()"
        : `OrderedDict([${entries.map(([key, item]) => `(${key}, ${item})`).join(", ")}])`;
    }
    return `{${entries.map(([key, item]) => `${key}: ${item}`).join(", ")}}`;
  }
  if (value instanceof DateTime) return dateTimeRepr(value);
  if (value instanceof PythonObject) return value.repr();
  return String(value);
}

/** A date-time as the Python call that creates it; trailing zero seconds and microseconds are left out. */
function dateTimeRepr(value: DateTime): string {
  const parts = (value.toString().match(/\d+/g) ?? []).map(Number);
  while (parts.length > 5 && parts[parts.length - 1] === 0) parts.pop();
  return `datetime.datetime(${parts.join(", ")})`;
}

/** Python's `str()` of a value: a text stays as it is, anything else becomes its {@linkcode repr}. */
export function str(value: unknown): string {
  if (value instanceof DateTime) return value.toString().replace("T", " ").replace(/\.0+$/, "");
  if (value instanceof PythonObject) return value.str();
  return typeof value === "string" ? value : repr(value);
}

/**
 * Arguments by parameter name; `*args` is an array and `**kwargs` a map, each under its own name.
 *
 * @internal
 */
export type Args = Record<string, unknown>;

/** Arguments of a function that takes `**kwargs`. */
export type KeywordArgs = Args & { kwargs: Args };

/**
 * Sorts as Python's `sorted()` does.
 *
 * @returns the sorted list, or `undefined` where Python raises because two of the values cannot be compared
 */
export function sorted<T>(items: Iterable<T>, key: (item: T) => unknown = (item) => item): T[] | undefined {
  const keyed = Array.from(items, (item) => ({ item, key: key(item) }));
  if (keyed.length < 2) return keyed.map(({ item }) => item);
  if (keyed.every(({ key }) => typeof key === "string")) {
    return keyed.sort((a, b) => compareText(a.key as string, b.key as string)).map(({ item }) => item);
  }
  if (keyed.every(({ key }) => isNumeric(key))) {
    const order = (value: unknown) => (typeof value === "bigint" ? value : Number(value));
    return keyed.sort((a, b) => {
      const left = order(a.key);
      const right = order(b.key);
      return left < right ? -1 : left > right ? 1 : 0;
    }).map(({ item }) => item);
  }
  return undefined;
}
