import type { Family } from "./declared_functions.ts";

/** Returns of which the code says less than is known: by type, the functions that return it. */
const ROWS: Record<Family, Readonly<Record<string, string>>> = {
  execution: {},
  runner: {},
  wheel: {},
};

const byName = (rows: Readonly<Record<string, string>>): ReadonlyMap<string, string> =>
  new Map(
    Object.entries(rows).flatMap(([type, names]) =>
      names.trim().split(/\s+/).map((name): [string, string] => [name, type])
    ),
  );

/** Function → the type of its return. */
export const RETURN_TYPES: Readonly<Record<Family, ReadonlyMap<string, string>>> = {
  execution: byName(ROWS.execution),
  runner: byName(ROWS.runner),
  wheel: byName(ROWS.wheel),
};
