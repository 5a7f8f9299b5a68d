/**
 * Metrics and traces, as parts of the program see them: instruments that cost next to nothing while they are off. How the data
 * leaves the process is chosen by programs: `cli/daemon/telemetry`.
 */
export { METRICS } from "./catalogue.ts";
export { type Counter, type Histogram, type Meter, NO_METER, type Reading } from "./meter.ts";
export type { LabelValues, Metric, MetricHost } from "./metric.ts";
export { type MetricFamily, MetricRegistry, OTHER, type Series } from "./metric_registry.ts";
export { NO_TELEMETRY, type Telemetry } from "./telemetry.ts";
export { formatTraceContext, parseTraceContext, TRACE_FIELD, type TraceContext } from "./trace_context.ts";
export { NO_TRACER, type Span, type SpanAttributes, type SpanOptions, type Tracer } from "./tracer.ts";
