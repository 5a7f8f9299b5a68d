/** Values that a span may carry: ids and counts, never arguments, credentials or returns. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

/** What a span begins with. */
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

/** A piece of work with a beginning and an end. */
export interface Span {
  /** As W3C `traceparent`, for what this span causes elsewhere; undefined if it is not recorded. */
  readonly context: string | undefined;
  /** Adds an attribute. */
  set(name: string, value: string | number | boolean): void;
  /** Ends it. @param error why the work failed, as a class of errors: never a text that may hold values */
  end(error?: string): void;
}

/** Where parts of the program report what they do, and for how long. */
export interface Tracer {
  /** False if nothing is recorded. */
  readonly enabled: boolean;
  /** Begins a span. */
  start(name: string, options?: SpanOptions): Span;
}

const NO_SPAN: Span = { context: undefined, set: () => {}, end: () => {} };

/** Records nothing. */
export const NO_TRACER: Tracer = { enabled: false, start: () => NO_SPAN };
