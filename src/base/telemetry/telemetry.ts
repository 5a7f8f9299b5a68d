import { type Meter, NO_METER } from "./meter.ts";
import { NO_TRACER, type Tracer } from "./tracer.ts";

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
