import { type Meter, NO_METER } from "./meter.ts";

/** Values that a span may carry: ids and counts, never arguments, credentials or returns. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

/** The facts about a span that are known when it begins. */
export interface SpanOptions {
  /** The span that caused this one, as `traceparent`; another form is ignored. @default a trace of its own */
  parent?: string | undefined;
  /** The span's kind, as OpenTelemetry defines it. @default "internal" */
  kind?: "internal" | "server" | "client" | "producer" | "consumer";
  /** The first attributes of the span. @default none */
  attributes?: SpanAttributes;
  /** How long ago the span began, in milliseconds. @default 0 */
  agoMs?: number;
}

/** A piece of work with a beginning and an end. */
export interface Span {
  /** The span as a W3C `traceparent`, to be sent with the work that it causes elsewhere; undefined if the span is not recorded. */
  readonly context: string | undefined;
  /** Adds an attribute. */
  set(name: string, value: string | number | boolean): void;
  /** Ends the span. @param error why the work failed, as a class of errors: never a text that may hold values */
  end(error?: string): void;
}

/** Records what parts of the program do, and for how long. */
export interface Tracer {
  /** False if nothing is recorded. */
  readonly enabled: boolean;
  /** Begins a span. */
  start(name: string, options?: SpanOptions): Span;
}

const NO_SPAN: Span = { context: undefined, set: () => {}, end: () => {} };

/** Records nothing. */
export const NO_TRACER: Tracer = { enabled: false, start: () => NO_SPAN };

/** A span of another process, as W3C Trace Context defines it. */
export interface TraceContext {
  /** 32 hex digits. */
  traceId: string;
  /** 16 hex digits. */
  spanId: string;
  sampled: boolean;
}

/** The field of loads that carries the context: the same as in Salt 3008. */
export const TRACE_FIELD = "traceparent";

const FORM = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;

/** Reads a `traceparent`; undefined for anything else, whoever sent it. */
export function parseTraceContext(value: unknown): TraceContext | undefined {
  if (typeof value !== "string" || value.length !== 55) return undefined;
  const [, traceId, spanId, flags] = FORM.exec(value) ?? [];
  if (traceId === undefined || /^0+$/.test(traceId) || /^0+$/.test(spanId!)) return undefined;
  return { traceId, spanId: spanId!, sampled: (parseInt(flags!, 16) & 1) === 1 };
}

export function formatTraceContext({ traceId, spanId, sampled }: TraceContext): string {
  return `00-${traceId}-${spanId}-${sampled ? "01" : "00"}`;
}

/**
 * The meter and the tracer of a daemon.
 *
 * @internal
 */
export interface Telemetry {
  readonly meter: Meter;
  readonly tracer: Tracer;
  /** Sends the recorded metrics and spans, then stops serving them. */
  close(): Promise<void>;
}

/** Records nothing. */
export const NO_TELEMETRY: Telemetry = { meter: NO_METER, tracer: NO_TRACER, close: () => Promise.resolve() };
