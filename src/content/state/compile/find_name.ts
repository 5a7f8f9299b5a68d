import { type Body, firstKey, isArgument, isInternal, type OpenHigh, runsOf } from "./high.ts";

/** The id of a state and its module. */
export interface FoundName {
  id: unknown;
  state: string;
}

/** Finds states by name, in time that does not depend on the number of states. */
export class NameIndex {
  readonly #high: OpenHigh;
  /** Module → value of an argument → ids with that argument; an id stands there once for each such argument. */
  #values: Map<string, Map<unknown, unknown[]>> | undefined;
  #files: Map<unknown, unknown[]> | undefined;
  #names: Map<unknown, FoundName> | undefined;

  constructor(high: OpenHigh) {
    this.#high = high;
  }

  /**
   * The ids that a name means for a module: the id of that name; for the module `sls` all ids of that file; otherwise the ids
   * with an argument of that value.
   *
   * @param isStrict an id counts only if it has the module
   * @see salt/state.py find_name
   */
  find(name: unknown, state: string, isStrict: boolean): FoundName[] {
    const body = this.#high.get(name);
    if (body instanceof Map ? !isStrict || body.has(state) : this.#high.has(name) && !isStrict) {
      return [{ id: name, state }];
    }
    if (state === "sls") {
      return this.#idsOf(name).map((id) => ({ id, state: String(firstKey(this.#high.get(id) as Body)) }));
    }
    return (this.#valuesOf(state).get(name) ?? []).map((id) => ({ id, state }));
  }

  /** Every module of every id that an SLS has. @see salt/state.py find_sls_ids */
  inSls(sls: unknown): FoundName[] {
    return this.#idsOf(sls).flatMap((id) =>
      [...(this.#high.get(id) as Body).keys()].filter((state) => !isInternal(state)).map((state) => ({
        id,
        state: String(state),
      }))
    );
  }

  named(name: unknown): FoundName | undefined {
    this.#names ??= this.#byName();
    return this.#names.get(name);
  }

  /** Forgets the arguments of a module of an id, before they are changed; {@link NameIndex.added} takes the new ones. */
  removed(id: unknown, state: string): void {
    const values = this.#values?.get(state);
    if (values === undefined) return;
    for (const value of argumentValues(this.#high.get(id), state)) {
      values.set(value, (values.get(value) ?? []).filter((one) => one !== id));
    }
  }

  added(id: unknown, state: string): void {
    if (this.#values === undefined) return;
    for (const value of argumentValues(this.#high.get(id), state)) add(this.#tableOf(this.#values, state), value, id);
  }

  #byName(): Map<unknown, FoundName> {
    const names = new Map<unknown, FoundName>();
    for (const [id, body] of this.#high) {
      if (!(body instanceof Map)) continue;
      for (const [state, run] of runsOf(body)) {
        for (const argument of run) {
          const name = argument instanceof Map ? argument.get("name") : undefined;
          if (name !== undefined && !names.has(name)) names.set(name, { id, state });
        }
      }
    }
    return names;
  }

  #idsOf(sls: unknown): readonly unknown[] {
    if (this.#files === undefined) {
      this.#files = new Map();
      for (const [id, body] of this.#high) if (body instanceof Map) add(this.#files, body.get("__sls__"), id);
    }
    return this.#files.get(sls) ?? [];
  }

  #valuesOf(state: string): Map<unknown, unknown[]> {
    if (this.#values === undefined) {
      this.#values = new Map();
      for (const [id, body] of this.#high) {
        if (!(body instanceof Map)) continue;
        for (const [module] of runsOf(body)) {
          for (const value of argumentValues(body, module)) add(this.#tableOf(this.#values, module), value, id);
        }
      }
    }
    return this.#tableOf(this.#values, state);
  }

  #tableOf(values: Map<string, Map<unknown, unknown[]>>, state: string): Map<unknown, unknown[]> {
    let table = values.get(state);
    if (table === undefined) values.set(state, table = new Map());
    return table;
  }
}

function add(table: Map<unknown, unknown[]>, key: unknown, id: unknown): void {
  const ids = table.get(key);
  if (ids === undefined) table.set(key, [id]);
  else ids.push(id);
}

function argumentValues(body: unknown, state: string): unknown[] {
  const run = body instanceof Map ? body.get(state) : undefined;
  return Array.isArray(run) ? run.filter(isArgument).map((argument) => argument.values().next().value) : [];
}
