import { succeeded } from "../../../model/job/outcome.ts";
import type { Counter, Histogram, Meter, Telemetry, Tracer } from "../../../base/telemetry/mod.ts";
import { METRICS, parseTraceContext, TRACE_FIELD } from "../../../base/telemetry/mod.ts";
import type { JobOutcome } from "../processes/execute_job.ts";

interface CountedJob {
  /** The trace context that the return of the job carries, if the publication had one. */
  readonly context: string | undefined;
  /** Ends the count. @param outcome undefined if the job was killed, or is left for after a restart */
  end(outcome: Pick<JobOutcome, "retcode" | "success"> | undefined): void;
}

/** Counts the jobs of a minion, and traces them as part of the trace of their publication. */
export class JobMetrics {
  readonly #meter: Meter;
  readonly #tracer: Tracer;
  readonly #id: string;
  readonly #ended: Counter;
  readonly #seconds: Histogram;

  /** @param id the id of the minion */
  constructor({ meter, tracer }: Pick<Telemetry, "meter" | "tracer">, id: string) {
    this.#meter = meter;
    this.#tracer = tracer;
    this.#id = id;
    this.#ended = meter.counter(METRICS.minionJobs);
    this.#seconds = meter.histogram(METRICS.minionJobSeconds);
  }

  /** @param load the publication, which a master has signed */
  begin(load: Record<string, unknown>): CountedJob {
    const began = this.#meter.now();
    const parent = load[TRACE_FIELD];
    // A master that sends no context may not know the field.
    const traced = this.#tracer.enabled && parseTraceContext(parent) !== undefined;
    const span = this.#tracer.start("salt.minion.job", {
      parent: parent as string | undefined,
      kind: "consumer",
      attributes: { "salt.jid": String(load.jid), "salt.fun": [load.fun].flat().join(","), "salt.minion": this.#id },
    });
    return {
      context: traced ? span.context : undefined,
      end: (outcome) => {
        let result = "killed";
        if (outcome !== undefined) result = succeeded(outcome.retcode, outcome.success) ? "succeeded" : "failed";
        this.#ended.add(1, result);
        this.#seconds.observe(this.#meter.now() - began);
        span.end(result === "succeeded" ? undefined : result);
      },
    };
  }
}
