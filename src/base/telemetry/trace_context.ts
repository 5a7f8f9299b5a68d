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

/** The `traceparent` of a span. */
export function formatTraceContext({ traceId, spanId, sampled }: TraceContext): string {
  return `00-${traceId}-${spanId}-${sampled ? "01" : "00"}`;
}
