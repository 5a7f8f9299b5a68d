import { entriesOf, isMap, str } from "../../language/python/values.ts";
import type { BeaconItem } from "../../model/loader/beacons.ts";

/** The configuration of beacons by name: a list of items, or a map, which is Salt's old form. `enabled` applies to all beacons. */
export type BeaconConfig = Record<string, unknown>;

/** Returns the same data with text as the keys of all maps. */
export function plainConfig(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plainConfig);
  if (!isMap(value)) return value;
  return Object.fromEntries(entriesOf(value).map(([key, item]) => [str(key), plainConfig(item)]));
}

/** A map of beacons; undefined if the value is not a map. */
export function configOf(value: unknown): BeaconConfig | undefined {
  if (value === undefined || value === null) return {};
  return isMap(value) ? plainConfig(value) as BeaconConfig : undefined;
}

/** The items of a beacon, which must be a list of maps; undefined for any other value. As in Salt, a single map is not valid either. */
export function itemsOf(config: unknown): BeaconItem[] | undefined {
  return Array.isArray(config) && config.every(isMap) ? config as BeaconItem[] : undefined;
}

/** Options of the framework, which are not passed to beacons. */
const OWN_OPTIONS: ReadonlySet<string> = new Set([
  "beacon_module",
  "disable_during_state_run",
  "enabled",
  "interval",
  "run_once",
]);

/** The items without the framework's options, which may be in the same map as options of the beacon. */
export function ownItems(items: readonly BeaconItem[]): BeaconItem[] {
  return items.flatMap((item) => {
    const own = Object.entries(item).filter(([name]) => !OWN_OPTIONS.has(name));
    return own.length === 0 && Object.keys(item).length > 0 ? [] : [Object.fromEntries(own)];
  });
}
