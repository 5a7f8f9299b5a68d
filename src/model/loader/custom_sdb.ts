import { customNamed, namedCall } from "./custom_named.ts";
import type { CustomPlace } from "./loaded_file.ts";
import type { SdbDriver } from "./sdb.ts";

/**
 * The custom sdb driver of a name, or that of Salt's package: `get(key, profile)`, and if the driver can, `set(key, value, profile)`
 * and `delete(key, profile)`. Undefined if there is none.
 *
 * @param brines drivers of Brine, by name
 */
export async function customSdb(place: CustomPlace, name: string, brines: object): Promise<SdbDriver | undefined> {
  const found = await customNamed(place, "sdb", name, !Object.hasOwn(brines, name));
  if (found === undefined) return undefined;
  const [get, set, remove] = ["get", "set", "delete"].map((fun) => namedCall(found, fun));
  if (get === undefined) throw new TypeError(`"${found.path}" has no function "get"`);
  return {
    get: (context, key, profile) => get(context, [key], { profile }),
    ...(set && { set: (context, key, value, profile) => set(context, [key, value], { profile }) }),
    ...(remove && { delete: (context, key, profile) => remove(context, [key], { profile }) }),
  };
}
