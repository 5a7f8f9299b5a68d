import { type Counter, type Histogram, type Meter, METRICS, NO_METER, OTHER } from "../telemetry/mod.ts";

/** Why a request was refused before any command saw it. */
export type RefusedRequest =
  | "not an envelope"
  /** Its fields have the wrong types. */
  | "bad load"
  | "old version"
  | "no accepted key"
  | "does not open"
  | "bad token"
  /** Received before, or too old. */
  | "replayed";

/** Counts requests by command, and those that are refused. */
export class RequestMetrics {
  readonly #meter: Meter;
  readonly #commands: ReadonlySet<string>;
  readonly #seconds: Histogram;
  readonly #refused: Counter;
  readonly #failed: Counter;

  /** @param commands those that there are: any other is counted as "other", so that no sender can name a series */
  constructor(meter: Meter = NO_METER, commands: ReadonlySet<string> = new Set()) {
    this.#meter = meter;
    this.#commands = commands;
    this.#seconds = meter.histogram(METRICS.requestSeconds);
    this.#refused = meter.counter(METRICS.requestsRefused);
    this.#failed = meter.counter(METRICS.requestsFailed);
  }

  /** When a request came, for {@link RequestMetrics.answered}. */
  began(): number {
    return this.#meter.now();
  }

  answered(command: string, began: number): void {
    if (!this.#meter.enabled) return;
    this.#seconds.observe(this.#meter.now() - began, this.#commands.has(command) ? command : OTHER);
  }

  /** A command failed, or its reply was withheld. */
  failed(): void {
    this.#failed.add(1);
  }

  refused(reason: RefusedRequest): void {
    this.#refused.add(1, reason);
  }
}
