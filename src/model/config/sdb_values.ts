/** Options whose values came from `sdb://` addresses: they are for the host itself, and shown to nobody. */
import { HIDDEN } from "../../base/secret.ts";

/** Finds what the addresses in values stand for: the changed options by name. @throws {ConfigError} naming the option */
export type ResolveSdb = (values: Record<string, unknown>) => Promise<Record<string, unknown>>;

/** The option that has the names of such options. */
export const FROM_SDB = "__sdb";

/** True if there is an address somewhere in a value. */
export function hasSdb(value: unknown, seen = new Set<unknown>()): boolean {
  if (typeof value === "string") return value.startsWith("sdb://");
  if (typeof value !== "object" || value === null || seen.has(value)) return false;
  seen.add(value);
  return (value instanceof Map ? [...value.values()] : Object.values(value)).some((item) => hasSdb(item, seen));
}

/** Options without the values that came from addresses. */
export function withoutSdbValues(opts: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { [FROM_SDB]: names, ...rest } = opts;
  const shown: Record<string, unknown> = rest;
  for (const name of Array.isArray(names) ? names : []) if (Object.hasOwn(shown, name)) shown[name] = HIDDEN;
  return shown;
}
