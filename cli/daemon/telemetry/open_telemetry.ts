/** Metrics and traces of a daemon, as configured. */
import type { Logger } from "../../../src/base/log.ts";
import { printAddress } from "../../../src/runtime/net.ts";
import type { Runtime } from "../../../src/runtime/runtime.ts";
import { MetricRegistry, METRICS, NO_TELEMETRY, NO_TRACER, type Telemetry } from "../../../src/base/telemetry/mod.ts";
import { type MetricsOption, telemetrySettings } from "./settings.ts";

interface OpenTelemetryOptions {
  runtime: Runtime;
  log: Logger;
  program: string;
  opts: Record<string, unknown>;
  /** Option for metrics. @default "metrics" */
  option?: MetricsOption;
  /** `service.name` in exported data. @default the program */
  service?: string;
}

const LOOPBACK = /^(127\.\d+\.\d+\.\d+|::1|localhost)$/;

/**
 * Opens the metrics and traces that the options `metrics` and `tracing` ask for. Without them nothing is loaded.
 *
 * @throws {ConfigError} for a wrong value or a missing package; {SystemError} if the address is in use
 */
export async function openTelemetry(options: OpenTelemetryOptions): Promise<Telemetry> {
  const { runtime, program, opts, option, service = program } = options;
  const settings = telemetrySettings(runtime.fs, opts, option);
  const { scrape, metrics, traces } = settings;
  if (scrape === undefined && metrics === undefined && traces === undefined) return NO_TELEMETRY;
  const log = options.log.child("telemetry");
  const { clock, crypto, net } = runtime;
  await using stack = new AsyncDisposableStack();
  const registry = new MetricRegistry((error) => log.error("a metric could not be read", { error: String(error) }));
  const { observeProcess } = await import("./process_metrics.ts");
  stack.defer(observeProcess(registry, runtime, program));

  if (scrape !== undefined) {
    const [{ prometheusText }, { serveScrapes }] = await Promise.all([
      import("./prometheus_text.ts"),
      import("./scrape_server.ts"),
    ]);
    const server = await serveScrapes({ net, clock, crypto, ...scrape, ...await prometheusText(registry) });
    stack.defer(() => server.close());
    const at = printAddress(server.address);
    log.info("metrics are served", { at, token: scrape.token !== undefined });
    if (!LOOPBACK.test(scrape.host)) {
      log.warning("metrics are served unencrypted beyond this host: everyone who reaches the port can read them", {
        at,
        token: scrape.token !== undefined,
      });
    }
  }
  let tracer = NO_TRACER;
  if (metrics !== undefined || traces !== undefined) {
    const { exportMetrics, exportSpans } = await import("./otlp.ts");
    if (metrics !== undefined) {
      const exporting = await exportMetrics(registry, metrics, { clock, log, service });
      stack.defer(() => exporting.close());
      log.info("metrics are exported", { interval_seconds: metrics.intervalMs / 1000 });
    }
    if (traces !== undefined) {
      const exporting = await exportSpans(traces, { clock, log, service });
      stack.defer(() => exporting.close());
      registry.read(METRICS.spansDropped, () => exporting.dropped);
      tracer = exporting.tracer;
      log.info("traces are exported", { ratio: traces.ratio });
    }
  }
  const owned = stack.move();
  let closing: Promise<void> | undefined;
  return { meter: registry, tracer, close: () => closing ??= owned.disposeAsync() };
}
