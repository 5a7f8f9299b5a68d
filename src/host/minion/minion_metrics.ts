import { type Meter, METRICS } from "../../base/telemetry/mod.ts";
import type { MinionJobs } from "./jobs/minion_jobs.ts";
import type { RunningJobs } from "./jobs/running_jobs.ts";
import type { Masters } from "./masters.ts";

/** The parts of a minion that are looked at when metrics are asked for. */
export interface ObservedMinion {
  masters: Masters;
  runningJobs: RunningJobs;
  jobs: MinionJobs;
  /** `return_spool_bytes`. */
  spoolLimit: number;
}

/** Makes the meter read counts that a minion keeps. */
export function observeMinion(meter: Meter, { masters, runningJobs, jobs, spoolLimit }: ObservedMinion): void {
  if (!meter.enabled) return;
  const queue = ["return_spool_bytes"];
  meter.read(METRICS.minionJobsRunning, () => runningJobs.size);
  meter.read(METRICS.spoolReturns, () => jobs.unsent.count);
  meter.read(METRICS.spoolBytes, () => jobs.unsent.bytes);
  meter.read(METRICS.queueLength, () => [{ value: jobs.unsent.bytes, values: queue }]);
  meter.read(METRICS.queueLimit, () => [{ value: spoolLimit, values: queue }]);
  meter.read(METRICS.minionReconnects, () => masters.reconnects);
  meter.read(METRICS.minionMasters, () => [
    { value: masters.connected, values: ["connected"] },
    { value: masters.all.length - masters.connected, values: ["away"] },
  ]);
}
