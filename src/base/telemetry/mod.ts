/**
 * Metrics and traces, as parts of the program see them: instruments that cost next to nothing while they are off. How the data
 * leaves the process is chosen by programs: `cli/daemon/telemetry`.
 */
export { METRICS } from "./catalogue.ts";
export {
  type Counter,
  type Histogram,
  type LabelValues,
  type Meter,
  type Metric,
  type MetricHost,
  NO_METER,
  type Reading,
} from "./meter.ts";
export { type MetricFamily, MetricRegistry, OTHER, type Series } from "./metric_registry.ts";
export {
  formatTraceContext,
  NO_TELEMETRY,
  NO_TRACER,
  parseTraceContext,
  type Span,
  type SpanAttributes,
  type SpanOptions,
  type Telemetry,
  TRACE_FIELD,
  type TraceContext,
  type Tracer,
} from "./tracer.ts";
