import { type Meter, METRICS } from "../../base/telemetry/mod.ts";
import type { HigherMaster } from "./higher_master.ts";
import type { LocalMaster } from "./local_master.ts";

/** The numbers of a higher master that metrics show. */
type ObservedMaster = Pick<HigherMaster, "isOpen" | "size" | "unsent"> & { uplink: { dropped: number } };

/** Makes the meter read counts that a syndic keeps. */
export function observeSyndic(
  meter: Meter,
  masters: readonly ObservedMaster[],
  local: Pick<LocalMaster, "isConnected">,
): void {
  if (!meter.enabled) return;
  const total = (of: (master: ObservedMaster) => number) => masters.reduce((sum, master) => sum + of(master), 0);
  meter.read(METRICS.syndicMasters, () => {
    const connected = masters.filter(({ isOpen }) => isOpen).length;
    return [{ value: connected, values: ["connected"] }, { value: masters.length - connected, values: ["away"] }];
  });
  meter.read(METRICS.syndicLocalMaster, () => local.isConnected ? 1 : 0);
  meter.read(METRICS.syndicJobs, () => total(({ size }) => size));
  meter.read(METRICS.syndicReturnsUnsent, () => total(({ unsent }) => unsent));
  meter.read(METRICS.syndicEventsDropped, () => total(({ uplink }) => uplink.dropped));
}
