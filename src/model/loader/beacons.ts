/** Beacons: functions that look at a host in intervals, and report what they find to the master. */
import type { Context } from "./family.ts";

/** One item of a beacon's configuration, which is a list of items: `{services: {sshd: {}}}`. */
export type BeaconItem = Readonly<Record<string, unknown>>;

/** The data of a beacon's event. `tag` is removed from the data and appended to the beacon's tag. */
export type BeaconEvent = Record<string, unknown>;

/** What a beacon function receives at each look. */
export interface BeaconRun {
  /** Name of the beacon in the configuration; the name of its module may differ. */
  name: string;
  /** All items joined to one map; the last item of a name counts. */
  settings: Readonly<Record<string, unknown>>;
  context: Context;
  /** Values that the beacon keeps between looks. They are dropped when the configuration changes. */
  memory: Map<string, unknown>;
}

/** The exports of a beacon module, in `src/plugins/beacons` or `_beacons`. */
export interface BeaconModule {
  /** The beacon's name. @default the file's */
  name?: string;
  /** The reason why the beacon cannot run on this host; undefined if it can. */
  unavailable?(context: Context): string | undefined;
  /** Whether a configuration can be obeyed, and why not, in Salt's words. @default a list is good */
  validate?(
    config: readonly BeaconItem[],
    context: Context,
  ): [valid: boolean, comment: string] | Promise<[valid: boolean, comment: string]>;
  /** Looks, and returns what is worth an event. */
  beacon(config: readonly BeaconItem[], run: BeaconRun): BeaconEvent[] | Promise<BeaconEvent[]>;
  /** Releases what the beacon holds in its memory, such as processes. */
  close?(run: Pick<BeaconRun, "memory">): void;
}

/** Beacon modules: name → function that loads the module. */
export type BeaconRegistry = Readonly<Record<string, () => Promise<BeaconModule>>>;

/** The result of a check that has found no mistake, in Salt's words. */
export const VALID: [boolean, string] = [true, "Valid beacon configuration"];

/** Joins all items of a configuration to one map. */
export function settingsOf(config: readonly BeaconItem[]): Record<string, unknown> {
  return Object.assign({}, ...config.filter((item) => typeof item === "object" && item !== null));
}
