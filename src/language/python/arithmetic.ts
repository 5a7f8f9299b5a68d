import { Float, isFloat, isInteger, toFloat, toInteger, Tuple, tupleOf, typeName } from "./values.ts";
import { percentFormat } from "./percent_format.ts";
import { PythonError, typeError } from "./python_error.ts";
import { setHas } from "./dict.ts";

/** The most characters or items that a repetition may make. */
const MAX_REPEATED = 2 ** 24;
/** The most characters of a joined text, or items of a joined list. */
const MAX_CHARACTERS = 2 ** 26;
/** The most bits of a power. */
const MAX_BITS = 2 ** 20;

type Int = number | bigint;

/** An int of Python, a boolean included; undefined for anything else. */
export function asInt(value: unknown): Int | undefined {
  if (typeof value === "boolean") return value ? 1 : 0;
  return isInteger(value) ? value : undefined;
}

/** An int as Python's `operator.index` takes it. @throws {PythonError} a TypeError for anything else */
export function indexValue(value: unknown): number {
  const whole = asInt(value);
  if (whole === undefined) throw typeError(`'${typeName(value)}' object cannot be interpreted as an integer`);
  return Number(whole);
}

/** An int or float as a number; undefined for anything else. */
export function asNumber(value: unknown): number | undefined {
  if (typeof value === "number") return value;
  if (typeof value === "boolean" || typeof value === "bigint" || value instanceof Float) return Number(value);
  return undefined;
}

function unsupported(operator: string, a: unknown, b: unknown): PythonError {
  return typeError(`unsupported operand type(s) for ${operator}: '${typeName(a)}' and '${typeName(b)}'`);
}

/** Applies an operator to two numbers: exactly to ints, otherwise to floats. Undefined if one value is not a number. */
function numeric(
  a: unknown,
  b: unknown,
  ints: (a: bigint, b: bigint) => bigint,
  floats: (a: number, b: number) => number,
): unknown {
  const [left, right] = [asInt(a), asInt(b)];
  if (left !== undefined && right !== undefined) {
    if (typeof left === "number" && typeof right === "number") {
      const quick = floats(left, right);
      if (Number.isSafeInteger(quick)) return quick;
    }
    return toInteger(ints(BigInt(left), BigInt(right)));
  }
  const [x, y] = [asNumber(a), asNumber(b)];
  return x === undefined || y === undefined ? undefined : toFloat(floats(x, y));
}

/** Python's `a + b`. @throws {PythonError} */
export function add(a: unknown, b: unknown): unknown {
  if (typeof a === "string" && typeof b === "string") return joinTexts([a, b]);
  const sum = numeric(a, b, (x, y) => x + y, (x, y) => x + y);
  if (sum !== undefined) return sum;
  for (const [is, name] of JOINED) {
    if (!is(a)) continue;
    if (is(b)) return joined(a, b);
    throw typeError(
      name === "bytes"
        ? `can't concat ${typeName(b)} to bytes`
        : `can only concatenate ${name} (not "${typeName(b)}") to ${name}`,
    );
  }
  throw unsupported("+", a, b);
}

/** Joins texts. @throws {PythonError} if the result is too long: a text that is joined to itself doubles */
export function joinTexts(parts: readonly string[]): string {
  let length = 0;
  for (const part of parts) length += part.length;
  if (length > MAX_CHARACTERS) {
    throw new PythonError("MemoryError", `a text may have ${MAX_CHARACTERS} characters at most`);
  }
  return parts.join("");
}

const JOINED: [(value: unknown) => boolean, string][] = [
  [(value) => typeof value === "string", "str"],
  [(value) => value instanceof Tuple, "tuple"],
  [(value) => Array.isArray(value) && !(value instanceof Tuple), "list"],
  [(value) => value instanceof Uint8Array, "bytes"],
];

function joined(a: unknown, b: unknown): unknown {
  if ((a as unknown[]).length + (b as unknown[]).length > MAX_CHARACTERS) {
    throw new PythonError("MemoryError", `a list may have ${MAX_CHARACTERS} items at most`);
  }
  if (a instanceof Tuple) return tupleOf([...a, ...b as unknown[]]);
  if (Array.isArray(a)) return [...a, ...b as unknown[]];
  return Uint8Array.from([...a as Uint8Array, ...b as Uint8Array]);
}

/** Python's `a - b`, also for sets. @throws {PythonError} */
export function subtract(a: unknown, b: unknown): unknown {
  const difference = numeric(a, b, (x, y) => x - y, (x, y) => x - y);
  if (difference !== undefined) return difference;
  if (a instanceof Set && b instanceof Set) return new Set([...a].filter((item) => !setHas(b, item)));
  throw unsupported("-", a, b);
}

/** Python's `a * b`: a product, or a text or list repeated. @throws {PythonError} */
export function multiply(a: unknown, b: unknown): unknown {
  const product = numeric(a, b, (x, y) => bounded(x, y), (x, y) => x * y);
  if (product !== undefined) return product;
  const [sequence, times] = isSequence(a) ? [a, b] : [b, a];
  if (!isSequence(sequence)) throw unsupported("*", a, b);
  const count = asInt(times);
  if (count === undefined) throw typeError(`can't multiply sequence by non-int of type '${typeName(times)}'`);
  return repeated(sequence, Math.max(0, Number(count)));
}

function bounded(x: bigint, y: bigint): bigint {
  const digits = (value: bigint) => value.toString(16).length;
  if (digits(x) + digits(y) > MAX_BITS / 4) throw new PythonError("OverflowError", "integer is too large");
  return x * y;
}

function isSequence(value: unknown): value is string | unknown[] | Uint8Array {
  return typeof value === "string" || Array.isArray(value) || value instanceof Uint8Array;
}

function repeated(sequence: string | unknown[] | Uint8Array, count: number): unknown {
  if (sequence.length * count > MAX_REPEATED) {
    throw new PythonError("MemoryError", `a repetition may have ${MAX_REPEATED} characters or items at most`);
  }
  if (typeof sequence === "string") return sequence.repeat(count);
  const items = Array.from({ length: count }, () => [...sequence]).flat(1);
  if (sequence instanceof Uint8Array) return Uint8Array.from(items as number[]);
  return sequence instanceof Tuple ? tupleOf(items) : items;
}

const zeroDivision = (message: string) => new PythonError("ZeroDivisionError", message);

/** Python's `a / b`: always a float. @throws {PythonError} */
export function divide(a: unknown, b: unknown): unknown {
  const [x, y] = [asNumber(a), asNumber(b)];
  if (x === undefined || y === undefined) throw unsupported("/", a, b);
  if (y === 0) {
    throw zeroDivision(
      asInt(a) !== undefined && asInt(b) !== undefined ? "division by zero" : "float division by zero",
    );
  }
  return toFloat(x / y);
}

/** Python's `a // b`. @throws {PythonError} */
export function floorDivide(a: unknown, b: unknown): unknown {
  checkDivisor("//", a, b, "integer division or modulo by zero", "float floor division by zero");
  return numeric(a, b, floorOf, (x, y) => Math.floor(x / y));
}

/** Python's `a % b`: the remainder with the sign of `b`, or a text filled in. @throws {PythonError} */
export function modulo(a: unknown, b: unknown): unknown {
  if (typeof a === "string") return percentFormat(a, b);
  checkDivisor("%", a, b, "integer modulo by zero", "float modulo");
  const floats = (x: number, y: number) => {
    const rest = x % y;
    if (rest === 0) return y < 0 ? -0 : 0;
    return (rest < 0) !== (y < 0) ? rest + y : rest;
  };
  return numeric(a, b, (x, y) => x - floorOf(x, y) * y, floats);
}

function checkDivisor(operator: string, a: unknown, b: unknown, ofInts: string, ofFloats: string): void {
  const [x, y] = [asNumber(a), asNumber(b)];
  if (x === undefined || y === undefined) throw unsupported(operator, a, b);
  if (y === 0) throw zeroDivision(isFloat(a) || isFloat(b) ? ofFloats : ofInts);
}

function floorOf(x: bigint, y: bigint): bigint {
  const quotient = x / y;
  return x % y !== 0n && (x < 0n) !== (y < 0n) ? quotient - 1n : quotient;
}

/** Python's `a ** b`. @throws {PythonError} */
export function power(a: unknown, b: unknown): unknown {
  const [base, exponent] = [asInt(a), asInt(b)];
  if (base !== undefined && exponent !== undefined && exponent >= 0) {
    if (base >= -1 && base <= 1) {
      return toInteger(BigInt(base) ** BigInt(Number(BigInt(exponent) % 2n) + (exponent > 0 ? 2 : 0)));
    }
    if (BigInt(base).toString(2).length * Number(exponent) > MAX_BITS) {
      throw new PythonError("OverflowError", "the result of ** is too large");
    }
    return toInteger(BigInt(base) ** BigInt(exponent));
  }
  const [x, y] = [asNumber(a), asNumber(b)];
  if (x === undefined || y === undefined) throw unsupported("** or pow()", a, b);
  if (x === 0 && y < 0) throw zeroDivision("0.0 cannot be raised to a negative power");
  const result = x ** y;
  if (!Number.isFinite(result) && Number.isFinite(x) && Number.isFinite(y)) {
    throw new PythonError("OverflowError", "(34, 'Numerical result out of range')");
  }
  return toFloat(result);
}

/** Python's `-a`. @throws {PythonError} */
export function negate(a: unknown): unknown {
  const whole = asInt(a);
  if (whole !== undefined) return whole === 0 ? 0 : toInteger(-BigInt(whole));
  const number = asNumber(a);
  if (number === undefined) throw typeError(`bad operand type for unary -: '${typeName(a)}'`);
  return toFloat(-number);
}

/** Python's `+a`. @throws {PythonError} */
export function positive(a: unknown): unknown {
  const whole = asInt(a);
  if (whole !== undefined) return whole;
  if (asNumber(a) === undefined) throw typeError(`bad operand type for unary +: '${typeName(a)}'`);
  return a;
}

/** Python's `abs(a)`. @throws {PythonError} */
export function absolute(a: unknown): unknown {
  const whole = asInt(a);
  if (whole !== undefined) return whole < 0 ? toInteger(-BigInt(whole)) : whole;
  const number = asNumber(a);
  if (number === undefined) throw typeError(`bad operand type for abs(): '${typeName(a)}'`);
  return toFloat(Math.abs(number));
}

/** Python's `round(value, digits)` of a float: exact halves go to the even neighbor. */
export function roundFloat(value: number, digits: number): number {
  if (!Number.isFinite(value)) return value;
  if (digits < 0) {
    const unit = 10 ** -digits;
    const quotient = value / unit;
    const whole = Math.floor(quotient);
    const rest = quotient - whole;
    return (rest > 0.5 || rest === 0.5 && whole % 2 !== 0 ? whole + 1 : whole) * unit;
  }
  if (digits > 20 || Math.abs(value) >= 1e21) return value;
  const exact = Math.abs(value).toFixed(Math.min(100, digits + 60));
  const cut = exact.indexOf(".") + 1 + digits;
  const rest = exact.slice(cut).replace(".", "");
  let text = Math.abs(value).toFixed(digits);
  if (/^50*$/.test(rest)) {
    const down = exact.slice(0, digits === 0 ? cut - 1 : cut);
    if (Number(down.at(-1)) % 2 === 0) text = down;
  }
  return value < 0 || Object.is(value, -0) ? -Number(text) : Number(text);
}
