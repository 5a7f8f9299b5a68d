import type { SpoolPlace } from "../minion/jobs/spool_files.ts";

export type SyndicLoad = Record<string, unknown>;

/** A return that a higher master does not have yet. */
export interface HeldReturn {
  /** The return; undefined if it must be read from the local job cache, since memory is bounded. */
  result: ReturnFields | undefined;
  /** About how many bytes the return takes in memory. */
  size: number;
}

export interface ReturnFields {
  return: unknown;
  retcode?: unknown;
  success?: unknown;
  fun_args?: unknown;
  out?: string;
}

/** A job whose returns go to one higher master, and how far they are passed on. */
export class ForwardedJob {
  readonly jid: string;
  /** When the syndic took the job, in milliseconds since the epoch. */
  readonly atMs: number;
  /** The load as the higher master has published it; for a job that was published below, only its function. */
  readonly load: SyndicLoad;
  /** True if the job was published on the local master, so the higher master does not know it. */
  readonly isLocal: boolean;
  record: { number: number; place: SpoolPlace } | undefined;
  /** True once the local master has the job, or has refused it for good. */
  isPublished: boolean;
  /** True while the job is being offered to the local master. */
  isPublishing = false;
  /** The minions whose returns the local master expects. */
  readonly targets = new Set<string>();
  /** The syndics below the local master that have not named their minions. */
  readonly below = new Set<string>();
  /** The targets that the higher master does not know yet; the next field says whether it must be told that there are no more. */
  readonly unnamed = new Set<string>();
  needsNaming = true;
  /** The minions whose returns the higher master has; the next field has those that it lacks. */
  readonly sent = new Set<string>();
  readonly unsent = new Map<string, HeldReturn>();
  /** Outcomes without a return that the higher master does not have: minion → data of the event. */
  readonly outcomes = new Map<string, SyndicLoad>();
  /** True if the local job cache may have returns whose events were missed. */
  isStale = true;

  constructor(jid: string, load: SyndicLoad, { atMs, isLocal }: { atMs: number; isLocal: boolean }) {
    this.jid = jid;
    this.load = load;
    this.atMs = atMs;
    this.isLocal = isLocal;
    this.isPublished = isLocal;
    // A higher master that does not know the job does not wait for its minions.
    this.needsNaming = !isLocal;
  }

  /** Notes the minions that the local master has for the job. */
  expect(ids: readonly string[]): void {
    for (const id of ids) {
      if (this.targets.has(id)) continue;
      this.targets.add(id);
      if (this.isLocal) continue;
      this.unnamed.add(id);
      this.needsNaming = true;
    }
  }

  /** True if something of the job must be sent. */
  get isDue(): boolean {
    return this.isPublished && (this.needsNaming || this.unsent.size > 0 || this.outcomes.size > 0);
  }

  /** True once the higher master has all returns and outcomes that can come. */
  get isOver(): boolean {
    if (!this.isPublished || this.isDue || this.isStale || this.below.size > 0) return false;
    for (const id of this.targets) if (!this.sent.has(id)) return false;
    return true;
  }
}

/** A higher master, as the parts see it that find the returns of its jobs. */
export interface ForwardedJobOwner {
  jobs(): Iterable<ForwardedJob>;
  /** Called when a minion has returned. @param size about how many bytes the event has */
  returned(job: ForwardedJob, minion: string, result: ReturnFields, size: number): void;
  /** Forgets a job whose higher master has everything. */
  settle(job: ForwardedJob): void;
  forget(job: ForwardedJob): void;
  /** Publishes a job of an earlier process that the local master does not have yet. */
  publishAgain(job: ForwardedJob): Promise<void>;
  readonly uplink: { poke(): void };
}
