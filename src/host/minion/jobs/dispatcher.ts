import { Pool } from "../../../base/async/pool.ts";
import { isPlainJid } from "../../../model/job/jid.ts";
import type { Logger } from "../../../base/log.ts";
import { delimiterOf, type Subject } from "../../../model/target/target.ts";
import { matchMinion } from "../../../model/target/match.ts";
import { PatternCache } from "../../../model/target/patterns.ts";
import { QueuedJobs } from "./queued_jobs.ts";

interface DispatcherOptions {
  log: Logger;
  subject(): Subject;
  /** How many jids are remembered, so that a publication that comes twice runs once. Salt's `minion_jid_queue_hwm`. */
  remembered: number;
  /** The most jobs that run at a time; 0 or less for no bound. Salt's `process_count_max`. */
  processCountMax: number;
  /** The jobs that a master kept while the minion was away. */
  queued: QueuedJobs;
  /** Resolves when the refreshes that a job must wait for are over; undefined if there are none. */
  refreshed(): Promise<void> | undefined;
  /** Takes a job, which may have to wait for others. Returns the function that runs it. */
  take(load: Record<string, unknown>): () => Promise<void>;
  /** True for jids that were taken before a restart of this minion. */
  taken(jid: string): boolean;
  /** Called when a job is sent again: the master does not know that it was taken. */
  again(jid: string): void;
  /** Called when the master asks whether this minion has a job. @param wasSeen true if the job has come before, in this run of the minion */
  asked(jid: string, wasSeen: boolean): void;
}

/** True for functions about other jobs: they must not wait for those jobs. */
export function isJobFunction(fun: unknown): boolean {
  return typeof fun === "string" &&
    /^saltutil\.(find_job|running|is_running|(signal|term|kill)_(all_)?jobs?)$/.test(fun);
}

/** Decides whether a publication is for this minion, and runs each job once. */
export class Dispatcher {
  readonly #options: DispatcherOptions;
  readonly #patterns = new PatternCache();
  readonly #pool: Pool;
  readonly #seen = new Set<string>();

  constructor(options: DispatcherOptions) {
    this.#options = options;
    this.#pool = new Pool(options.processCountMax);
  }

  /**
   * Takes a job that is new and whose target includes this minion. The promise resolves when the job is over. False for any other job.
   *
   * @param forUs true if the target is known to include this minion, since it matched before a restart
   */
  dispatch(load: Record<string, unknown>, forUs = false): Promise<void> | false {
    const { log, subject, remembered, queued, refreshed, take, taken, again, asked } = this.#options;
    const { tgt, jid, fun, arg } = load;
    if (tgt === undefined || jid === undefined || fun === undefined || arg === undefined) {
      log.debug("publication ignored: it lacks tgt, jid, fun or arg");
      return false;
    }
    if (typeof jid !== "string" || !isPlainJid(jid)) {
      log.warning("publication ignored: its jid is not a job id");
      return false;
    }
    const tgt_type = typeof load.tgt_type === "string" ? load.tgt_type : "glob";
    const target = { tgt, tgt_type, ...delimiterOf(tgt_type, load) };
    if (!forUs && !matchMinion(target, subject(), this.#patterns)) return false;
    if ((load.delivery as { asked?: unknown } | undefined)?.asked === true) {
      asked(jid, this.#seen.has(jid));
      return false;
    }
    if (this.#seen.has(jid) || taken(jid)) {
      log.debug("publication ignored: its job was received before", { jid });
      again(jid);
      return false;
    }
    this.#seen.add(jid);
    for (const oldest of this.#seen) {
      if (this.#seen.size <= remembered) break;
      this.#seen.delete(oldest);
    }
    const run = take(load);
    if (isJobFunction(fun)) return run();
    const refresh = refreshed();
    const begin = () => this.#pool.run(refresh === undefined ? run : () => refresh.then(run));
    return QueuedJobs.isQueued(load) ? queued.add(jid, begin) : begin();
  }
}
