/** Exports metrics and spans to an OpenTelemetry collector, over OTLP/HTTP. */
import { within } from "../../../src/base/async/within.ts";
import type { Clock } from "../../../src/base/async/clock.ts";
import { type Deferred, deferred } from "../../../src/base/async/deferred.ts";
import type { Logger } from "../../../src/base/log.ts";
import type { MetricFamily, MetricRegistry, Span, SpanOptions, Tracer } from "../../../src/base/telemetry/mod.ts";
import { formatTraceContext, parseTraceContext } from "../../../src/base/telemetry/mod.ts";
import { VERSION } from "../../../src/base/version.ts";
import { loadPackages } from "./packages.ts";
import type { ExportSettings } from "./settings.ts";

/** An exporter, which is closed with the daemon. */
interface Exporting {
  /** Sends the remaining data, within a few seconds. */
  close(): Promise<void>;
}

/** Milliseconds that the daemon's end waits for the collector. */
const CLOSE_MS = 3000;
/** Timeout of one export, in milliseconds. */
const EXPORT_MS = 10_000;
/** Milliseconds between two log lines about failed exports. */
const SAY_AGAIN_MS = 60_000;
/** Spans that wait for export, at most; more are dropped. */
export const MAX_SPANS = 2048;
/** Characters of an attribute, at most. */
const MAX_CHARACTERS = 256;

type HrTime = [seconds: number, nanoseconds: number];
const hrTime = (ms: number): HrTime => [Math.floor(ms / 1000), Math.floor((ms % 1000) * 1e6)];

interface ResultOfExport {
  /** Result code; 0 if the collector accepted the data. */
  code: number;
  error?: Error;
}
interface Exporter<T> {
  export(what: T, done: (result: ResultOfExport) => void): void;
  shutdown(): Promise<void>;
  forceFlush?(): Promise<void>;
}
interface ResourcePackage {
  resourceFromAttributes(attributes: Record<string, string>): unknown;
}
interface MetricsPackage {
  MeterProvider: new (options: object) => { shutdown(): Promise<void> };
  PeriodicExportingMetricReader: new (options: object) => unknown;
}
interface MetricExporterPackage {
  OTLPMetricExporter: new (options: object) => Exporter<unknown>;
}
interface SpanOfPackage {
  spanContext(): { traceId: string; spanId: string; traceFlags: number };
  setAttribute(name: string, value: unknown): void;
  setStatus(status: { code: number; message?: string }): void;
  end(timeMs: number): void;
}
interface SpanProcessor {
  onStart(...started: unknown[]): void;
  onEnd(span: unknown): void;
  forceFlush(): Promise<void>;
  shutdown(): Promise<void>;
}
interface TracePackage {
  BasicTracerProvider: new (options: object) => {
    getTracer(name: string, version: string): {
      startSpan(name: string, options: object, context: unknown): SpanOfPackage;
    };
    shutdown(): Promise<void>;
  };
  BatchSpanProcessor: new (exporter: unknown, options: object) => SpanProcessor;
  TraceIdRatioBasedSampler: new (ratio: number) => unknown;
  ParentBasedSampler: new (options: { root: unknown }) => unknown;
}
interface SpanExporterPackage {
  OTLPTraceExporter: new (options: object) => Exporter<readonly unknown[]>;
}
interface ApiPackage {
  ROOT_CONTEXT: unknown;
  trace: { setSpanContext(context: unknown, span: object): unknown };
}

const API = "@opentelemetry/api";
const RESOURCES = "@opentelemetry/resources";

interface OtlpOptions {
  clock: Clock;
  log: Logger;
  /** `service.name`, unless the configuration sets another. */
  service: string;
}

function resourceOf({ resourceFromAttributes }: ResourcePackage, settings: ExportSettings, service: string): unknown {
  const attributes = {
    ...settings.resource,
    "service.name": settings.serviceName ?? service,
    "service.version": VERSION,
  };
  return resourceFromAttributes(attributes);
}

function exporterOptions({ url, headers }: ExportSettings): object {
  return { ...(url === undefined ? {} : { url }), headers, timeoutMillis: EXPORT_MS, concurrencyLimit: 8 };
}

/** Logs failed exports, at most once in {@link SAY_AGAIN_MS}. */
function failureLog({ clock, log }: OtlpOptions, what: string): (error: Error | undefined) => void {
  let saidMs = -Infinity;
  return (error) => {
    if (Math.abs(clock.now() - saidMs) < SAY_AGAIN_MS) return;
    saidMs = clock.now();
    log.warning("the OpenTelemetry collector refused an export", { what, error: error?.message ?? "refused" });
  };
}

/** Stops an exporter, but waits at most {@link CLOSE_MS} for the collector. */
async function shutDown(stop: () => Promise<void>, clock: Clock): Promise<void> {
  await within(clock, CLOSE_MS, undefined, stop().catch(() => {}));
}

/** Exports all metrics at an interval. @throws {ConfigError} if a package is not installed */
export async function exportMetrics(
  registry: MetricRegistry,
  settings: ExportSettings & { intervalMs: number },
  options: OtlpOptions,
): Promise<Exporting> {
  const [resources, metrics, exporters] = await loadPackages<[ResourcePackage, MetricsPackage, MetricExporterPackage]>(
    [RESOURCES, "@opentelemetry/sdk-metrics", "@opentelemetry/exporter-metrics-otlp-http", API],
    "the option metrics",
  );
  const resource = resourceOf(resources, settings, options.service);
  const failed = failureLog(options, "metrics");
  const exporter = new exporters.OTLPMetricExporter(exporterOptions(settings));
  const send = exporter.export.bind(exporter);
  exporter.export = (what, done) =>
    send(what, (result) => {
      if (result.code !== 0) failed(result.error);
      done(result);
    });
  const startMs = options.clock.now();
  const producer = {
    collect: () => {
      const scope = { name: "brine", version: VERSION };
      const times = { startTime: hrTime(startMs), endTime: hrTime(options.clock.now()) };
      const found = registry.collect().map((family) => metricData(family, times));
      return Promise.resolve({ resourceMetrics: { resource, scopeMetrics: [{ scope, metrics: found }] }, errors: [] });
    },
  };
  const reader = new metrics.PeriodicExportingMetricReader({
    exporter,
    exportIntervalMillis: settings.intervalMs,
    exportTimeoutMillis: Math.min(EXPORT_MS, settings.intervalMs),
    metricProducers: [producer],
  });
  const provider = new metrics.MeterProvider({ resource, readers: [reader] });
  return { close: () => shutDown(() => provider.shutdown(), options.clock) };
}

/** The packages' numbers for kinds of data; `1` is the cumulative temporality. */
const KINDS = { histogram: 0, gauge: 2, counter: 3 };

function metricData({ metric, series }: MetricFamily, times: { startTime: HrTime; endTime: HrTime }): object {
  const { name, help, kind, buckets: boundaries = [] } = metric;
  const unit = /_seconds(_total)?$/.test(name) ? "s" : /_bytes(_total)?$/.test(name) ? "By" : "";
  return {
    descriptor: { name, description: help, unit, valueType: 1 },
    aggregationTemporality: 1,
    dataPointType: KINDS[kind],
    ...(kind === "counter" ? { isMonotonic: true } : {}),
    dataPoints: series.map(({ labels, value, buckets }) => ({
      ...times,
      attributes: labels,
      value: buckets === undefined ? value : {
        sum: value,
        count: buckets.reduce((sum, count) => sum + count, 0),
        buckets: { boundaries: [...boundaries], counts: [...buckets] },
      },
    })),
  };
}

/** A tracer that exports spans and counts dropped ones. */
interface ExportingTracer extends Exporting {
  readonly tracer: Tracer;
  /** Spans that were not exported, because the queue was full or the collector refused them. */
  readonly dropped: number;
}

const SPAN_KINDS = { internal: 0, server: 1, client: 2, producer: 3, consumer: 4 };

/** Exports ended spans in batches. @throws {ConfigError} if a package is not installed */
export async function exportSpans(
  settings: ExportSettings & { ratio: number; follow: boolean },
  options: OtlpOptions,
): Promise<ExportingTracer> {
  const [api, resources, traces, exporters] = await loadPackages<
    [ApiPackage, ResourcePackage, TracePackage, SpanExporterPackage]
  >([API, RESOURCES, "@opentelemetry/sdk-trace-base", "@opentelemetry/exporter-trace-otlp-http"], "the option tracing");
  const queue = new SpanQueue(new exporters.OTLPTraceExporter(exporterOptions(settings)), failureLog(options, "spans"));
  const batches = new traces.BatchSpanProcessor(queue, {
    maxQueueSize: MAX_SPANS,
    maxExportBatchSize: 512,
    scheduledDelayMillis: 2000,
    exportTimeoutMillis: EXPORT_MS,
  });
  const ratio = new traces.TraceIdRatioBasedSampler(settings.ratio);
  const provider = new traces.BasicTracerProvider({
    resource: resourceOf(resources, settings, options.service),
    sampler: settings.follow ? new traces.ParentBasedSampler({ root: ratio }) : ratio,
    spanProcessors: [queue.before(batches)],
  });
  const source = provider.getTracer("brine", VERSION);
  const start = (name: string, { parent, kind = "internal", attributes = {}, agoMs = 0 }: SpanOptions = {}): Span => {
    const known = parseTraceContext(parent);
    const context = known === undefined ? api.ROOT_CONTEXT : api.trace.setSpanContext(api.ROOT_CONTEXT, {
      traceId: known.traceId,
      spanId: known.spanId,
      traceFlags: known.sampled ? 1 : 0,
      isRemote: true,
    });
    const cut = Object.fromEntries(Object.entries(attributes).map(([key, value]) => [key, shortened(value)]));
    const startTime = options.clock.now() - agoMs;
    return spanOf(
      source.startSpan(name, { kind: SPAN_KINDS[kind], attributes: cut, startTime }, context),
      options.clock,
    );
  };
  return {
    tracer: { enabled: true, start },
    get dropped() {
      return queue.dropped;
    },
    close: () =>
      shutDown(async () => {
        // `shutdown` rejects with the first failed batch, while other batches are still being sent.
        await provider.shutdown().catch(() => {});
        await queue.idle();
      }, options.clock),
  };
}

const shortened = (value: string | number | boolean) =>
  typeof value === "string" ? value.slice(0, MAX_CHARACTERS) : value;

function spanOf(span: SpanOfPackage, clock: Clock): Span {
  const { traceId, spanId, traceFlags } = span.spanContext();
  return {
    context: formatTraceContext({ traceId, spanId, sampled: (traceFlags & 1) === 1 }),
    set: (name, value) => span.setAttribute(name, shortened(value)),
    end(error) {
      if (error !== undefined) span.setStatus({ code: 2, message: error });
      span.end(clock.now());
    },
  };
}

/** Wraps the batch processor of the package: limits the spans that wait for export, and counts dropped ones. */
class SpanQueue implements Exporter<readonly unknown[]> {
  readonly #exporter: Exporter<readonly unknown[]>;
  readonly #failed: (error: Error | undefined) => void;
  #waiting = 0;
  #idle: Deferred<void> | undefined;
  dropped = 0;

  constructor(exporter: Exporter<readonly unknown[]>, failed: (error: Error | undefined) => void) {
    this.#exporter = exporter;
    this.#failed = failed;
  }

  /** Resolves when no spans wait for the collector. */
  idle(): Promise<void> {
    if (this.#waiting === 0) return Promise.resolve();
    return (this.#idle ??= deferred<void>()).promise;
  }

  before(batches: SpanProcessor): SpanProcessor {
    return {
      onStart: (...started) => batches.onStart(...started),
      onEnd: (span) => {
        if (((span as SpanOfPackage).spanContext().traceFlags & 1) === 0) return;
        if (this.#waiting >= MAX_SPANS) {
          this.dropped++;
          return;
        }
        this.#waiting++;
        batches.onEnd(span);
      },
      forceFlush: () => batches.forceFlush(),
      shutdown: () => batches.shutdown(),
    };
  }

  export(spans: readonly unknown[], done: (result: ResultOfExport) => void): void {
    this.#exporter.export(spans, (result) => {
      this.#waiting -= spans.length;
      if (result.code !== 0) {
        this.dropped += spans.length;
        this.#failed(result.error);
      }
      if (this.#waiting === 0) this.#idle?.resolve();
      done(result);
    });
  }

  shutdown(): Promise<void> {
    return this.#exporter.shutdown();
  }

  forceFlush(): Promise<void> {
    return this.#exporter.forceFlush?.() ?? Promise.resolve();
  }
}
