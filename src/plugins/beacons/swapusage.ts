import type { BeaconModule } from "../../model/loader/beacons.ts";
import { usageBeacon } from "./usage.ts";

/** Used swap space, at a percentage or more. */
export const beacon: BeaconModule = usageBeacon("swapusage", "ps.swap_memory");
