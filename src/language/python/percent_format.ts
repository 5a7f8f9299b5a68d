import { type AnyMap, Float, isInteger, isMap, repr, str, Tuple, typeName } from "./values.ts";
import { dictGet, MISSING } from "./dict.ts";
import { formatNumber, type NumberFormat } from "./number_format.ts";
import { PythonError, typeError, valueError } from "./python_error.ts";

const FIELD = /%(?:\(([^)]*)\))?([-+ #0]*)(\*|\d+)?(?:\.(\*|\d+)?)?[hlL]?([^]|$)/gu;
/** The largest width or precision, in characters. */
const MAX_WIDTH = 1_000_000;

/**
 * Python's `template % values`.
 *
 * @param values a tuple, a map for `%(key)s`, or the one value
 * @throws {PythonError} if values and fields do not match
 */
export function percentFormat(template: string, values: unknown): string {
  const list = values instanceof Tuple ? values : [values];
  let used = 0;
  let named = false;
  const next = () => {
    if (used >= list.length) throw typeError("not enough arguments for format string");
    return list[used++];
  };
  const text = template.replace(
    FIELD,
    (_whole, key: string | undefined, flags: string, width, precision, conversion: string, at: number) => {
      if (conversion === "%") return "%";
      if (conversion === "") throw valueError("incomplete format");
      let value: unknown;
      if (key !== undefined) {
        if (!isMap(values)) throw typeError("format requires a mapping");
        named = true;
        value = dictGet(values as AnyMap, key);
        if (value === MISSING) throw new PythonError("KeyError", repr(key));
      }
      const size = (part: string | undefined) => {
        const number = part === "*" ? Number(next()) : part === undefined ? undefined : Number(part);
        if (number !== undefined && Math.abs(number) > MAX_WIDTH) throw valueError("width too big");
        return number;
      };
      const hasPrecision = _whole.includes(".") && precision === undefined ? 0 : size(precision);
      const room = size(width);
      if (key === undefined) value = next();
      return field(value, flags, room, hasPrecision, conversion, at + _whole.length - 1);
    },
  );
  if (
    !named && used < list.length &&
    !(isMap(values) || Array.isArray(values) && !(values instanceof Tuple) && used === 0)
  ) {
    throw typeError("not all arguments converted during string formatting");
  }
  return text;
}

function field(
  value: unknown,
  flags: string,
  width: number | undefined,
  precision: number | undefined,
  conversion: string,
  at: number,
): string {
  const isLeft = flags.includes("-") || (width ?? 0) < 0;
  const sized = (text: string) => {
    const missing = Math.abs(width ?? 0) - Array.from(text).length;
    return missing <= 0 ? text : isLeft ? text + " ".repeat(missing) : " ".repeat(missing) + text;
  };
  const cut = (text: string) => precision === undefined ? text : Array.from(text).slice(0, precision).join("");
  switch (conversion) {
    case "s":
      return sized(cut(str(value)));
    case "r":
    case "a":
      return sized(cut(repr(value)));
    case "c":
      return sized(typeof value === "string" ? value : String.fromCodePoint(Number(value)));
  }
  if (!"diouxXeEfFgG".includes(conversion)) {
    throw valueError(
      `unsupported format character '${conversion}' (0x${conversion.codePointAt(0)!.toString(16)}) at index ${at}`,
    );
  }
  const number = numberOf(value, conversion);
  const format: NumberFormat = {
    type: "iu".includes(conversion) ? "d" : conversion,
    precision,
    sign: flags.includes("+") ? "+" : flags.includes(" ") ? " " : "-",
    alternate: flags.includes("#"),
    width: flags.includes("0") && !isLeft ? Math.abs(width ?? 0) : 0,
    grouping: "",
  };
  return sized(formatNumber(number, format));
}

/** The number for a conversion. @throws {PythonError} if the value is not a number */
function numberOf(value: unknown, conversion: string): number | bigint | Float {
  const plain = typeof value === "boolean" ? Number(value) : value;
  const isNumber = typeof plain === "number" || typeof plain === "bigint" || plain instanceof Float;
  if ("diu".includes(conversion)) {
    if (!isNumber) throw typeError(`%${conversion} format: a real number is required, not ${typeName(value)}`);
    return isInteger(plain) ? plain : BigInt(Math.trunc(Number(plain)));
  }
  if ("oxX".includes(conversion)) {
    if (!isInteger(plain)) throw typeError(`%${conversion} format: an integer is required, not ${typeName(value)}`);
    return plain;
  }
  if (!isNumber) throw typeError(`must be real number, not ${typeName(value)}`);
  return plain as number;
}
