import { asInt } from "./arithmetic.ts";
import { Tuple, tupleOf } from "./values.ts";
import { typeError, valueError } from "./python_error.ts";
import { PythonRange } from "./range.ts";

/** The bounds of a slice; null where one was left out. */
export interface Slice {
  start: unknown;
  stop: unknown;
  step: unknown;
}

function bound(value: unknown, length: number, lowest: number, highest: number, otherwise: number): number {
  if (value === null || value === undefined) return otherwise;
  const whole = asInt(value);
  if (whole === undefined) {
    throw typeError("slice indices must be integers or None or have an __index__ method");
  }
  const number = Number(whole);
  return Math.min(highest, Math.max(lowest, number < 0 ? number + length : number));
}

/** The indexes that a slice selects from a sequence of `length` items. @throws {PythonError} for a step of 0 */
function placesOf({ start, stop, step }: Slice, length: number): PythonRange {
  const by = step === null || step === undefined ? 1 : Number(asInt(step) ?? NaN);
  if (Number.isNaN(by)) throw typeError("slice indices must be integers or None or have an __index__ method");
  if (by === 0) throw valueError("slice step cannot be zero");
  const [lowest, highest] = by > 0 ? [0, length] : [-1, length - 1];
  const first = bound(start, length, lowest, highest, by > 0 ? 0 : length - 1);
  const last = bound(stop, length, lowest, highest, by > 0 ? length : -1);
  return new PythonRange(first, last, by);
}

/** Python's `value[start:stop:step]`; undefined for a value that cannot be sliced. */
export function sliced(value: unknown, slice: Slice): unknown {
  if (typeof value === "string") {
    const characters = Array.from(value);
    return Array.from(placesOf(slice, characters.length), (at) => characters[at]).join("");
  }
  if (Array.isArray(value)) {
    const items = Array.from(placesOf(slice, value.length), (at) => value[at]);
    return value instanceof Tuple ? tupleOf(items) : items;
  }
  if (value instanceof Uint8Array) return Uint8Array.from(placesOf(slice, value.length), (at) => value[at]!);
  if (value instanceof PythonRange) {
    const places = placesOf(slice, value.length);
    const of = (at: number) => value.start + at * value.step;
    return new PythonRange(of(places.start), of(places.stop), value.step * places.step);
  }
  return undefined;
}
