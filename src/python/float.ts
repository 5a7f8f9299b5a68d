import { Float } from "../wire/msgpack_values.ts";

export { Float };

/** True if Python would call this value a float: a {@linkcode Float}, or a `number` that is no integer. */
export function isFloat(value: unknown): value is number | Float {
  return value instanceof Float || (typeof value === "number" && !Number.isInteger(value));
}

/** True if Python would call this value an int. `true` and `false` are not counted. */
export function isInteger(value: unknown): value is number | bigint {
  return typeof value === "bigint" || Number.isInteger(value);
}

/** The value that stands for the Python float `value`: boxed exactly when a `number` would read as an int. */
export function toFloat(value: number): number | Float {
  return Number.isInteger(value) ? new Float(value) : value;
}

/** The value that stands for the Python int `value`: a `number` as long as that is exact. */
export function toInteger(value: bigint): number | bigint {
  return value >= BigInt(Number.MIN_SAFE_INTEGER) && value <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(value) : value;
}
