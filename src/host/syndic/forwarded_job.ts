import type { Place } from "../minion/jobs/spool_files.ts";

export type Load = Record<string, unknown>;

/** A return that a higher master does not have yet. */
export interface HeldReturn {
  /** Undefined if it is to be read from the local job cache: memory is bounded. */
  result: ReturnFields | undefined;
  /** Bytes that it takes in memory, about. */
  size: number;
}

/** What is passed on of a return. */
export interface ReturnFields {
  return: unknown;
  retcode?: unknown;
  success?: unknown;
  fun_args?: unknown;
  /** The outputter. */
  out?: string;
}

/** A job whose returns go to one higher master, and how far that has come. */
export class ForwardedJob {
  readonly jid: string;
  /** When the syndic took it, in milliseconds since the epoch. */
  readonly atMs: number;
  /** As the higher master has published it; of a job that was published below: its function. */
  readonly load: Load;
  /** True if it was published on the local master: the higher master does not know it. */
  readonly isLocal: boolean;
  /** Where it is in the journal. */
  record: { number: number; place: Place } | undefined;
  /** True once the local master has it, or has refused it for good. */
  isPublished: boolean;
  /** True while it is offered to the local master. */
  isPublishing = false;
  /** Minions that the local master expects to return. */
  readonly targets = new Set<string>();
  /** Syndics below the local master that have not named their minions. */
  readonly below = new Set<string>();
  /** Targets that the higher master has not heard of, and whether it has to be told that there are no more. */
  readonly unnamed = new Set<string>();
  needsNaming = true;
  /** Returns that the higher master has, and those that it has not. */
  readonly sent = new Set<string>();
  readonly unsent = new Map<string, HeldReturn>();
  /** Outcomes without a return that the higher master does not have: minion → data of the event. */
  readonly outcomes = new Map<string, Load>();
  /** Returns may be in the local job cache of which no event was heard. */
  isStale = true;

  constructor(jid: string, load: Load, { atMs, isLocal }: { atMs: number; isLocal: boolean }) {
    this.jid = jid;
    this.load = load;
    this.atMs = atMs;
    this.isLocal = isLocal;
    this.isPublished = isLocal;
    // A higher master that does not know the job does not wait for its minions.
    this.needsNaming = !isLocal;
  }

  /** Takes note of minions that the local master has for it. */
  expect(ids: readonly string[]): void {
    for (const id of ids) {
      if (this.targets.has(id)) continue;
      this.targets.add(id);
      if (this.isLocal) continue;
      this.unnamed.add(id);
      this.needsNaming = true;
    }
  }

  /** True if something is to be sent. */
  get isDue(): boolean {
    return this.isPublished && (this.needsNaming || this.unsent.size > 0 || this.outcomes.size > 0);
  }

  /** True once the higher master has all that there can be. */
  get isOver(): boolean {
    if (!this.isPublished || this.isDue || this.isStale || this.below.size > 0) return false;
    for (const id of this.targets) if (!this.sent.has(id)) return false;
    return true;
  }
}

/** A higher master, as seen by what finds the returns of its jobs. */
export interface JobOwner {
  jobs(): Iterable<ForwardedJob>;
  /** A minion has returned. @param size bytes of the event, about */
  returned(job: ForwardedJob, minion: string, result: ReturnFields, size: number): void;
  /** Forgets a job of which the master has everything. */
  settle(job: ForwardedJob): void;
  forget(job: ForwardedJob): void;
  /** Publishes a job of an earlier process that the local master does not have yet. */
  publishAgain(job: ForwardedJob): Promise<void>;
  readonly uplink: { poke(): void };
}
