import { valueError } from "../../python/python_error.ts";
import { absolute, add, asNumber, divide } from "../../python/arithmetic.ts";
import { type AnyMap, entriesOf, equal, isMap, OrderedMap, sizeOf, toFloat } from "../../python/values.ts";
import { dumpJson } from "../../python/json_dump.ts";
import { compare, sortedBy } from "../../python/ordering.ts";
import { charge, isNumber, QueryReference, type SearchBudget } from "./search.ts";

/** Kinds of arguments, as JMESPath calls them; `array-number` is a list of numbers. */
type Kind = "number" | "string" | "boolean" | "array" | "object" | "expref" | "array-number" | "array-string";

interface QueryFunction {
  /** The allowed kinds of each parameter; an empty list allows any value. */
  takes: readonly (readonly Kind[])[];
  /** True if the last parameter may be repeated. */
  variadic?: boolean;
  call(args: readonly unknown[], budget: SearchBudget): unknown;
}

function kindOf(value: unknown): string {
  if (value === null || value === undefined) return "null";
  if (typeof value === "string") return "string";
  if (typeof value === "boolean") return "boolean";
  if (value instanceof QueryReference) return "expref";
  if (Array.isArray(value)) return "array";
  if (isMap(value)) return "object";
  return isNumber(value) ? "number" : "unknown";
}

function isKind(value: unknown, kind: Kind): boolean {
  const [outer, inner] = kind.split("-");
  if (kindOf(value) !== outer) return false;
  return inner === undefined || (value as unknown[]).every((item) => kindOf(item) === inner);
}

const NUMBERS_OR_TEXTS = ["array-number", "array-string"] as const;

/** The first of the smallest (or largest) items. */
function extreme(items: readonly unknown[], key: (item: unknown) => unknown, sign: 1 | -1): unknown {
  return items.reduce<{ item: unknown; key: unknown } | undefined>((best, item) => {
    const own = key(item);
    return best === undefined || sign * compare(own, best.key) > 0 ? { item, key: own } : best;
  }, undefined)?.item ?? null;
}

/** Returns the keys of items by an expression: all numbers, or all texts. */
function keyBy(name: string, reference: unknown, items: unknown, budget: SearchBudget): (item: unknown) => unknown {
  const { query } = reference as QueryReference;
  const keys = new Map((items as unknown[]).map((item) => [item, query(item, budget)]));
  const kinds = new Set(Array.from(keys.values(), kindOf));
  const [kind] = kinds;
  if (kinds.size > 1 || kind !== undefined && kind !== "number" && kind !== "string") {
    throw valueError(`In function ${name}(), invalid type for value: expected all of ['string'] or ['number']`);
  }
  return (item) => {
    budget.step();
    return keys.get(item);
  };
}

const itself = (item: unknown) => item;

/** Charges the characters of a new text to the budget. */
function written(text: string, budget: SearchBudget): string {
  budget.write(text.length);
  return text;
}

function joined(separator: string, items: readonly string[], budget: SearchBudget): string {
  for (const item of items) budget.write(item.length + separator.length);
  return items.join(separator);
}

function toNumber(value: unknown): unknown {
  if (isNumber(value)) return value;
  if (typeof value !== "string") return null;
  const text = value.trim();
  if (/^[+-]?\d+$/.test(text)) return Number(text);
  return /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/.test(text) ? toFloat(Number(text)) : null;
}

function merged(maps: readonly unknown[], budget: SearchBudget): AnyMap {
  const whole = new OrderedMap();
  for (const map of maps) {
    for (const [key, item] of entriesOf(map as AnyMap)) {
      budget.step();
      whole.set(key, item);
    }
  }
  return whole;
}

function contains([subject, wanted]: readonly unknown[], budget: SearchBudget): boolean {
  if (typeof subject === "string") {
    if (typeof wanted !== "string") throw valueError("In function contains(), a text can only contain a text");
    return subject.includes(wanted);
  }
  charge(subject, budget);
  charge(wanted, budget);
  return (subject as unknown[]).some((item) => equal(item, wanted));
}

const sum = (items: readonly unknown[]): unknown => items.reduce((total, item) => add(total, item), 0);
const whole = (round: (value: number) => number) => ([value]: readonly unknown[]) => round(asNumber(value)!);
const list = (value: unknown) => value as unknown[];
const text = (value: unknown) => value as string;

const FUNCTIONS: Readonly<Record<string, QueryFunction>> = {
  abs: { takes: [["number"]], call: ([value]) => absolute(value) },
  avg: {
    takes: [["array-number"]],
    call: ([items]) => list(items).length === 0 ? null : divide(sum(list(items)), list(items).length),
  },
  ceil: { takes: [["number"]], call: whole(Math.ceil) },
  contains: { takes: [["array", "string"], []], call: contains },
  ends_with: { takes: [["string"], ["string"]], call: ([value, end]) => text(value).endsWith(text(end)) },
  floor: { takes: [["number"]], call: whole(Math.floor) },
  join: {
    takes: [["string"], ["array-string"]],
    call: ([separator, items], budget) => joined(text(separator), items as string[], budget),
  },
  keys: { takes: [["object"]], call: ([map]) => entriesOf(map as AnyMap).map(([key]) => key) },
  length: {
    takes: [["string", "array", "object"]],
    call: ([value]) =>
      typeof value === "string" ? [...value].length : Array.isArray(value) ? value.length : sizeOf(value as AnyMap),
  },
  map: {
    takes: [["expref"], ["array"]],
    call: ([reference, items], budget) =>
      list(items).map((item) => (reference as QueryReference).query(item, budget) ?? null),
  },
  max: { takes: [NUMBERS_OR_TEXTS], call: ([items]) => extreme(list(items), itself, 1) },
  max_by: {
    takes: [["array"], ["expref"]],
    call: ([items, by], budget) => extreme(list(items), keyBy("max_by", by, items, budget), 1),
  },
  merge: { takes: [["object"]], variadic: true, call: merged },
  min: { takes: [NUMBERS_OR_TEXTS], call: ([items]) => extreme(list(items), itself, -1) },
  min_by: {
    takes: [["array"], ["expref"]],
    call: ([items, by], budget) => extreme(list(items), keyBy("min_by", by, items, budget), -1),
  },
  not_null: { takes: [[]], variadic: true, call: (args) => args.find((value) => value !== null) ?? null },
  reverse: {
    takes: [["array", "string"]],
    call: ([value]) => typeof value === "string" ? [...value].reverse().join("") : [...list(value)].reverse(),
  },
  sort: { takes: [NUMBERS_OR_TEXTS], call: ([items]) => sortedBy(list(items), itself) },
  sort_by: {
    takes: [["array"], ["expref"]],
    call: ([items, by], budget) => sortedBy(list(items), keyBy("sort_by", by, items, budget)),
  },
  starts_with: { takes: [["string"], ["string"]], call: ([value, start]) => text(value).startsWith(text(start)) },
  sum: { takes: [["array-number"]], call: ([items]) => sum(list(items)) },
  to_array: { takes: [[]], call: ([value]) => Array.isArray(value) ? value : [value] },
  to_number: { takes: [[]], call: ([value]) => toNumber(value) },
  to_string: {
    takes: [[]],
    call([value], budget) {
      if (typeof value === "string") return value;
      charge(value, budget);
      return written(dumpJson(value, { separators: [",", ":"], ensureAscii: true }), budget);
    },
  },
  type: { takes: [[]], call: ([value]) => kindOf(value) },
  values: { takes: [["object"]], call: ([map]) => entriesOf(map as AnyMap).map(([, item]) => item) },
};

const shown = (names: readonly string[]) => `[${names.map((name) => `'${name}'`).join(", ")}]`;

/** Calls a function of JMESPath. @throws {PythonError} for an unknown function, and for invalid arguments */
export function callJmespath(name: string, args: readonly unknown[], budget: SearchBudget): unknown {
  if (!Object.hasOwn(FUNCTIONS, name)) throw valueError(`Unknown function: ${name}()`);
  const { takes, variadic = false, call } = FUNCTIONS[name]!;
  if (variadic ? args.length < takes.length : args.length !== takes.length) {
    const least = variadic ? "at least " : "";
    throw valueError(
      `Expected ${least}${takes.length} argument${
        takes.length === 1 ? "" : "s"
      } for function ${name}(), received ${args.length}`,
    );
  }
  takes.forEach((kinds, at) => {
    if (kinds.length === 0 || kinds.some((kind) => isKind(args[at], kind))) return;
    throw valueError(
      `In function ${name}(), invalid type for value: expected one of: ${shown(kinds)}, received: "${
        kindOf(args[at])
      }"`,
    );
  });
  budget.step();
  for (const arg of args) if (Array.isArray(arg)) { for (let at = 0; at < arg.length; at++) budget.step(); }
  return call(args, budget);
}
