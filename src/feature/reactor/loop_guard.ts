import type { BusEvent } from "../../model/event/bus.ts";
import { isRecord } from "../../base/record.ts";

/** The cause of a job: the reactions that led to it, first one first. */
interface Chain {
  /** The tag of the event that began the chain. */
  readonly root: string;
  readonly steps: readonly { sls: string; tag: string; atMs: number }[];
}

/** A reaction that may run. */
export interface Entered {
  chain: Chain;
}

interface LoopGuardOptions {
  /** The even clock, in milliseconds. */
  elapsed(): number;
  /** How often one SLS may run in a chain within {@link WINDOW_MS}. */
  limit: number;
}

/** The time in milliseconds within which repetitions count as a loop. A slower repetition may be intended, such as a retry. */
export const WINDOW_MS = 60_000;
/** The most jobs that are remembered. */
const MAX_JOBS = 20_000;
/** The most steps of a chain that are remembered. */
const MAX_STEPS = 500;

const JID = /^\d{20}(?:_[0-9A-Za-z]+)?$/;
/** Matches tags with the jid of their job. */
const IN_TAG = /^salt\/(?:job|run|wheel|state_result)\/(\d{20}(?:_[0-9A-Za-z]+)?)(?:\/|$)/;
const NEW_JOB = /^salt\/(?:job|run|wheel)\/(\d{20}(?:_[0-9A-Za-z]+)?)\/new$/;

/**
 * Knows which events are caused by which reactions, from the jids of the jobs that the reactions started, and stops a reaction that
 * causes its own event repeatedly. Frequent events alone are not stopped: only a chain of jobs proves a loop.
 */
export class LoopGuard {
  readonly #options: LoopGuardOptions;
  /** Jid → the cause of the job; the latest job at the end. */
  readonly #jobs = new Map<string, Chain>();

  constructor(options: LoopGuardOptions) {
    this.#options = options;
  }

  /** To be called with every event: a job that a reaction has started may start another job. */
  saw(event: BusEvent): void {
    if (event.cause === undefined) return;
    const chain = this.#jobs.get(event.cause);
    const [, jid] = chain === undefined ? [] : NEW_JOB.exec(event.tag) ?? [];
    if (jid !== undefined && !this.#jobs.has(jid)) this.#remember(jid, chain!);
  }

  /** True for an event of a job whose cause is not known yet. */
  isUnknown(event: BusEvent): boolean {
    const cause = causeOf(event);
    return cause !== undefined && !this.#jobs.has(cause);
  }

  /** Begins a reaction of an SLS to an event. @returns the chain for the jobs of the reaction, or why it must not run */
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
    return { chain: { root: before.root, steps: [...before.steps, { sls, tag, atMs: now }].slice(-MAX_STEPS) } };
  }

  /** Notes that a reaction has started a job. */
  started(jid: string, { chain }: Entered): void {
    this.#remember(jid, chain);
  }

  #remember(jid: string, chain: Chain): void {
    if (this.#jobs.size >= MAX_JOBS) this.#jobs.delete(this.#jobs.keys().next().value!);
    this.#jobs.set(jid, chain);
  }
}

/** The jid of the job that an event is about, or that has fired the event. */
export function causeOf({ cause, tag, data }: BusEvent): string | undefined {
  const [, inTag] = IN_TAG.exec(tag) ?? [];
  // The data of a minion's event.send is below `data`, with the fields of the publication.
  const inner = isRecord(data.data) ? data.data : {};
  const found = [cause, inTag, tag, data.__pub_jid, inner.__pub_jid, data.jid];
  return found.find((one): one is string => typeof one === "string" && JID.test(one));
}
