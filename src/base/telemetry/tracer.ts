/**
 * Values that a span may carry: ids and counts, never arguments, credentials or returns.
 *
 * @example
 * ```ts
 * import type { SpanAttributes } from "brine";
 *
 * export const attributes: SpanAttributes = { "salt.fun": "test.ping", "salt.minions": 12 };
 * ```
 */
export type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

/**
 * What a span begins with.
 *
 * @example
 * ```ts
 * import type { SpanOptions } from "brine";
 *
 * export const options: SpanOptions = { kind: "client", attributes: { "salt.fun": "test.ping" } };
 * ```
 */
export interface SpanOptions {
  /** The span that caused this one, as `traceparent`; another form is ignored. @default a trace of its own */
  parent?: string | undefined;
  /** Its place between programs, as OpenTelemetry has it. @default "internal" */
  kind?: "internal" | "server" | "client" | "producer" | "consumer";
  /** What it is about. @default nothing */
  attributes?: SpanAttributes;
  /** It began so many milliseconds ago. @default 0 */
  agoMs?: number;
}

/**
 * A piece of work with a beginning and an end.
 *
 * @example
 * ```ts
 * import type { Span } from "brine";
 *
 * export async function timed<T>(span: Span, work: Promise<T>): Promise<T> {
 *   try {
 *     return await work;
 *   } finally {
 *     span.end();
 *   }
 * }
 * ```
 */
export interface Span {
  /** As W3C `traceparent`, for what this span causes elsewhere; undefined if it is not recorded. */
  readonly context: string | undefined;
  /** Adds an attribute. */
  set(name: string, value: string | number | boolean): void;
  /** Ends it. @param error why the work failed, as a class of errors: never a text that may hold values */
  end(error?: string): void;
}

/**
 * Where parts of the program report what they do, and for how long.
 *
 * @example
 * ```ts
 * import type { Tracer } from "brine";
 *
 * export const tracer: Tracer = {
 *   enabled: true,
 *   start(name) {
 *     const began = Date.now();
 *     return { context: undefined, set() {}, end: () => console.log(name, Date.now() - began, "ms") };
 *   },
 * };
 * ```
 */
export interface Tracer {
  /** False if nothing is recorded. */
  readonly enabled: boolean;
  /** Begins a span. */
  start(name: string, options?: SpanOptions): Span;
}

const NO_SPAN: Span = { context: undefined, set: () => {}, end: () => {} };

/** Records nothing. */
export const NO_TRACER: Tracer = { enabled: false, start: () => NO_SPAN };
