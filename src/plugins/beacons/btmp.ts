import type { BeaconModule } from "../../model/loader/beacons.ts";
import { loginsBeacon } from "./logins.ts";

/** Logins that failed: records of `/var/log/btmp`. */
export const beacon: BeaconModule = loginsBeacon("btmp", "/var/log/btmp", () => {});
