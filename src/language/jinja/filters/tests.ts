import { asNumber, modulo } from "../../python/arithmetic.ts";
import { isFloat, isInteger, isMap, str } from "../../python/values.ts";
import { setHas } from "../../python/dict.ts";
import { lengthOf, tryIterate } from "../../python/iterate.ts";
import { PythonError } from "../../python/python_error.ts";
import { receiver } from "../attributes.ts";
import { Callable } from "../callable.ts";
import { Markup } from "../markup.ts";
import { COMPARISONS } from "../operators.ts";
import type { Run, Test } from "../runtime.ts";
import { Undefined } from "../undefined.ts";
import { filter } from "./filter.ts";
import { hasCase } from "../methods/text.ts";

const one = (name: string, holds: (value: unknown) => unknown): Test =>
  filter(name, ["value"], ({ value }) => holds(value));

const compared = (operator: string): Test => filter(operator, ["a", "b"], ({ a, b }) => COMPARISONS[operator]!(a, b));

const isText = (value: unknown) => typeof value === "string" || value instanceof Markup;
const isNumber = (value: unknown) => isInteger(value) || isFloat(value) || typeof value === "boolean";

function isSequence(value: unknown): boolean {
  if (Array.isArray(value) || isMap(value) || isText(value)) return true;
  if (value instanceof Undefined) return false;
  try {
    lengthOf(value);
    return !(value instanceof Set);
  } catch (error) {
    if (error instanceof PythonError) return false;
    throw error;
  }
}

function isSame(a: unknown, b: unknown): boolean {
  // JavaScript has no identity of numbers and texts: equal values of one type count as the same.
  return a === b || isFloat(a) && isFloat(b) && Number(a) === Number(b);
}

const remainder = (value: unknown, by: unknown) => {
  if (value instanceof Undefined) value.fail();
  return asNumber(modulo(value, by));
};

/** A test that a table has a name; a value that cannot be a key fails, as in Python. */
const named = (name: string, tableOf: (run: Run) => object): Test =>
  filter(name, ["value"], ({ value }, run) => {
    setHas(new Set(), receiver(value));
    return Object.hasOwn(tableOf(run), str(value));
  });

/** Jinja2's tests. */
export const TESTS: Readonly<Record<string, Test>> = {
  boolean: one("test_boolean", (value) => typeof value === "boolean"),
  callable: one("callable", (value) => value instanceof Callable || value instanceof Undefined),
  defined: one("test_defined", (value) => !(value instanceof Undefined)),
  divisibleby: filter("test_divisibleby", ["value", "num"], ({ value, num }) => remainder(value, num) === 0),
  escaped: one("test_escaped", (value) => value instanceof Markup),
  even: one("test_even", (value) => remainder(value, 2) === 0),
  false: one("test_false", (value) => value === false),
  filter: named("test_filter", (run) => run.environment.filters),
  float: one("test_float", isFloat),
  in: filter("test_in", ["value", "seq"], ({ value, seq }) => COMPARISONS.in!(value, seq)),
  integer: one("test_integer", isInteger),
  iterable: one("test_iterable", (value) => {
    if (value instanceof Undefined) return true;
    return tryIterate(receiver(value)) !== undefined;
  }),
  lower: one("test_lower", (value) => hasCase(str(value)) && str(value) === str(value).toLowerCase()),
  mapping: one("test_mapping", isMap),
  none: one("test_none", (value) => value === null),
  number: one("test_number", isNumber),
  odd: one("test_odd", (value) => remainder(value, 2) === 1),
  sameas: filter("test_sameas", ["value", "other"], ({ value, other }) => isSame(value, other)),
  sequence: one("test_sequence", isSequence),
  string: one("test_string", isText),
  test: named("test_test", (run) => run.environment.tests),
  true: one("test_true", (value) => value === true),
  undefined: one("test_undefined", (value) => value instanceof Undefined),
  upper: one("test_upper", (value) => hasCase(str(value)) && str(value) === str(value).toUpperCase()),
  "==": compared("=="),
  eq: compared("=="),
  equalto: compared("=="),
  "!=": compared("!="),
  ne: compared("!="),
  ">": compared(">"),
  gt: compared(">"),
  greaterthan: compared(">"),
  ">=": compared(">="),
  ge: compared(">="),
  "<": compared("<"),
  lt: compared("<"),
  lessthan: compared("<"),
  "<=": compared("<="),
  le: compared("<="),
};
