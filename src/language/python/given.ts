/** What may be given in several forms, as one of them. */
import { entriesOf, isMap } from "./containers.ts";
import { str } from "./repr.ts";

/** A list itself; of anything else a list of that alone. */
export const listOf = (value: unknown): unknown[] => Array.isArray(value) ? value : [value];

/** The items of a list as texts; none of anything else. */
export const textsOf = (value: unknown): string[] => Array.isArray(value) ? value.map(str) : [];

/** The items of a list as texts; of a text what stands between its commas. Salt's `split_input`. */
export const splitInput = (value: unknown): string[] =>
  Array.isArray(value) ? value.map(str) : str(value).split(",").map((one) => one.trim());

/** A map of any kind, with texts as names; an empty one of anything else. */
export const fieldsOf = (value: unknown): Record<string, unknown> =>
  isMap(value) ? Object.fromEntries(entriesOf(value).map(([key, item]) => [str(key), item])) : {};
