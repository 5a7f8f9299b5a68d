/** Beacons: functions that look at a host again and again, and tell the master what they see. */
import type { Context } from "./context.ts";

/** One part of a beacon's configuration, which is a list of them: `{services: {sshd: {}}}`. */
export type BeaconItem = Readonly<Record<string, unknown>>;

/** What a beacon tells: the data of an event. `tag` is put behind the tag of the beacon, and taken out of the data. */
export type BeaconEvent = Record<string, unknown>;

/** What a beacon is given at each look. */
export interface BeaconRun {
  /** Its name in the configuration, which need not be that of its module. */
  name: string;
  /** All items as one map; of an item that is named twice the last one counts. */
  settings: Readonly<Record<string, unknown>>;
  context: Context;
  /** What it keeps from one look to the next. It is empty after a change of the configuration. */
  memory: Map<string, unknown>;
}

/** A beacon module, as a file of `src/plugins/beacons` or of `_beacons` has it. */
export interface BeaconModule {
  /** Why it cannot run here; undefined if it can. */
  unavailable?(context: Context): string | undefined;
  /** Whether a configuration can be obeyed, and why not, in Salt's words. @default a list is good */
  validate?(
    config: readonly BeaconItem[],
    context: Context,
  ): [valid: boolean, comment: string] | Promise<[valid: boolean, comment: string]>;
  /** Looks, and returns what is worth an event. */
  beacon(config: readonly BeaconItem[], run: BeaconRun): BeaconEvent[] | Promise<BeaconEvent[]>;
  /** Lets go of what it holds in its memory, such as processes. */
  close?(run: Pick<BeaconRun, "memory">): void;
}

/** Where beacons come from: name → how to load it. */
export type BeaconRegistry = Readonly<Record<string, () => Promise<BeaconModule>>>;

/** What every validation begins with, in Salt's words. */
export const VALID: [boolean, string] = [true, "Valid beacon configuration"];

/** All items of a configuration as one map. */
export function settingsOf(config: readonly BeaconItem[]): Record<string, unknown> {
  return Object.assign({}, ...config.filter((item) => typeof item === "object" && item !== null));
}
