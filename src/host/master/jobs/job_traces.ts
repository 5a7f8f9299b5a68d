import { NO_TRACER, parseTraceContext, type Span, TRACE_FIELD, type Tracer } from "../../../base/telemetry/mod.ts";

/** The most jobs whose trace is remembered; the traces of older jobs end without their returns. */
const MAX_JOBS = 10_000;

interface TracedPublication {
  jid: string;
  fun: unknown;
  /** How many minions the job is for. */
  targets: number;
  /** The context that the caller sent; its credentials have been checked. */
  caller: string | undefined;
  /** How long ago the publication was begun, in milliseconds. */
  agoMs: number;
}

/** Traces the jobs of a master: a publication, and the returns that belong to it. */
export class JobTraces {
  readonly #tracer: Tracer;
  /** Jid → the context of its publication. */
  readonly #jobs = new Map<string, string>();

  constructor(tracer: Tracer = NO_TRACER) {
    this.#tracer = tracer;
  }

  publication({ jid, fun, targets, caller, agoMs }: TracedPublication): Span {
    if (!this.#tracer.enabled) return NO_TRACER.start("");
    const span = this.#tracer.start("salt.publish", {
      parent: caller,
      kind: "producer",
      attributes: { "salt.jid": jid, "salt.fun": [fun].flat().join(","), "salt.targets": targets },
      agoMs,
    });
    if (span.context !== undefined) {
      this.#jobs.set(jid, span.context);
      if (this.#jobs.size > MAX_JOBS) this.#jobs.delete(this.#jobs.keys().next().value!);
    }
    return span;
  }

  /** Adds the trace context of its job to a load, so that minions continue the trace; returns the load unchanged if there is none. */
  withContext(load: Record<string, unknown>): Record<string, unknown> {
    const context = this.#jobs.size === 0 ? undefined : this.#jobs.get(load.jid as string);
    return context === undefined ? load : { ...load, [TRACE_FIELD]: context };
  }

  /**
   * Begins the span of a return that is being stored. A minion can only add to the trace of the job that it returns: a context of another
   * trace is not used, or each minion could fill the traces of others.
   */
  returned(jid: string, minion: string, sent: unknown): Span {
    const own = this.#jobs.get(jid);
    const trace = parseTraceContext(own)?.traceId;
    const parent = trace !== undefined && parseTraceContext(sent)?.traceId === trace ? sent as string : own;
    const attributes = { "salt.jid": jid, "salt.minion": minion };
    return this.#tracer.start("salt.return", { parent, kind: "consumer", attributes });
  }

  get enabled(): boolean {
    return this.#tracer.enabled;
  }
}
