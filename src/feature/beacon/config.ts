import { entriesOf, isMap } from "../../language/python/containers.ts";
import { str } from "../../language/python/repr.ts";
import type { BeaconItem } from "../../model/loader/beacons.ts";

/** Beacons by name, as they are configured: a list of items, a map of former times, or `enabled` for all of them. */
export type BeaconConfig = Record<string, unknown>;

/** The same data with maps whose keys are text. */
export function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (!isMap(value)) return value;
  return Object.fromEntries(entriesOf(value).map(([key, item]) => [str(key), plain(item)]));
}

/** A map of beacons; undefined for what is none. */
export function configOf(value: unknown): BeaconConfig | undefined {
  if (value === undefined || value === null) return {};
  return isMap(value) ? plain(value) as BeaconConfig : undefined;
}

/** The items of a beacon, which is a list of maps; undefined for what is none. As in Salt, a map alone is none either. */
export function itemsOf(config: unknown): BeaconItem[] | undefined {
  return Array.isArray(config) && config.every(isMap) ? config as BeaconItem[] : undefined;
}

/** Options that are the framework's, and that no beacon sees. */
export const OWN_OPTIONS: ReadonlySet<string> = new Set([
  "beacon_module",
  "disable_during_state_run",
  "enabled",
  "interval",
  "run_once",
]);

/** The items without the framework's options, which may stand beside those of the beacon in one map. */
export function ownItems(items: readonly BeaconItem[]): BeaconItem[] {
  return items.flatMap((item) => {
    const own = Object.entries(item).filter(([name]) => !OWN_OPTIONS.has(name));
    return own.length === 0 && Object.keys(item).length > 0 ? [] : [Object.fromEntries(own)];
  });
}
