import type { BusEvent } from "../../model/event/bus.ts";
import { isRecord } from "../../base/record.ts";

/** How a job came about: the reactions before it, the first one first. */
interface Chain {
  /** The event that began it. */
  readonly root: string;
  readonly steps: readonly { sls: string; tag: string; atMs: number }[];
}

/** A reaction that may run. */
export interface Entered {
  chain: Chain;
}

export interface LoopGuardOptions {
  /** Milliseconds, of a clock that is never set. */
  elapsed(): number;
  /** How often one SLS may run in a chain within {@link WINDOW_MS}. */
  limit: number;
}

/** The time in which a loop goes round often enough to be one. A slower one may be meant: something is tried again and again. */
export const WINDOW_MS = 60_000;
/** Jobs that are remembered. */
const MOST_JOBS = 20_000;
/** Steps of a chain that are remembered. */
const MOST_STEPS = 500;

const JID = /^\d{20}(?:_[0-9A-Za-z]+)?$/;
/** Where tags have the jid of the job that they tell of. */
const IN_TAG = /^salt\/(?:job|run|wheel|state_result)\/(\d{20}(?:_[0-9A-Za-z]+)?)(?:\/|$)/;
const NEW_JOB = /^salt\/(?:job|run|wheel)\/(\d{20}(?:_[0-9A-Za-z]+)?)\/new$/;

/**
 * Knows which events are the consequence of which reactions, by the jids of the jobs that these started, and stops a reaction that
 * causes its own event again and again. What merely comes often is not stopped: only a chain of jobs proves a loop.
 */
export class LoopGuard {
  readonly #options: LoopGuardOptions;
  /** Jid → how the job came about; the latest at the end. */
  readonly #jobs = new Map<string, Chain>();

  constructor(options: LoopGuardOptions) {
    this.#options = options;
  }

  /** To be told every event: a job may be started by one that a reaction has started. */
  saw(event: BusEvent): void {
    if (event.cause === undefined) return;
    const chain = this.#jobs.get(event.cause);
    const [, jid] = chain === undefined ? [] : NEW_JOB.exec(event.tag) ?? [];
    if (jid !== undefined && !this.#jobs.has(jid)) this.#remember(jid, chain!);
  }

  /** True for an event of a job that this knows nothing of, yet. */
  isUnknown(event: BusEvent): boolean {
    const cause = causeOf(event);
    return cause !== undefined && !this.#jobs.has(cause);
  }

  /**
   * Begins a reaction of an SLS to an event.
   *
   * @returns how its jobs come about, or why it must not run
   */
  enter(event: BusEvent, sls: string): Entered | { stopped: string } {
    const now = this.#options.elapsed();
    const { tag } = event;
    const before = this.#jobs.get(causeOf(event) ?? "") ?? { root: tag, steps: [] };
    const times = before.steps.filter((step) => step.sls === sls && step.atMs > now - WINDOW_MS).length;
    if (times >= this.#options.limit) {
      const round = [...new Set(before.steps.map((step) => `${step.tag} -> ${step.sls}`))].slice(-5).join(", ");
      return {
        stopped: `it ran ${times} times within ${
          WINDOW_MS / 1000
        } s because of jobs that it started, first with the event ${before.root}: ${round}`,
      };
    }
    return { chain: { root: before.root, steps: [...before.steps, { sls, tag, atMs: now }].slice(-MOST_STEPS) } };
  }

  /** A reaction has started a job. */
  started(jid: string, { chain }: Entered): void {
    this.#remember(jid, chain);
  }

  #remember(jid: string, chain: Chain): void {
    if (this.#jobs.size >= MOST_JOBS) this.#jobs.delete(this.#jobs.keys().next().value!);
    this.#jobs.set(jid, chain);
  }
}

/** The jid of the job that an event is of, or that has fired it. */
export function causeOf({ cause, tag, data }: BusEvent): string | undefined {
  const [, inTag] = IN_TAG.exec(tag) ?? [];
  // What a minion sends with event.send is below `data`, with the publication's own fields.
  const inner = isRecord(data.data) ? data.data : {};
  const found = [cause, inTag, tag, data.__pub_jid, inner.__pub_jid, data.jid];
  return found.find((one): one is string => typeof one === "string" && JID.test(one));
}
