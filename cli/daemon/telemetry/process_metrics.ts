/** Metrics of every daemon's process: memory, processor time, delay of its event loop. */
import type { Runtime } from "../../../src/runtime/runtime.ts";
import { type Meter, METRICS } from "../../../src/base/telemetry/mod.ts";
import { VERSION } from "../../../src/base/version.ts";
import { LoopDelay } from "../loop_delay.ts";

declare const process: {
  memoryUsage(): { rss: number; heapTotal: number; heapUsed: number; external: number; arrayBuffers?: number };
  cpuUsage(): { user: number; system: number };
  uptime(): number;
};

/** Registers the metrics with the meter. The returned function stops the timer that measures the event loop's delay. */
export function observeProcess(meter: Meter, { clock, name }: Runtime, program: string): () => void {
  const started = clock.now() / 1000 - process.uptime();
  meter.read(METRICS.info, () => [{ value: 1, values: [program, name, VERSION] }]);
  meter.read(METRICS.startTime, () => started);
  meter.read(METRICS.cpuSeconds, () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1e6;
  });
  meter.read(METRICS.memory, () => {
    const { rss, heapTotal, heapUsed, external, arrayBuffers = 0 } = process.memoryUsage();
    return [
      { value: rss, values: ["rss"] },
      { value: heapTotal, values: ["heap_total"] },
      { value: heapUsed, values: ["heap_used"] },
      { value: external, values: ["external"] },
      { value: arrayBuffers, values: ["array_buffers"] },
    ];
  });
  const delays = meter.histogram(METRICS.loopDelay);
  const delay = new LoopDelay(clock);
  delay.onLook = (seconds) => delays.observe(seconds);
  return () => delay.close();
}
