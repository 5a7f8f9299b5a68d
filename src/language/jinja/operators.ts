import { add, divide, floorDivide, modulo, multiply, negate, positive, power, subtract } from "../python/arithmetic.ts";
import {
  entriesOf,
  equal,
  isInteger,
  isMap,
  PythonObject,
  truthy,
  Tuple,
  tupleOf,
  typeName,
} from "../python/values.ts";
import { dictGet, MISSING, setHas } from "../python/dict.ts";
import { tryIterate } from "../python/iterate.ts";
import { compare } from "../python/ordering.ts";
import { typeError } from "../python/python_error.ts";
import { type Described, receiver } from "./attributes.ts";
import { addMarkup, asMarkup, escaped, Markup } from "./markup.ts";
import { Undefined } from "./undefined.ts";

type Binary = (a: unknown, b: unknown) => unknown;

/**
 * An operation on plain values; an undefined operand fails first.
 *
 * @param ofMarkup the operation if one of the values is markup; returns undefined if that makes no difference
 */
function checked(operation: Binary, ofMarkup: Binary = () => undefined): Binary {
  return (a, b) => {
    if (typeof a !== "object" && typeof b !== "object") return operation(a, b);
    if (a instanceof Undefined) a.fail();
    if (b instanceof Undefined) b.fail();
    if (!(a instanceof Markup) && !(b instanceof Markup)) return operation(a, b);
    // Markup that no operation is for is an error, which names it.
    return ofMarkup(a, b) ?? operation(a, b);
  };
}

/** Computes `markup % values`: the values are escaped. */
function formatMarkup(a: unknown, b: unknown): unknown {
  if (!(a instanceof Markup)) return undefined;
  const values = isMap(b)
    ? new Map(entriesOf(b).map(([key, value]) => [key, escaped(value)]))
    : b instanceof Tuple
    ? tupleOf(b.map(escaped))
    : escaped(b);
  return asMarkup(modulo(a.text, values));
}

/** Computes `markup * count`. */
function repeatMarkup(a: unknown, b: unknown): unknown {
  const count = a instanceof Markup ? b : a;
  if (!isInteger(count) && typeof count !== "boolean") {
    throw typeError(`'${typeName(count)}' object cannot be interpreted as an integer`);
  }
  return asMarkup(multiply(receiver(a), receiver(b)));
}

export const BINARY: Readonly<Record<string, Binary>> = {
  "+": checked(add, addMarkup),
  "-": checked(subtract),
  "*": checked(multiply, repeatMarkup),
  "/": checked(divide),
  "//": checked(floorDivide),
  "%": checked(modulo, formatMarkup),
  "**": checked(power),
};

export const UNARY: Readonly<Record<"negative" | "positive", (a: unknown) => unknown>> = {
  negative: (a) => a instanceof Undefined ? a.fail() : negate(a),
  positive: (a) => a instanceof Undefined ? a.fail() : positive(a),
};

/**
 * Computes `value in container`: true if a sequence has the value, a text has the part, or a map has the key.
 *
 * @throws {PythonError} for a value that is not a container, and for a value that cannot be in the container
 */
export function contains(container: unknown, value: unknown): boolean | Promise<boolean> {
  const where = receiver(container);
  if (where instanceof Undefined) return where.truth() && false;
  if (typeof where === "string") {
    const part = receiver(value);
    if (part instanceof Undefined) part.fail();
    if (typeof part !== "string") {
      throw typeError(`'in <string>' requires string as left operand, not ${typeName(value)}`);
    }
    return where.includes(part);
  }
  if (isMap(where)) {
    if (value instanceof Undefined) value.fail();
    return dictGet(where, value) !== MISSING;
  }
  if (where instanceof Set) return setHas(where, value);
  if (where instanceof PythonObject) {
    const own = (where as Described).contains?.(value);
    if (own !== undefined) return own;
  }
  const values = tryIterate(where);
  if (values === undefined) throw typeError(`argument of type '${typeName(container)}' is not iterable`);
  for (const one of values) if (one === value && !(one instanceof Undefined) || equal(one, value)) return true;
  return false;
}

const ordered = (operator: string, holds: (order: number) => boolean): Binary => (a, b) => {
  if (a instanceof Undefined) a.fail();
  if (b instanceof Undefined) b.fail();
  const [left, right] = [receiver(a), receiver(b)];
  const areTexts = typeof left === "string" && typeof right === "string";
  return holds(areTexts ? compare(left, right, operator) : compare(a, b, operator));
};

const same: Binary = (a, b) => {
  // Comparing an undefined value with itself fails, as with any other value.
  if (a instanceof Undefined) return a.equals(b);
  return equal(a, b);
};

export const COMPARISONS: Readonly<Record<string, Binary>> = {
  "==": same,
  "!=": (a, b) => !truthy(same(a, b)),
  "<": ordered("<", (order) => order < 0),
  "<=": ordered("<=", (order) => order <= 0),
  ">": ordered(">", (order) => order > 0),
  ">=": ordered(">=", (order) => order >= 0),
  in: (a, b) => contains(b, a),
  "not in": (a, b) => {
    const found = contains(b, a);
    return found instanceof Promise ? found.then((known) => !known) : !found;
  },
};
