import { asInt } from "../../python/arithmetic.ts";
import { toFloat, toInteger, tupleOf } from "../../python/values.ts";
import { PythonError, valueError } from "../../python/python_error.ts";
import { type MethodTable, positional } from "./method.ts";

const wholeOf = (value: unknown) => BigInt(asInt(value) ?? 0);
const bitsOf = (value: unknown) => {
  const whole = wholeOf(value);
  return whole === 0n ? "" : (whole < 0n ? -whole : whole).toString(2);
};

/** The methods of Python's `int` that templates use. */
export const INT_METHODS: MethodTable = {
  as_integer_ratio: positional<number>(
    "int.as_integer_ratio",
    0,
    0,
    (value) => tupleOf([toInteger(wholeOf(value)), 1]),
  ),
  bit_count: positional<number>("int.bit_count", 0, 0, (value) => bitsOf(value).replaceAll("0", "").length),
  bit_length: positional<number>("int.bit_length", 0, 0, (value) => bitsOf(value).length),
  conjugate: positional<number>("int.conjugate", 0, 0, (value) => toInteger(wholeOf(value))),
};

/** A float as a fraction in lowest terms: numerator and denominator. */
function ratioOf(value: number): [bigint, bigint] {
  if (Number.isNaN(value)) throw valueError("cannot convert NaN to integer ratio");
  if (!Number.isFinite(value)) throw new PythonError("OverflowError", "cannot convert Infinity to integer ratio");
  let halves = 0n;
  while (!Number.isInteger(value)) {
    value *= 2;
    halves++;
  }
  return [BigInt(value), 1n << halves];
}

/** Python's `float.hex()`. */
function hexOf(value: number): string {
  const sign = value < 0 || Object.is(value, -0) ? "-" : "";
  if (Number.isNaN(value)) return "nan";
  if (!Number.isFinite(value)) return `${sign}inf`;
  if (value === 0) return `${sign}0x0.0p+0`;
  const bits = new DataView(new ArrayBuffer(8));
  bits.setFloat64(0, value);
  const raw = bits.getBigUint64(0);
  const exponent = Number(raw >> 52n & 0x7ffn);
  const digits = (raw & 0xf_ffff_ffff_ffffn).toString(16).padStart(13, "0");
  // The smallest numbers have no leading 1.
  const power = exponent === 0 ? -1022 : exponent - 1023;
  return `${sign}0x${exponent === 0 ? 0 : 1}.${digits}p${power < 0 ? "-" : "+"}${Math.abs(power)}`;
}

export const FLOAT_METHODS: MethodTable = {
  as_integer_ratio: positional<number>(
    "float.as_integer_ratio",
    0,
    0,
    (value) => tupleOf(ratioOf(Number(value)).map(toInteger)),
  ),
  conjugate: positional<number>("float.conjugate", 0, 0, (value) => value),
  hex: positional<number>("float.hex", 0, 0, (value) => hexOf(Number(value))),
  is_integer: positional<number>("float.is_integer", 0, 0, (value) => Number.isInteger(Number(value))),
};

type Attributes = Readonly<Record<string, (value: unknown) => unknown>>;

const whole = (value: unknown) => toInteger(wholeOf(value));

/** The attributes of an int that are not methods. */
export const INT_ATTRIBUTES: Attributes = { real: whole, imag: () => 0, numerator: whole, denominator: () => 1 };

/** The attributes of a float that are not methods. */
export const FLOAT_ATTRIBUTES: Attributes = { real: (value) => value, imag: () => toFloat(0) };
