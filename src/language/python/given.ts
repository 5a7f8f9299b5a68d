/** Converts values that may be given in several forms to one form. */
import { entriesOf, isMap } from "./containers.ts";
import { str } from "./repr.ts";

/** Returns a list unchanged; any other value becomes a list with this value. */
export const listOf = (value: unknown): unknown[] => Array.isArray(value) ? value : [value];

/** The items of a list as texts; an empty list for any other value. */
export const textsOf = (value: unknown): string[] => Array.isArray(value) ? value.map(str) : [];

/** Salt's `split_input`: the items of a list as texts, or the parts of a text between commas. */
export const splitInput = (value: unknown): string[] =>
  Array.isArray(value) ? value.map(str) : str(value).split(",").map((one) => one.trim());

/** Converts a map of any kind to one with texts as keys; an empty map for any other value. */
export const fieldsOf = (value: unknown): Record<string, unknown> =>
  isMap(value) ? Object.fromEntries(entriesOf(value).map(([key, item]) => [str(key), item])) : {};
