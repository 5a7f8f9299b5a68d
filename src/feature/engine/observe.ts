import { type Meter, METRICS } from "../../base/telemetry/mod.ts";
import type { Engines } from "./engines.ts";

/** Adds the metrics of engines to a meter. */
export function observeEngines(meter: Meter, engines: Pick<Engines, "states" | "failures">): void {
  if (!meter.enabled) return;
  meter.read(
    METRICS.engines,
    () => Object.entries(engines.states()).map(([state, value]) => ({ value, values: [state] })),
  );
  meter.read(METRICS.engineRestarts, () => engines.failures);
}
