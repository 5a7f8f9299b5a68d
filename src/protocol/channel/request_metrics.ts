import type { Counter, Histogram, Meter, Telemetry, Tracer } from "../../base/telemetry/mod.ts";
import { METRICS, NO_TELEMETRY, OTHER } from "../../base/telemetry/mod.ts";

/** Why a request was refused before any command saw it. */
export type RefusedRequest =
  | "not an envelope"
  /** The request's fields have the wrong types. */
  | "bad load"
  | "old version"
  | "no accepted key"
  | "does not open"
  | "bad token"
  /** The request was received before, or is too old. */
  | "replayed";

/** Counts requests by command, and refused requests by reason. */
export class RequestMetrics {
  readonly #meter: Meter;
  readonly #tracer: Tracer;
  readonly #commands: ReadonlySet<string>;
  readonly #untraced: ReadonlySet<string>;
  readonly #seconds: Histogram;
  readonly #refused: Counter;
  readonly #failed: Counter;

  /**
   * @param commands all known commands: any other is counted as "other", so that no sender can name a series
   * @param untraced commands that make their own spans
   */
  constructor(
    { meter, tracer }: Pick<Telemetry, "meter" | "tracer"> = NO_TELEMETRY,
    commands: ReadonlySet<string> = new Set(),
    untraced: ReadonlySet<string> = new Set(),
  ) {
    this.#untraced = untraced;
    this.#meter = meter;
    this.#tracer = tracer;
    this.#commands = commands;
    this.#seconds = meter.histogram(METRICS.requestSeconds);
    this.#refused = meter.counter(METRICS.requestsRefused);
    this.#failed = meter.counter(METRICS.requestsFailed);
  }

  /** The time of a request's arrival, to be passed to {@link RequestMetrics.answered}. */
  began(): number {
    return this.#meter.now();
  }

  answered(command: string, began: number): void {
    if (!this.#meter.enabled && !this.#tracer.enabled) return;
    const seconds = this.#meter.now() - began;
    const name = this.#commands.has(command) ? command : OTHER;
    this.#seconds.observe(seconds, name);
    // Starts a new trace, whatever the sender's context is: an unauthenticated sender must not choose what is recorded.
    if (this.#tracer.enabled && !this.#untraced.has(name)) {
      this.#tracer.start(`salt.request ${name}`, { kind: "server", agoMs: seconds * 1000 }).end();
    }
  }

  /** Counts a command that failed, or whose reply was withheld. */
  failed(): void {
    this.#failed.add(1);
  }

  refused(reason: RefusedRequest): void {
    this.#refused.add(1, reason);
  }
}
