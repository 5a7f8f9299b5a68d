import type { Clock } from "../../../base/async/clock.ts";
import { messageOf } from "../../../base/errors.ts";
import type { Logger } from "../../../base/log.ts";
import type { JobMaster, JobReports } from "./job_master.ts";
import type { Journal, JournaledJob } from "./journal.ts";

type Load = Record<string, unknown>;

/** `dispatch` of the dispatcher: takes a job. @param forUs true if the target is known to include this minion */
export type Dispatch = (load: Load, forUs?: boolean) => unknown;

interface MissedJobsOptions {
  clock: Clock;
  log: Logger;
  journal: Journal;
  master: JobMaster;
  reports: JobReports;
  /** Jobs that were taken before a restart and had not begun, in their order, until they are dispatched: those of all masters. */
  waiting: Map<string, JournaledJob>;
  /** True for a job of this master, or of another master of its cluster: that may be gone, and this one has taken over its jobs. */
  isOurs(job: JournaledJob): boolean;
  /** Jids of the master's jobs that this minion runs, or whose returns it keeps. */
  known(): string[];
  /** Called when the master has named its cluster; undefined for none. */
  cluster(name: string | undefined): void;
}

/** The longest pause between two attempts, in milliseconds: a minion learns of a missed job soon after its master is back. */
const MAX_PAUSE_MS = 10_000;
/** Up to which age a job of before a restart is still run if the master cannot tell whether it is wanted, in milliseconds. */
const STILL_WANTED_MS = 3_600_000;

/**
 * The jobs of one master that did not run when they were published: jobs that the minion took before a restart and had not
 * begun, and jobs that the master published while the minion was away.
 */
export class MissedJobs {
  readonly #options: MissedJobsOptions;
  readonly #closed = new AbortController();
  #asking = new AbortController();

  constructor(options: MissedJobsOptions) {
    this.#options = options;
  }

  /** Adds a job that was taken before a restart and had not begun. */
  add(job: JournaledJob): void {
    this.#options.waiting.set(job.jid, job);
  }

  /** True for a job that was added and is not dispatched yet. */
  has(jid: string): boolean {
    return this.#options.waiting.has(jid);
  }

  /** Removes a job because it is being dispatched. False if it was not added. */
  remove(jid: string): boolean {
    return this.#options.waiting.delete(jid);
  }

  /** Dispatches the jobs that were missed and are still wanted. A Brine master is asked for them until it replies. */
  async dispatchAll(dispatch: Dispatch): Promise<void> {
    const { clock, log, master } = this.#options;
    if (!master.isBrine) return this.#dispatchAdded(dispatch, ({ atMs }) => clock.now() - atMs <= STILL_WANTED_MS);
    // The question is repeated, since nothing else reports the queued jobs. A newer call takes over.
    this.#asking.abort();
    const asking = this.#asking = new AbortController();
    const signal = AbortSignal.any([this.#closed.signal, asking.signal]);
    for (let attempt = 1; !signal.aborted; attempt++) {
      try {
        return await this.#ask(dispatch);
      } catch (error) {
        log.debug("could not ask for missed jobs", { attempt, error: messageOf(error) });
        await clock.sleep(Math.min(attempt * 1000, MAX_PAUSE_MS), signal).catch(() => {});
      }
    }
  }

  /** Stops asking the master: the minion has left it for another. */
  leave(): void {
    this.#asking.abort();
  }

  async #ask(dispatch: Dispatch): Promise<void> {
    const { journal, reports, known, cluster } = this.#options;
    await journal.synced();
    const waiting = this.#own().map(({ jid }) => jid);
    const report = { present: true, known: [...known(), ...waiting], ...(waiting.length === 0 ? {} : { waiting }) };
    const reply = await reports.send(reports.numbered(report));
    const { jobs, over, cluster: name } = reply as { jobs?: unknown; over?: unknown; cluster?: unknown };
    cluster(typeof name === "string" ? name : undefined);
    const unwanted = new Set(Array.isArray(over) ? over : []);
    // Jobs that were added since the question are not in the reply; those that were published meanwhile are dispatched.
    this.#dispatchAdded(dispatch, ({ jid }) => waiting.includes(jid) && !unwanted.has(jid));
    for (const load of Array.isArray(jobs) ? jobs as Load[] : []) dispatch(load);
  }

  #own(): JournaledJob[] {
    const { waiting, isOurs } = this.#options;
    return [...waiting.values()].filter(isOurs);
  }

  #dispatchAdded(dispatch: Dispatch, isWanted: (job: JournaledJob) => boolean): void {
    for (const job of this.#own()) {
      const { jid, load } = job;
      if (isWanted(job)) dispatch(load, true);
      else {
        this.#options.log.warning("job that had not started is dropped: the master has given it up", {
          jid,
          fun: load.fun,
        });
        this.#options.waiting.delete(jid);
        this.#options.journal.end(jid);
      }
    }
  }

  close(): void {
    this.#closed.abort();
  }
}
