/** Values that all modules of a helper share. They are sent again only when they have changed. */
import { entriesOf, isMap } from "../../../language/python/values.ts";
import { encode } from "../../../protocol/wire/msgpack.ts";

export interface SharedValues {
  readonly opts: Record<string, unknown>;
  readonly grains?: Record<string, unknown>;
  readonly pillar?: Record<string, unknown>;
  /** Directories of `_utils`, and whether each belongs to the operator. */
  readonly utils?: readonly (readonly [string, boolean])[];
}

/** Removes from a value what cannot be sent to Python. */
function packable(value: unknown): unknown {
  try {
    encode(value, "bin");
    return value;
  } catch {
    if (Array.isArray(value)) return value.map(packable);
    if (!isMap(value)) return null;
    return new Map(entriesOf(value).map(([key, item]) => [key, packable(item)]));
  }
}

function isSame(before: ReadonlyMap<string, unknown> | undefined, now: Record<string, unknown>): boolean {
  if (before === undefined) return false;
  // Each call compares hundreds of values: pairs of them would take eight times as long.
  const names = Object.keys(now);
  return names.length === before.size && names.every((name) => Object.is(before.get(name), now[name]));
}

export class Shared {
  readonly #sent: Partial<Record<"opts" | "grains" | "pillar", ReadonlyMap<string, unknown>>> = {};
  #utils = "";

  /** The values that have changed since the last call, packed; null for none. */
  changes(now: SharedValues): Record<string, unknown> | null {
    const changes: Record<string, unknown> = {};
    for (const part of ["grains", "pillar"] as const) {
      const value = now[part];
      if (value === undefined || isSame(this.#sent[part], value)) continue;
      this.#sent[part] = new Map(Object.entries(value));
      changes[part] = encode(packable(value), "bin");
    }
    const before = this.#sent.opts;
    if (!isSame(before, now.opts)) {
      const set = Object.entries(now.opts).filter(([name, value]) => !Object.is(before?.get(name), value));
      const del = [...before?.keys() ?? []].filter((name) => !Object.hasOwn(now.opts, name));
      this.#sent.opts = new Map(Object.entries(now.opts));
      changes.opts = encode({ set: packable(Object.fromEntries(set)), del }, "bin");
    }
    const utils = JSON.stringify(now.utils ?? []);
    if (now.utils !== undefined && utils !== this.#utils) {
      this.#utils = utils;
      changes.utils = now.utils;
    }
    return Object.keys(changes).length === 0 ? null : changes;
  }
}
