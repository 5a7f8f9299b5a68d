import { absolute, add, asInt, asNumber, indexValue, roundFloat } from "../../python/arithmetic.ts";
import {
  entriesOf,
  equal,
  isMap,
  str,
  toFloat,
  toInteger,
  truthy,
  Tuple,
  tupleOf,
  typeName,
} from "../../python/values.ts";
import { iterate, lengthOf, PythonIterator } from "../../python/iterate.ts";
import { sortedBy } from "../../python/ordering.ts";
import { PythonError, typeError, valueError } from "../../python/python_error.ts";
import { receiver } from "../attributes.ts";
import { FilterArgumentError, TemplateRuntimeError } from "../errors.ts";
import { GroupTuple } from "../group_tuple.ts";
import { asMarkup, Markup } from "../markup.ts";
import type { Filter, Run } from "../runtime.ts";
import { Undefined } from "../undefined.ts";
import { attributeGetter, attributesGetter } from "./attribute_getter.ts";
import { filter } from "./filter.ts";

/** Slices of a list, at most: a template must not fill the memory by a number. */
const MAX_SLICES = 1_000_000;

const generator = (name: string, values: Iterable<unknown>) => new PythonIterator("generator", values, name);

/** The key of an item for a comparison without case: a text in small letters, any other value unchanged. */
const ignoringCase = (value: unknown) => {
  const plain = receiver(value);
  return typeof plain === "string" ? plain.toLowerCase() : plain;
};

function* batches(values: unknown, size: number, fill: unknown): Generator<unknown[]> {
  let batch: unknown[] = [];
  for (const value of iterate(values)) {
    if (batch.length === size) {
      yield batch;
      batch = [];
    }
    batch.push(value);
  }
  if (batch.length === 0) return;
  while (fill !== null && batch.length < size) batch.push(fill);
  yield batch;
}

function* slices(values: unknown, count: number, fill: unknown): Generator<unknown[]> {
  const items = Array.from(iterate(values));
  if (count <= 0) throw new PythonError("ZeroDivisionError", "integer division or modulo by zero");
  if (count > MAX_SLICES) throw valueError(`at most ${MAX_SLICES} slices are made`);
  const each = Math.floor(items.length / count);
  const longer = items.length % count;
  let offset = 0;
  for (let slice = 0; slice < count; slice++) {
    const start = offset + slice * each;
    if (slice < longer) offset++;
    const part = items.slice(start, offset + (slice + 1) * each);
    if (fill !== null && slice >= longer) part.push(fill);
    yield part;
  }
}

function dictSort(value: unknown, caseSensitive: boolean, by: string, reverse: boolean): unknown[] {
  if (by !== "key" && by !== "value") {
    throw new FilterArgumentError(`You can only sort by either "key" or "value"`);
  }
  if (value instanceof Undefined) value.fail();
  if (!isMap(value)) throw new PythonError("AttributeError", `'${typeName(value)}' object has no attribute 'items'`);
  const place = by === "key" ? 0 : 1;
  const key = ([...pair]: unknown[]) => caseSensitive ? pair[place] : ignoringCase(pair[place]);
  return sortedBy(entriesOf(value), key, reverse).map(tupleOf);
}

function groups(run: Run, value: unknown, attribute: unknown, otherwise: unknown, caseSensitive: boolean): unknown[] {
  const get = attributeGetter(run, attribute, otherwise);
  const key = (item: unknown) => caseSensitive ? get(item) : ignoringCase(get(item));
  const groups: GroupTuple[] = [];
  let last: unknown;
  for (const item of sortedBy(iterate(value), key)) {
    const now = key(item);
    if (groups.length === 0 || !equal(now, last)) groups.push(GroupTuple.make(get(item)));
    (groups.at(-1)![1] as unknown[]).push(item);
    last = now;
  }
  return groups;
}

function joined(run: Run, value: unknown, by: string, attribute: unknown): string {
  const get = attribute === null ? (item: unknown) => item : attributeGetter(run, attribute);
  return Array.from(iterate(value), (item) => str(get(item))).join(by);
}

/** The filter or test that `map`, `select` and similar filters apply to each item, from their arguments. */
function namedFilter(
  run: Run,
  args: readonly unknown[],
  keywords: ReadonlyMap<string, unknown>,
): (item: unknown) => unknown {
  const [name, ...rest] = args;
  if (name === undefined) throw new FilterArgumentError("map requires a filter argument");
  const { filters } = run.environment;
  if (!Object.hasOwn(filters, str(name))) throw new TemplateRuntimeError(`No filter named '${str(name)}'.`);
  const apply = filters[str(name)]!;
  return (item) => apply(run, item, rest, keywords);
}

/** The values of `map`, one at a time: an unknown filter fails when the first value is read. */
function* mapped(
  run: Run,
  value: unknown,
  args: readonly unknown[],
  keywords: ReadonlyMap<string, unknown>,
): Generator<unknown> {
  if (!truthy(value)) return;
  const change = changeOf(run, args, keywords);
  for (const item of iterate(value)) yield change(item);
}

function changeOf(
  run: Run,
  args: readonly unknown[],
  keywords: ReadonlyMap<string, unknown>,
): (item: unknown) => unknown {
  if (args.length > 0 || !keywords.has("attribute")) return namedFilter(run, args, keywords);
  const { attribute, default: otherwise = null, ...unknown } = Object.fromEntries(keywords);
  for (const name of Object.keys(unknown)) throw new FilterArgumentError(`Unexpected keyword argument '${name}'`);
  return attributeGetter(run, attribute, otherwise);
}

/** True if a filter or test of a name gives promises. */
const isAdded = (run: Run, kind: "filter" | "test", name: unknown): boolean =>
  name !== undefined && run.environment.added?.has(kind, str(name)) === true;

/** A generator of what has come: the promises are awaited one after the other. */
async function settled(name: string, values: Iterable<unknown>): Promise<PythonIterator> {
  const known: unknown[] = [];
  for (const value of values) known.push(await value);
  return generator(name, known);
}

const map: Filter = (run, value, args, keywords) => {
  const values = mapped(run, value, args, keywords);
  return isAdded(run, "filter", args[0]) ? settled("sync_do_map", values) : generator("sync_do_map", values);
};

/** Makes the filters `select`, `reject`, `selectattr` and `rejectattr`. */
function selecting(name: string, wanted: boolean, byAttribute: boolean): Filter {
  return (run, value, args, keywords) => {
    const [attribute] = args;
    if (byAttribute && attribute === undefined) throw new FilterArgumentError("Missing parameter for attribute name");
    const get = byAttribute ? attributeGetter(run, attribute) : (item: unknown) => item;
    const [test, ...rest] = byAttribute ? args.slice(1) : args;
    const { tests } = run.environment;
    if (test !== undefined && !Object.hasOwn(tests, str(test))) {
      throw new TemplateRuntimeError(`No test named '${str(test)}'.`);
    }
    const holds = test === undefined
      ? (item: unknown) => truthy(item)
      : (item: unknown) => tests[str(test)]!(run, item, rest, keywords);
    if (isAdded(run, "test", test)) {
      const decided = async () => {
        const known: unknown[] = [];
        if (truthy(value)) {
          for (const item of iterate(value)) if (truthy(await holds(get(item))) === wanted) known.push(item);
        }
        return generator(name, known);
      };
      return decided();
    }
    const kept = function* () {
      if (truthy(value)) { for (const item of iterate(value)) if (truthy(holds(get(item))) === wanted) yield item; }
    };
    return generator(name, kept());
  };
}

function numberOf(value: unknown, otherwise: unknown): unknown {
  const number = asNumber(value);
  if (number !== undefined) return toFloat(number);
  const text = typeof value === "string" ? value.trim().replace(/(?<=\d)_(?=\d)/g, "") : "";
  if (/^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i.test(text)) return toFloat(Number(text));
  const word = /^([+-]?)(inf(?:inity)?|nan)$/i.exec(text);
  if (word !== null) return /^nan$/i.test(word[2]!) ? NaN : word[1] === "-" ? -Infinity : Infinity;
  return otherwise;
}

const BASES: Readonly<Record<number, RegExp>> = {
  2: /^([+-]?)(?:0b)?([01]+)$/i,
  8: /^([+-]?)(?:0o)?([0-7]+)$/i,
  10: /^([+-]?)(\d+)$/,
  16: /^([+-]?)(?:0x)?([\da-f]+)$/i,
};

/** Reads a whole number in a base; undefined for other text. */
function parseInteger(text: string, base: number): number | bigint | undefined {
  const match = BASES[base]?.exec(text.trim().replace(/(?<=[\da-f])_(?=[\da-f])/gi, ""));
  if (match === null || match === undefined) return undefined;
  const prefix = { 2: "0b", 8: "0o", 10: "", 16: "0x" }[base] ?? "";
  const value = BigInt(prefix + match[2]!);
  return toInteger(match[1] === "-" ? -value : value);
}

function integerOf(value: unknown, otherwise: unknown, base: number): unknown {
  const whole = asInt(value);
  if (whole !== undefined) return whole;
  if (typeof value === "string") {
    const parsed = parseInteger(value, base);
    if (parsed !== undefined) return parsed;
  }
  const number = numberOf(value, undefined);
  if (number === undefined || !Number.isFinite(Number(number))) return otherwise;
  return toInteger(BigInt(Math.trunc(Number(number))));
}

/** A plain value; an undefined value fails, although other values that are not numbers get the default. */
const defined = (value: unknown) => value instanceof Undefined ? value.fail() : receiver(value);

function rounded(value: unknown, precision: number, method: string): unknown {
  if (method !== "common" && method !== "ceil" && method !== "floor") {
    throw new FilterArgumentError("method must be common, ceil or floor");
  }
  const number = asNumber(value);
  if (number === undefined) throw typeError(`type ${typeName(value)} doesn't define __round__ method`);
  if (method === "common") {
    const whole = asInt(value);
    if (whole === undefined) return toFloat(roundFloat(number, precision));
    return precision >= 0 ? whole : roundFloat(number, precision);
  }
  const unit = 10 ** precision;
  // Python's ceil() and floor() return ints, which have no negative zero.
  return toFloat(((method === "ceil" ? Math.ceil : Math.floor)(number * unit) + 0) / unit);
}

function total(run: Run, value: unknown, attribute: unknown, start: unknown): unknown {
  const get = attribute === null ? (item: unknown) => item : attributeGetter(run, attribute);
  let sum = start;
  for (const item of iterate(value)) {
    const part = get(item);
    if (part instanceof Undefined) part.fail();
    sum = add(sum, part);
  }
  return sum;
}

function reversed(value: unknown): unknown {
  const plain = receiver(value);
  if (typeof plain === "string") {
    const text = Array.from(plain).reverse().join("");
    return value instanceof Markup ? asMarkup(text) : text;
  }
  try {
    const items = Array.from(iterate(plain)).reverse();
    return new PythonIterator(
      Array.isArray(plain) && !(plain instanceof Tuple) ? "list_reverseiterator" : "reversed",
      items,
    );
  } catch (error) {
    if (error instanceof PythonError) throw new FilterArgumentError("argument must be iterable");
    throw error;
  }
}

const length = filter("len", ["obj"], ({ obj }) => lengthOf(receiver(obj)));

const fallback = filter("do_default", ["value", ["default_value", ""], ["boolean", false]], (bound) => {
  const { value, default_value, boolean } = bound;
  return value instanceof Undefined || truthy(boolean) && !truthy(value) ? default_value : value;
});

/** Jinja2's filters of lists, maps and numbers. */
export const SEQUENCE_FILTERS: Readonly<Record<string, Filter>> = {
  abs: filter("abs", ["x"], ({ x }) => x instanceof Undefined ? x.fail() : absolute(x)),
  attr: filter("do_attr", ["obj", "name"], ({ obj, name }, run) => {
    const { attributes } = run.environment;
    return attributes.ownAttribute(obj, str(name));
  }),
  batch: filter(
    "do_batch",
    ["value", "linecount", ["fill_with", null]],
    ({ value, linecount, fill_with }) => generator("do_batch", batches(value, indexValue(linecount), fill_with)),
  ),
  count: length,
  d: fallback,
  default: fallback,
  dictsort: filter(
    "do_dictsort",
    ["value", ["case_sensitive", false], ["by", "key"], ["reverse", false]],
    ({ value, case_sensitive, by, reverse }) => dictSort(value, truthy(case_sensitive), str(by), truthy(reverse)),
  ),
  first: filter("do_first", ["seq"], ({ seq }) => {
    for (const item of iterate(receiver(seq))) return item;
    return new Undefined("No first item, sequence was empty.");
  }),
  float: filter(
    "do_float",
    ["value", ["default", toFloat(0)]],
    ({ value, default: otherwise }) => numberOf(defined(value), otherwise),
  ),
  groupby: filter(
    "do_groupby",
    ["value", "attribute", ["default", null], ["case_sensitive", false]],
    ({ value, attribute, default: otherwise, case_sensitive }, run) =>
      groups(run, value, attribute, otherwise, truthy(case_sensitive)),
  ),
  int: filter(
    "do_int",
    ["value", ["default", 0], ["base", 10]],
    ({ value, default: otherwise, base }) => integerOf(defined(value), otherwise, indexValue(base)),
  ),
  items: filter("do_items", ["value"], ({ value }) => {
    if (value instanceof Undefined) return generator("do_items", []);
    if (!isMap(value)) throw typeError("Can only get item pairs from a mapping.");
    return generator("do_items", entriesOf(value).map(tupleOf));
  }),
  join: filter(
    "do_join",
    ["value", ["d", ""], ["attribute", null]],
    ({ value, d, attribute }, run) => joined(run, receiver(value), str(d), attribute),
  ),
  last: filter("do_last", ["seq"], ({ seq }) => {
    const items = Array.from(iterate(receiver(seq)));
    if (items.length === 0) return new Undefined("No last item, sequence was empty.");
    return seq instanceof Markup ? asMarkup(items.at(-1)) : items.at(-1);
  }),
  length,
  list: filter("do_list", ["value"], ({ value }) => Array.from(iterate(receiver(value)))),
  map,
  random: filter("do_random", ["seq"], ({ seq }) => {
    const items = Array.from(iterate(receiver(seq)));
    return items.length === 0
      ? new Undefined("No random item, sequence was empty.")
      : items[Math.floor(Math.random() * items.length)];
  }),
  reject: selecting("sync_do_reject", false, false),
  rejectattr: selecting("sync_do_rejectattr", false, true),
  reverse: filter("do_reverse", ["value"], ({ value }) => reversed(value)),
  round: filter(
    "do_round",
    ["value", ["precision", 0], ["method", "common"]],
    ({ value, precision, method }) => rounded(value, indexValue(precision), str(method)),
  ),
  select: selecting("sync_do_select", true, false),
  selectattr: selecting("sync_do_selectattr", true, true),
  slice: filter(
    "do_slice",
    ["value", "slices", ["fill_with", null]],
    ({ value, slices: count, fill_with }) => generator("sync_do_slice", slices(value, indexValue(count), fill_with)),
  ),
  sort: filter(
    "do_sort",
    ["value", ["reverse", false], ["case_sensitive", false], ["attribute", null]],
    ({ value, reverse, case_sensitive, attribute }, run) => {
      const get = attribute === null ? (item: unknown) => [item] : attributesGetter(run, attribute);
      const by = truthy(case_sensitive) ? get : (item: unknown) => get(item).map(ignoringCase);
      const key = attribute === null ? (item: unknown) => by(item)[0] : by;
      return sortedBy(iterate(receiver(value)), key, truthy(reverse));
    },
  ),
  sum: filter(
    "do_sum",
    ["iterable", ["attribute", null], ["start", 0]],
    ({ iterable, attribute, start }, run) => total(run, iterable, attribute, start),
  ),
};
