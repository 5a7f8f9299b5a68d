/** Beacons of a minion: what is configured, what changes it, and the looks again and again. */
export { Beacons } from "./beacons.ts";
export { beaconCommands } from "./commands.ts";
export { BeaconWatch, type FiredEvent } from "./watch.ts";
