import { entriesOf, isMap, str } from "../../language/python/values.ts";

/** Filters as the daemon reads them: each a list of texts; undefined for none. */
export function filterText(filters: unknown): string | undefined {
  if (!isMap(filters)) return undefined;
  const lists = entriesOf(filters).map(([name, value]) => [
    str(name),
    (Array.isArray(value) ? value : [value]).map((one) => typeof one === "boolean" ? String(one) : str(one)),
  ]);
  return JSON.stringify(Object.fromEntries(lists));
}
