import type { BeaconModule } from "../../model/loader/beacons.ts";
import { usageBeacon } from "./usage.ts";

/** Used memory, at a percentage or more. */
export const beacon: BeaconModule = usageBeacon("memusage", "ps.virtual_memory");
