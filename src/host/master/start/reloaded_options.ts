import { MASTER_OPTIONS, type MasterOpts } from "../../../model/config/master_opts.ts";
import { optionsThat } from "../../../model/config/option.ts";
import { equal } from "../../../language/python/values.ts";

const RELOADED: ReadonlySet<string> = new Set(optionsThat("reload", MASTER_OPTIONS));

/** Rows that say so, and settings of the backends of `external_auth`: `auth.ldap.server`. */
const isReloaded = (name: string) => RELOADED.has(name) || name.startsWith("auth.");

/**
 * Returns the options after a configuration was read again.
 *
 * @param before the present options, which are not changed
 * @returns a new configuration, and the names of the options that differ in it
 */
export function reloadedOptions(
  before: MasterOpts,
  values: Record<string, unknown>,
): { opts: MasterOpts; taken: string[] } {
  const names = [...new Set([...Object.keys(before), ...Object.keys(values)])];
  const taken = names.filter((name) => isReloaded(name) && !equal(before[name] ?? null, values[name] ?? null));
  const opts = { ...before, ...Object.fromEntries(taken.map((name) => [name, values[name]])) };
  return { opts: opts as MasterOpts, taken };
}
