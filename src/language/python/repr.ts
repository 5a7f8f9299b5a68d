import { entriesOf, isMap, OrderedMap, Tuple } from "./containers.ts";
import { Float } from "./float.ts";
import { PythonObject } from "./object.ts";
import { DateTime } from "../../protocol/wire/msgpack_values.ts";

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

/**
 * Python's `repr()` of a value. A container that contains itself is written `[...]` or `{...}` there.
 */
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
