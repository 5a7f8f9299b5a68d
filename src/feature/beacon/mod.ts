/** Beacons of a minion: their configuration, its changes, and the periodic runs. */
export { Beacons } from "./beacons.ts";
export { beaconCommands } from "./commands.ts";
export { BeaconWatch, type FiredEvent } from "./watch.ts";
