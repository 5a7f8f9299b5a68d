/** What the external pillars that ask a database share: how queries are written, and how rows become maps. */
import type { PillarContext } from "../../model/loader/ext_pillar.ts";
import { type Args, entriesOf, equal, isInteger, isMap, str, truthy, typeName } from "../../language/python/values.ts";
import { dictGet, dictSet, MISSING } from "../../language/python/dict.ts";
import { parseOrderedJson } from "../../language/python/json.ts";
import { update } from "../../language/python/update.ts";
import { decodeUtf8 } from "../../language/python/utf8.ts";
import { Float } from "../../protocol/wire/msgpack.ts";

type Dict = Map<unknown, unknown>;

/** What a database answers to a query. */
export interface Rows {
  columns: string[];
  rows: unknown[][];
}

/** The most rows that one query may have. */
export const MAX_ROWS = 1_000_000;

/** An integer that a database wrote as text. */
export const integer = (text: string): unknown => {
  const number = Number(text);
  return Number.isSafeInteger(number) ? number : BigInt(text);
};
/** A float that a database wrote as text. */
export const float = (text: string): unknown => Number.isInteger(Number(text)) ? new Float(Number(text)) : Number(text);

/** A query with what stands for the minion's id in the place of `%s`, and a percent sign in that of `%%`. */
export function withId(query: string, id: string): string {
  let places = 0;
  const text = query.replace(/%([^]?)/g, (whole, next: string) => {
    if (next === "%") return "%";
    if (next !== "s") throw new Error(`Cannot use "${whole}" in a query: expected %s, or %% for a percent sign`);
    places++;
    return id;
  });
  if (places !== 1) {
    throw new Error(`Cannot use a query with ${places} times %s: expected one, for the id of the minion`);
  }
  return text;
}

interface Query {
  /** The key to put the result under; empty for none. */
  root: string;
  query: string;
  depth: number;
  asList: boolean;
  asJson: boolean;
  /** Levels, counted from 1, whose maps become lists. */
  withLists: number[];
  ignoreNull: boolean;
}

function levelsOf(value: unknown): number[] {
  if (!truthy(value ?? false)) return [];
  return (typeof value === "string" ? value.split(",") : [value].flat()).map(Number);
}

/** One query of the configuration; undefined if it is empty. */
function queryOf(root: string, given: unknown): Query | undefined {
  const [first, depth = 0] = Array.isArray(given) ? given : [given];
  const options = Object.fromEntries(
    isMap(given) ? entriesOf(given).map(([key, value]) => [str(key), value]) : [["query", first], ["depth", depth]],
  );
  if (typeof options.query !== "string" || options.query === "") return undefined;
  return {
    root,
    query: options.query,
    depth: isInteger(options.depth) ? Number(options.depth) : 0,
    asList: truthy(options.as_list ?? false),
    asJson: truthy(options.as_json ?? false),
    withLists: levelsOf(options.with_lists),
    ignoreNull: truthy(options.ignore_null ?? false),
  };
}

/** Those without a key first, as they are written; the others by their keys. */
function queriesOf({ args, kwargs }: Args): Query[] {
  const named = Object.entries(kwargs as Record<string, unknown>).sort(([a], [b]) => a < b ? -1 : 1);
  const all = [...(args as unknown[]).map((query): [string, unknown] => ["", query]), ...named];
  return all.map(([root, query]) => queryOf(root, query)).filter((query) => query !== undefined);
}

function jsonOf(value: unknown): Dict {
  const text = value instanceof Uint8Array ? decodeUtf8(value) : value;
  const data = typeof text === "string" ? parseOrderedJson(text) : text;
  if (isMap(data)) return new Map(entriesOf(data));
  throw new TypeError(`Cannot use a row as JSON: expected a map, got ${typeName(data)}`);
}

/** Rows as nested maps: each column but the last is a key, up to `depth`; the columns after that have their names as keys. */
class Rearrangement {
  readonly #query: Query;
  readonly #columns: readonly string[];
  readonly #depth: number;
  /** Maps with the keys whose values become lists at the end. */
  readonly #listed = new Map<Dict, unknown[]>();

  constructor(query: Query, columns: readonly string[]) {
    const { depth } = query;
    this.#query = query;
    this.#columns = columns;
    this.#depth = depth === 0 || depth >= columns.length ? columns.length - 1 : depth;
  }

  add(rows: readonly unknown[][], into: Dict): void {
    const { asJson, asList } = this.#query;
    for (const row of rows) {
      if (asJson && this.#columns.length === 1) update(into, jsonOf(row[0]), { mergeLists: asList });
      else this.#addRow(row, into);
    }
    for (const [map, keys] of [...this.#listed].reverse()) {
      for (const key of keys) {
        const value = dictGet(map, key);
        if (value instanceof Map) dictSet(map, key, [...value.values()]);
        else if (Array.isArray(value)) dictSet(map, key, [value]);
      }
    }
  }

  #list(level: number, map: Dict, key: unknown): void {
    if (!this.#query.withLists.includes(level)) return;
    const keys = this.#listed.get(map) ?? [];
    this.#listed.set(map, keys);
    if (!keys.some((one) => equal(one, key))) keys.push(key);
  }

  #addRow(row: readonly unknown[], into: Dict): void {
    const depth = this.#depth;
    let here = into;
    for (let at = 0; at < depth - 1; at++) {
      this.#list(at + 1, here, row[at]);
      here = this.#below(here, row[at]);
    }
    if (depth === this.#columns.length - 1) return this.#setLast(row, here);
    const key = row[depth - 1];
    if (dictGet(here, key) === MISSING) dictSet(here, key, new Map());
    this.#list(depth, here, key);
    const inner = dictGet(here, key);
    if (!(inner instanceof Map)) throw new TypeError(`Cannot put columns below ${str(key)}: it has a value already`);
    for (let at = depth; at < this.#columns.length; at++) this.#setNamed(inner, at, row[at]);
  }

  /** The map under a key; a value that stands there is replaced, or becomes the first of a list. */
  #below(here: Dict, key: unknown): Dict {
    const before = dictGet(here, key);
    if (before instanceof Map) return before;
    const made: Dict = new Map();
    if (Array.isArray(before)) before.push(made);
    else dictSet(here, key, before !== MISSING && this.#query.asList ? [before, made] : made);
    return made;
  }

  /** The last column is the value of the one before it; of one column, its own. */
  #setLast(row: readonly unknown[], here: Dict): void {
    const { asList, withLists, ignoreNull } = this.#query;
    const [key, value] = [row.at(row.length - 2)!, row.at(-1)];
    const before = dictGet(here, key);
    if (asList && before !== MISSING || withLists.includes(row.length - 1)) {
      dictSet(here, key, [...before === MISSING ? [] : Array.isArray(before) ? before : [before], value]);
    } else if (!ignoreNull || value !== null) dictSet(here, key, value);
  }

  #setNamed(here: Dict, at: number, value: unknown): void {
    const { asList, ignoreNull } = this.#query;
    const key = this.#columns[at]!;
    this.#list(at + 1, here, key);
    const before = dictGet(here, key);
    if (asList && before !== MISSING) dictSet(here, key, [...Array.isArray(before) ? before : [before], value]);
    else if (!ignoreNull || value !== null) dictSet(here, key, value);
  }
}

/**
 * Asks the queries of a configuration, each with the minion's id as its one parameter. A query that fails is logged, and ends it with
 * what there is so far, as in Salt.
 *
 * @see salt/pillar/sql_base.py SqlBaseExtPillar
 */
export async function sqlPillar(
  { log }: PillarContext,
  args: Args,
  ask: (query: string) => Rows | Promise<Rows>,
): Promise<Dict> {
  const result: Dict = new Map();
  for (const query of queriesOf(args)) {
    let rows: Rows;
    try {
      rows = await ask(query.query);
    } catch (error) {
      if (!(error instanceof QueryFailure)) throw error;
      log.error("query of an external pillar failed", { root: query.root, error: error.message });
      break;
    }
    if (query.root !== "") result.set(query.root, new Map());
    const into = query.root === "" ? result : result.get(query.root) as Dict;
    new Rearrangement(query, rows.columns).add(rows.rows, into);
  }
  return result;
}

export class QueryFailure extends Error {}
