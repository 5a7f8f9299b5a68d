import { OrderedMap, str } from "../../../language/python/values.ts";
import { Allowance } from "./allowance.ts";
import { applyExtend } from "./extend.ts";
import { type FoundName, NameIndex } from "./find_name.ts";
import { type Body, firstKey, isArgument, isInternal, type OpenHigh, slsOf } from "./high.ts";

/** Requisites that become arguments of other states before the run. */
const TURNED: ReadonlySet<unknown> = new Set([
  "require_in",
  "watch_in",
  "onfail_in",
  "onchanges_in",
  "use",
  "use_in",
  "prereq",
  "prereq_in",
]);

/** Arguments that `use` does not copy. */
const NOT_USED: ReadonlySet<unknown> = new Set([
  ...TURNED,
  "require",
  "watch",
  "onfail",
  "onfail_stop",
  "onchanges",
  "name",
  "names",
]);

/** Values that one entry in a list of requisites counts for: the entry is a map of its own. */
const VALUES_OF_A_REQUISITE = 4;

interface RequisitesInOptions {
  /** Salt's option `disabled_requisites`: requisites that are not turned around. */
  disabled?: readonly unknown[] | undefined;
  allowance?: Allowance;
}

interface Origin {
  id: unknown;
  body: Body;
  state: string;
  /** The requisite as written: `require_in`. */
  key: string;
}

/**
 * Turns `require_in` and its like, `use` and `prereq` into arguments of the states that they name.
 *
 * @param high verified high data; this function changes it
 * @returns the errors, in Salt's words
 * @throws {CompileLimitError} if the compilation adds too many values
 * @see salt/state.py State.requisite_in
 */
export function applyRequisitesIn(high: OpenHigh, options: RequisitesInOptions = {}): string[] {
  const { disabled = [], allowance = new Allowance() } = options;
  const turning = new Turning(high, allowance);
  for (const [id, body] of high) {
    if (!(body instanceof Map)) continue;
    body.forEach((run, state) => {
      if (typeof state !== "string" || isInternal(state) || !Array.isArray(run)) return;
      for (const argument of run) {
        const key = argument instanceof Map ? firstKey(argument) : undefined;
        if (typeof key !== "string" || !TURNED.has(key) || disabled.includes(key)) continue;
        turning.turn({ id, body, state, key }, argument.get(key));
      }
    });
  }
  high.set("__extend__", [...turning.extend].map(([id, body]) => new Map([[id, body]])));
  return [...turning.errors, ...applyExtend(high, { isStrict: true, allowance })];
}

function argumentNames(high: OpenHigh, id: unknown, state: string): Set<unknown> {
  return new Set(argumentsOf(high, id, state).map(firstKey));
}

function argumentsOf(high: OpenHigh, id: unknown, state: string): Map<unknown, unknown>[] {
  const body = high.get(id);
  const run = body instanceof Map ? body.get(state) : undefined;
  return Array.isArray(run) ? run.filter(isArgument) : [];
}

class Turning {
  readonly errors: string[] = [];
  /** Id → the additions to that id, in the form of an extension. */
  readonly extend = new Map<unknown, Body>();
  readonly #high: OpenHigh;
  readonly #index: NameIndex;
  readonly #allowance: Allowance;

  constructor(high: OpenHigh, allowance: Allowance) {
    this.#high = high;
    this.#index = new NameIndex(high);
    this.#allowance = allowance;
  }

  turn(origin: Origin, items: unknown): void {
    if (items instanceof Map) {
      for (const [state, id] of items) {
        if (!this.#isName(id)) continue;
        const module = str(state);
        this.#refuseDots(module, id, origin);
        this.#require({ id, state: module.split(".")[0]! }, origin);
      }
    }
    if (!Array.isArray(items)) return;
    // As in Salt, targets accumulate from item to item, and each item is applied again to all targets so far.
    let targets: FoundName[] = [];
    for (const item of items) {
      const target = item instanceof Map ? item : this.#byName(item);
      if (target === undefined || target.size === 0) continue;
      const state = str(firstKey(target));
      const id = target.get(firstKey(target));
      if (!this.#isName(id)) continue;
      if (state === "sls") targets = this.#index.inSls(id);
      else targets.push({ id, state });
      this.#refuseDots(state, id, origin);
      this.#allowance.spend(
        targets.length * VALUES_OF_A_REQUISITE,
        () => `'${origin.key}' of the state '${str(origin.id)}'`,
      );
      for (const one of targets) this.#apply(one, origin);
    }
  }

  #isName(id: unknown): boolean {
    const isName = typeof id !== "object" || id === null;
    if (!isName) this.errors.push(`Illegal requisite "${str(id)}", please check your syntax.\n`);
    return isName;
  }

  /** The state that a bare text names: the first module of the id, or the first state with that name. */
  #byName(item: unknown): Map<unknown, unknown> | undefined {
    const body = this.#high.get(item);
    if (body instanceof Map) {
      const state = [...body.keys()].find((key) => !isInternal(key));
      return state === undefined ? undefined : new Map([[state, item]]);
    }
    const found = this.#index.named(item);
    return found === undefined ? undefined : new Map([[found.state, found.id]]);
  }

  #refuseDots(state: string, id: unknown, { key, body }: Origin): void {
    if (!state.includes(".")) return;
    const module = state.slice(0, state.indexOf("."));
    this.errors.push(
      `Invalid requisite in ${key.split("_")[0]}: ${state} for ${str(id)}, in SLS '${slsOf(body)}'. ` +
        `Requisites must not contain dots, did you mean '${module}'?`,
    );
  }

  #apply(target: FoundName, origin: Origin): void {
    const { id, state, key } = origin;
    if (key === "prereq") {
      for (const found of this.#index.find(target.id, target.state, true)) {
        this.#add(found, new Map([["prerequired", [new Map([[state, id]])]]]));
      }
    } else if (key === "use_in") {
      for (const found of this.#index.find(target.id, target.state, true)) {
        this.#use(found, { id, state }, argumentNames(this.#high, found.id, target.state));
      }
    } else if (key === "use") {
      for (const found of this.#index.find(target.id, target.state, true)) {
        this.#use({ id, state }, found, argumentNames(this.#high, id, state));
      }
    } else {
      if (key === "prereq_in") {
        this.#add({ id, state }, new Map([["prerequired", [new Map([[target.state, target.id]])]]]));
      }
      this.#require(target, origin);
    }
  }

  /** Copies those arguments of one state to another that the other does not have. */
  #use(to: FoundName, from: FoundName, own: ReadonlySet<unknown>): void {
    this.#listOf(to);
    const used = argumentsOf(this.#high, from.id, from.state);
    this.#allowance.spend(used.length, () => `'use' of the state '${str(from.id)}'`);
    for (const argument of used) {
      const key = firstKey(argument);
      if (!NOT_USED.has(key) && !own.has(key)) this.#add(to, argument);
    }
  }

  #listOf({ id, state }: FoundName): unknown[] {
    let body = this.extend.get(id);
    if (body === undefined) this.extend.set(id, body = new OrderedMap());
    let list = body.get(state);
    if (!Array.isArray(list)) body.set(state, list = []);
    return list as unknown[];
  }

  #add(to: FoundName, argument: unknown): void {
    this.#listOf(to).push(argument);
  }

  /** Adds a requisite on the origin to a state: `require_in` of the origin becomes `require` here. */
  #require(target: FoundName, { id, body, state, key }: Origin): void {
    const requisite = key.split("_")[0]!;
    const list = this.#listOf(target);
    const extension = this.extend.get(target.id)!;
    for (const name of ["__env__", "__sls__"]) if (body.has(name)) extension.set(name, body.get(name));
    const known = list.filter((one): one is Map<unknown, unknown> => one instanceof Map && firstKey(one) === requisite);
    for (const one of known) (one.get(requisite) as unknown[]).push(new Map([[state, id]]));
    if (known.length === 0) list.push(new Map([[requisite, [new Map([[state, id]])]]]));
  }
}
