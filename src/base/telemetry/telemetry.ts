import { type Meter, NO_METER } from "./meter.ts";
import { NO_TRACER, type Tracer } from "./tracer.ts";

/**
 * Where a daemon counts, and where it reports what it does.
 *
 * @internal
 */
export interface Telemetry {
  readonly meter: Meter;
  readonly tracer: Tracer;
  /** Sends what was recorded, and stops serving it. */
  close(): Promise<void>;
}

/** Records nothing. */
export const NO_TELEMETRY: Telemetry = { meter: NO_METER, tracer: NO_TRACER, close: () => Promise.resolve() };
