import type { LowChunk } from "../../../model/loader/states.ts";
import { compareText } from "../../../language/python/text.ts";
import { deepCopy } from "../../../language/python/copy.ts";
import { equal, Float, isFloat, isInteger, isNumeric, repr, str, toFloat } from "../../../language/python/values.ts";
import { SaltError } from "../../../base/errors.ts";
import { Allowance, countValues } from "./allowance.ts";
import { bodiesOf, isInternal, type OpenHigh } from "./high.ts";

/** A declaration that cannot become chunks; the message names it. */
export class LowChunkError extends SaltError {
  constructor(message: string) {
    super("LOW_CHUNK", message);
  }
}

interface LowChunkOptions {
  /** The jid of the orchestration that runs the states, for the key `__orchestration_jid__` of each chunk. */
  orchestrationJid?: string | undefined;
  allowance?: Allowance;
}

/** A chunk that is being made. The order of its keys matters. */
type Draft = Map<unknown, unknown>;

/**
 * Compiles high data to low chunks: one for each module of an id, or for each of its `names`; sorted by `order`.
 *
 * @param high verified high data; entries that are not states (`__extend__`) are skipped
 * @throws {LowChunkError} for `names` whose arguments are not maps
 * @throws {CompileLimitError} for more values than a compilation may have
 * @see salt/state.py State.compile_high_data
 */
export function lowChunksOf(high: OpenHigh, options: LowChunkOptions = {}): LowChunk[] {
  const { allowance = new Allowance() } = options;
  const drafts: Draft[] = [];
  for (const [id, body] of bodiesOf(high)) {
    for (const [state, run] of body) {
      if (isInternal(state) || !Array.isArray(run)) continue;
      const draft: Draft = new Map<unknown, unknown>().set("state", state).set("name", id);
      if (options.orchestrationJid !== undefined) draft.set("__orchestration_jid__", options.orchestrationJid);
      if (body.has("__sls__")) draft.set("__sls__", body.get("__sls__"));
      if (body.has("__env__")) draft.set("__env__", body.get("__env__"));
      draft.set("__id__", id);
      const { functions, names } = readArguments(run, draft, id);
      if (names.length === 0) add(drafts, withOwnValues(draft), functions);
      else drafts.push(...named(draft, names, functions, allowance));
    }
  }
  return inOrder(drafts).map(chunkOf);
}

/** Copies the lists and maps of a draft, which other chunks may share. Most drafts have none but requisites. */
function withOwnValues(draft: Draft): Draft {
  const shared = new Map<unknown, unknown>();
  draft.forEach((value, key) => {
    if (typeof value === "object" && value !== null) shared.set(key, value);
  });
  if (shared.size > 0) deepCopy(shared).forEach((value, key) => draft.set(key, value));
  return draft;
}

/** Reads the arguments of a state into its draft. */
function readArguments(
  run: readonly unknown[],
  draft: Draft,
  id: unknown,
): { functions: Set<string>; names: unknown[] } {
  const functions = new Set<string>();
  const names = new Names();
  for (const argument of run) {
    if (typeof argument === "string") functions.add(argument);
    else if (argument instanceof Map) {
      argument.forEach((value, key) => {
        if (key === "names") { for (const name of Array.isArray(value) ? value : []) names.add(name); }
        // The chunk's module stays, and a `name` that is not a text is replaced by the id.
        else if (key !== "state") draft.set(key, key === "name" && typeof value !== "string" ? id : value);
      });
    }
  }
  return { functions, names: names.list };
}

/** Names in order, without duplicates. */
class Names {
  readonly list: unknown[] = [];
  readonly #texts = new Set<unknown>();
  /** Names that have their own arguments: name → arguments. */
  readonly #maps = new Map<unknown, unknown[]>();

  add(name: unknown): void {
    if (name instanceof Map) {
      const key = name.keys().next().value;
      const known = this.#maps.get(key) ?? [];
      if (known.some((one) => equal(one, name))) return;
      this.#maps.set(key, [...known, name]);
    } else if (this.#texts.has(name)) return;
    else this.#texts.add(name);
    this.list.push(name);
  }
}

function add(drafts: Draft[], draft: Draft, functions: ReadonlySet<string>): void {
  for (const fun of functions) {
    draft.set("fun", fun);
    drafts.push(draft);
  }
}

function named(draft: Draft, names: readonly unknown[], functions: ReadonlySet<string>, allowance: Allowance): Draft[] {
  const drafts: Draft[] = [];
  const where = () =>
    `'names' of the state '${str(draft.get("__id__"))}' in SLS '${str(draft.get("__sls__") ?? null)}'`;
  const size = countValues(draft, Infinity);
  for (const [at, entry] of names.entries()) {
    allowance.spend(size, where);
    const live = deepCopy(draft);
    if (entry instanceof Map) {
      const [name, own] = [...entry][0] ?? [];
      live.set("name", name);
      if (!Array.isArray(own) || !own.every((one) => one instanceof Map)) {
        throw new LowChunkError(`Arguments of ${repr(name)} in ${where()}: expected a list of maps`);
      }
      for (const one of own) for (const [key, value] of one) live.set(key, value);
    } else live.set("name", entry);
    live.set("name_order", at + 1);
    add(drafts, live, functions);
  }
  return drafts;
}

/** Distance between the highest number in use and the orders of states with `order: last`. */
const LAST = 1_000_000;

/** Adds two numbers as Python does: a float plus an integer is a float. */
function plus(a: unknown, b: number | Float): unknown {
  const sum = Number(a) + Number(b);
  return isFloat(a) || isFloat(b) ? toFloat(sum) : sum;
}

/** Gives every chunk a number as `order`, and sorts the chunks. @see salt/state.py State.order_chunks */
function inOrder(drafts: readonly Draft[]): Draft[] {
  let cap = 1;
  for (const draft of drafts) {
    const order = draft.get("order");
    if ((isInteger(order) || typeof order === "boolean") && Number(order) > cap - 1 && Number(order) > 0) {
      cap = Number(order) + 100;
    }
  }
  for (const draft of drafts) draft.set("order", orderOf(draft, cap));
  const keyed = drafts.map((draft) => ({
    draft,
    order: Number(draft.get("order")),
    text: str(draft.get("state")) + str(draft.get("name")) + str(draft.get("fun")),
  }));
  return keyed.sort((a, b) => a.order - b.order || compareText(a.text, b.text)).map(({ draft }) => draft);
}

function orderOf(draft: Draft, cap: number): unknown {
  // In Salt a chunk without an order keeps the number among its names as an argument.
  if (!draft.has("order")) return cap;
  const given = draft.get("order");
  let order: unknown = isNumeric(given) ? given : given === "last" ? cap + LAST : given === "first" ? 0 : cap;
  const nameOrder = draft.get("name_order");
  if (draft.delete("name_order")) order = plus(order, new Float(Number(nameOrder) / 10000));
  return Number(order) < 0 ? plus(order, cap + LAST) : order;
}

/** The chunk as a plain object; maps inside it stay as they are. */
function chunkOf(draft: Draft): LowChunk {
  const chunk: LowChunk = {};
  draft.forEach((value, key) => {
    const name = typeof key === "string" ? key : str(key);
    // `defineProperty`, because assigning to `__proto__` would set the prototype instead of an argument with this name.
    if (name === "__proto__") {
      Object.defineProperty(chunk, name, { value, configurable: true, enumerable: true, writable: true });
    } else chunk[name] = value;
  });
  return chunk;
}
