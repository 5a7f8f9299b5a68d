import { Float } from "../../protocol/wire/msgpack_values.ts";

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
