/** What a test of `saltcheck` can state about a value. */
import {
  type AnyMap,
  equal,
  isFloat,
  isInteger,
  isMap,
  OrderedMap,
  str,
  toFloat,
  truthy,
  Tuple,
  tupleOf,
  typeName,
} from "../../../language/python/values.ts";
import { contains, updateDict } from "../../../language/jinja/mod.ts";
import { iterate } from "../../../language/python/iterate.ts";
import { floatOfText, intOfText } from "../../../language/python/text.ts";
import { compare } from "../../../language/python/ordering.ts";
import { PythonError, typeError } from "../../../language/python/python_error.ts";

interface Assertion {
  /** How the details of a test show it. */
  readonly sign: string;
  /** True if a test must have `expected_return`. */
  readonly expects: boolean;
  /** True if the expected value is converted to the type of the returned one. */
  readonly converts: boolean;
  holds(expected: unknown, returned: unknown): boolean | Promise<boolean>;
  /** Why it does not hold; `shown` is false if the test hides values. */
  failure(expected: unknown, returned: unknown, shown: boolean): string;
}

/** An operator between the expected and the returned value, in the words of its failure. */
const binary = (
  holds: Assertion["holds"],
  { sign, words, hidden, converts = false }: { sign: string; words: string; hidden: string; converts?: boolean },
): Assertion => ({
  sign,
  expects: true,
  converts,
  holds,
  failure: (expected, returned, shown) => shown ? `${str(expected)} ${words} ${str(returned)}` : hidden,
});

/** As in Salt, a failure of an order names only the returned value. */
const order = (sign: string, holds: (order: number) => boolean): Assertion => ({
  sign,
  expects: true,
  converts: true,
  holds: (expected, returned) => holds(compare(expected, returned, sign)),
  failure: (_expected, returned) => `${str(returned)} not False`,
});

const unary = (
  sign: string,
  holds: (returned: unknown) => boolean,
  words: (returned: unknown) => string,
): Assertion => ({
  sign,
  expects: false,
  converts: false,
  holds: (_expected, returned) => holds(returned),
  failure: (_expected, returned) => words(returned),
});

/** A text counts as the boolean that it is to Python. */
const boolOfText = (value: unknown) => typeof value === "string" ? value !== "" : value;

const ASSERTIONS: ReadonlyMap<unknown, Assertion> = new Map([
  [
    "assertEqual",
    binary(equal, { sign: "==", words: "is not equal to", hidden: "Result is not equal", converts: true }),
  ],
  [
    "assertNotEqual",
    binary((expected, returned) => !equal(expected, returned), {
      sign: "!=",
      words: "is equal to",
      hidden: "Result is equal",
      converts: true,
    }),
  ],
  ["assertTrue", unary("True is", (value) => value === true, (value) => `${str(value)} not True`)],
  [
    "assertFalse",
    unary("False is", (value) => boolOfText(value) === false, (value) => `${str(boolOfText(value))} not False`),
  ],
  [
    "assertIn",
    binary((expected, returned) => contains(returned, expected), {
      sign: "IN",
      words: "not found in",
      hidden: "Result not found",
    }),
  ],
  [
    "assertNotIn",
    binary(async (expected, returned) => !await contains(returned, expected), {
      sign: "NOT IN",
      words: "was found in",
      hidden: "Result was found",
    }),
  ],
  ["assertGreater", order(">", (order) => order > 0)],
  ["assertGreaterEqual", order(">=", (order) => order >= 0)],
  ["assertLess", order("<", (order) => order < 0)],
  ["assertLessEqual", order("<=", (order) => order <= 0)],
  ["assertEmpty", unary("IS EMPTY", (value) => !truthy(value), (value) => `${str(value)} is not empty`)],
  ["assertNotEmpty", unary("IS NOT EMPTY", truthy, () => "value is empty")],
]);

/** The assertion of a name; undefined if there is none. */
export const assertionOf = (name: unknown): Assertion | undefined => ASSERTIONS.get(name);

/** A number as Python converts a value to it; the value itself if it is a text without a number. */
function numberFrom(value: unknown, ofText: (text: string) => number | undefined, type: string): unknown {
  if (typeof value === "string") return ofText(value) ?? value;
  if (typeof value === "boolean") return Number(value);
  if (isInteger(value) || isFloat(value)) return value;
  const allowed = type === "int" ? "a string, a bytes-like object or a real number" : "a string or a real number";
  throw typeError(`${type}() argument must be ${allowed}, not '${typeName(value)}'`);
}

function integerFrom(value: unknown): unknown {
  const number = numberFrom(value, intOfText, "int");
  return isFloat(number) && Number.isFinite(Number(number)) ? Math.trunc(Number(number)) : number;
}

function floatFrom(value: unknown): unknown {
  const number = numberFrom(value, floatOfText, "float");
  return typeof number === "string" ? number : toFloat(Number(number));
}

function mapFrom(value: unknown, like: AnyMap): unknown {
  const map = like instanceof OrderedMap ? new OrderedMap() : new Map();
  updateDict(map, [value], new Map());
  return map;
}

/**
 * The expected value, converted to the type of the returned one; the value itself if that type has no such value.
 *
 * @throws {PythonError} a `TypeError` for a value of a type that cannot be converted
 */
export function convertedTo(returned: unknown, expected: unknown): unknown {
  if (typeof returned === "string") return str(expected);
  if (typeof returned === "boolean") return expected !== "False" && truthy(expected);
  if (isInteger(returned)) return integerFrom(expected);
  if (isFloat(returned)) return floatFrom(expected);
  if (returned instanceof Tuple) return tupleOf(iterate(expected));
  if (Array.isArray(returned)) return Array.from(iterate(expected));
  if (returned instanceof Set) return new Set(iterate(expected));
  if (!isMap(returned)) return expected;
  try {
    return mapFrom(expected, returned);
  } catch (error) {
    if (error instanceof PythonError && error.name === "ValueError") return expected;
    throw error;
  }
}
