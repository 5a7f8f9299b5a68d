import assert from "node:assert/strict";
import { test } from "node:test";
import { observeSyndic } from "../../../src/host/syndic/syndic.ts";
import { MetricRegistry } from "../../../src/base/telemetry/mod.ts";

test("a syndic tells its masters, jobs and what they do not have yet", () => {
  const registry = new MetricRegistry();
  const masters = [
    { isOpen: true, size: 3, unsent: 2, uplink: { dropped: 1 } },
    { isOpen: false, size: 1, unsent: 5, uplink: { dropped: 7 } },
  ];
  const local = { isConnected: true };
  observeSyndic(registry, masters, local);
  const told = () =>
    Object.fromEntries(
      [...registry.collect()].map(({ metric, series }) => [metric.name, series.map(({ value }) => value)]),
    );
  const wanted = {
    brine_syndic_masters: [1, 1],
    brine_syndic_local_master: [1],
    brine_syndic_jobs: [4],
    brine_syndic_returns_unsent: [7],
    brine_syndic_events_dropped_total: [8],
  };
  assert.deepEqual(told(), wanted);
  masters[1]!.isOpen = true;
  local.isConnected = false;
  assert.deepEqual(told(), { ...wanted, brine_syndic_masters: [2, 0], brine_syndic_local_master: [0] });
});
