import { type OutcomeState, succeeded } from "../../model/job/outcome.ts";
import { isRecord } from "../../base/record.ts";
import { type Counter, type Meter, METRICS } from "../../base/telemetry/mod.ts";
import type { Packed } from "../../protocol/wire/msgpack.ts";

export class MasterMetrics {
  readonly jobsPublished: Counter;
  readonly publications: Counter;
  readonly outcomes: Counter;
  readonly returnsReceived: Counter;
  readonly #meter: Meter;
  readonly #stored: Counter;
  readonly #bytes: Counter;
  readonly #fileBytes: Counter;

  constructor(meter: Meter) {
    this.#meter = meter;
    this.jobsPublished = meter.counter(METRICS.jobsPublished);
    this.publications = meter.counter(METRICS.publications);
    this.outcomes = meter.counter(METRICS.outcomes);
    this.returnsReceived = meter.counter(METRICS.returnsReceived);
    this.#stored = meter.counter(METRICS.returnsStored);
    this.#bytes = meter.counter(METRICS.returnBytes);
    this.#fileBytes = meter.counter(METRICS.fileBytes);
  }

  /** Counts a return that is durable. */
  stored(ret: { value: Packed; retcode: unknown; success: unknown; load: Record<string, unknown> }): void {
    if (!this.#meter.enabled) return;
    const { value, retcode, success, load } = ret;
    let outcome: OutcomeState = succeeded(retcode, success) ? "returned" : "failed";
    if (load.ended === "timed out") outcome = "timed out";
    this.#stored.add(1);
    this.#bytes.add(value.bytes.length);
    this.outcomes.add(1, outcome);
  }

  /** Counts the bytes of an answer that is a piece of a file. @returns the answer */
  sent(answer: unknown): unknown {
    if (!this.#meter.enabled) return answer;
    if (answer instanceof Promise) return answer.then((answer) => this.sent(answer));
    const data = isRecord(answer) ? answer.data : undefined;
    if (data instanceof Uint8Array) this.#fileBytes.add(data.length);
    return answer;
  }
}
