import { asInt } from "./arithmetic.ts";
import { type Float, isFloat, isInteger, repr, str, typeName } from "./values.ts";
import { formatNumber } from "./number_format.ts";
import { PythonError, typeError, valueError } from "./python_error.ts";
import { DateTime } from "../../protocol/wire/msgpack_values.ts";

interface FieldSource {
  positional: readonly unknown[];
  named: ReadonlyMap<string, unknown>;
  attribute(value: unknown, name: string): unknown;
  item(value: unknown, key: string | number): unknown;
  dateTime(value: DateTime, format: string): string;
}

/** The largest width or precision, in characters. */
const MAX_WIDTH = 1_000_000;

/**
 * Python's `str.format`: `{}`, `{0.name[key]!r:>10}`, and fields within the format of a field.
 *
 * @throws {PythonError} for a field that cannot be filled
 */
export function stringFormat(template: string, source: FieldSource): string {
  let automatic = 0;
  let numbering: "automatic" | "manual" | undefined;
  // As in Python's `string.Formatter`, by which Jinja formats, a number with attributes or keys after it does not count.
  const numbered = (path: string): string => {
    if (path !== "" && !/^\d+$/.test(path)) return path;
    const kind = path === "" ? "automatic" : "manual";
    if (numbering !== undefined && numbering !== kind) {
      throw valueError("cannot switch from manual field specification to automatic field numbering");
    }
    numbering = kind;
    return path === "" ? String(automatic++) : path;
  };
  const fill = (text: string, depth: number): string => {
    if (depth > 2) throw valueError("Max string recursion exceeded");
    let out = "";
    for (let at = 0; at < text.length;) {
      const character = text[at]!;
      if (character !== "{" && character !== "}") {
        out += character;
        at++;
      } else if (text[at + 1] === character) {
        out += character;
        at += 2;
      } else if (character === "}") {
        throw valueError("Single '}' encountered in format string");
      } else {
        const end = endOfField(text, at);
        out += one(text.slice(at + 1, end), depth);
        at = end + 1;
      }
    }
    return out;
  };
  const one = (field: string, depth: number): string => {
    const [, path = "", conversion, format = ""] = /^((?:[^!:[]|\[[^\]]*\])*)(?:!([^:]*))?(?::([^]*))?$/.exec(field) ??
      [];
    const [, first = "", rest = ""] = /^([^.[]*)([^]*)$/.exec(numbered(path))!;
    let value = fieldValue(first, source);
    for (const [, attribute, key] of rest.matchAll(/\.([^.[]*)|\[([^\]]*)\]/g)) {
      if (attribute !== undefined) value = source.attribute(value, attribute);
      else value = source.item(value, /^\d+$/.test(key!) ? Number(key) : key!);
    }
    if (conversion === "r" || conversion === "a") value = repr(value);
    else if (conversion === "s") value = str(value);
    else if (conversion !== undefined) {
      throw valueError(`Unknown conversion specifier '${conversion}'`);
    }
    return formatValue(value, format.includes("{") ? fill(format, depth + 1) : format, source);
  };
  return fill(template, 1);
}

function endOfField(text: string, start: number): number {
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    if (text[at] === "{") depth++;
    else if (text[at] === "}" && --depth === 0) return at;
  }
  throw valueError(
    start === text.length - 1 ? "Single '{' encountered in format string" : "expected '}' before end of string",
  );
}

function fieldValue(name: string, { positional, named }: FieldSource): unknown {
  if (/^\d+$/.test(name)) {
    const at = Number(name);
    if (at >= positional.length) {
      throw new PythonError("IndexError", "tuple index out of range");
    }
    return positional[at];
  }
  if (!named.has(name)) throw new PythonError("KeyError", repr(name));
  return named.get(name);
}

const SPEC = /^(?:([^])?([<>=^]))?([-+ ])?(z)?(#)?(0)?(\d+)?([,_])?(?:\.(\d+))?([a-zA-Z%])?$/u;

function formatValue(value: unknown, spec: string, { dateTime }: Pick<FieldSource, "dateTime">): string {
  if (spec === "") return str(value);
  if (value instanceof DateTime) return dateTime(value, spec);
  const isNumber = isInteger(value) || isFloat(value) || typeof value === "boolean" && asInt(value) !== undefined;
  if (!isNumber && typeof value !== "string") {
    throw typeError(`unsupported format string passed to ${typeName(value)}.__format__`);
  }
  const match = SPEC.exec(spec);
  if (match === null) throw valueError("Invalid format specifier");
  const [, fillCharacter, align, sign, , alternate, zero, width = "0", grouping = "", digits, type = ""] = match;
  const precision = digits === undefined ? undefined : Number(digits);
  if (Number(width) > MAX_WIDTH || (precision ?? 0) > MAX_WIDTH) {
    throw valueError("Too many decimal digits in format string");
  }
  const unknownCode = () => valueError(`Unknown format code '${type}' for object of type '${typeName(value)}'`);
  if (typeof value === "string") {
    if (type !== "" && type !== "s") throw unknownCode();
    if (sign !== undefined) throw valueError("Sign not allowed in string format specifier");
    const text = precision === undefined ? value : Array.from(value).slice(0, precision).join("");
    return aligned(text, fillCharacter ?? (zero ? "0" : " "), align ?? "<", Number(width));
  }
  const number = typeof value === "boolean" ? Number(value) : value as number | bigint | Float;
  const isInt = isInteger(number);
  if (type === "s" || !isInt && "dxXob".includes(type) && type !== "") throw unknownCode();
  if (type === "c") {
    return aligned(String.fromCodePoint(Number(number)), fillCharacter ?? " ", align ?? "<", Number(width));
  }
  const zeros = align === "=" || zero !== undefined && align === undefined;
  const isGeneral = type === "" && (!isInt && precision !== undefined);
  const text = formatNumber(number, {
    type: isGeneral ? "g" : type === "n" ? "d" : type,
    precision,
    sign: (sign ?? "-") as "-",
    alternate: alternate !== undefined,
    width: zeros && (fillCharacter ?? "0") === "0" ? Number(width) : 0,
    grouping,
  });
  return aligned(
    text,
    fillCharacter ?? (zero ? "0" : " "),
    align === "=" || align === undefined ? ">" : align,
    Number(width),
  );
}

function aligned(text: string, fill: string, align: string, width: number): string {
  const missing = width - Array.from(text).length;
  if (missing <= 0) return text;
  const left = align === ">" ? missing : align === "^" ? Math.floor(missing / 2) : 0;
  return fill.repeat(left) + text + fill.repeat(missing - left);
}
