/** Beacons of a minion: their configuration, its changes, and the periodic runs. */
export { Beacons } from "./configured_beacons.ts";
export { beaconCommands } from "./commands.ts";
export { BeaconWatch, type FiredEvent } from "./run_beacons.ts";
