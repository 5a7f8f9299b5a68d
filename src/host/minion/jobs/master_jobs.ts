import { within } from "../../../base/async/within.ts";
import { joinPath } from "../../../base/paths.ts";
import type { MinionOpts } from "../../../model/config/minion_opts.ts";
import { messageOf } from "../../../base/errors.ts";
import { jobOutput } from "../../../model/event/tag.ts";
import { BEGUN_UNWRITTEN } from "../../../model/job/outcome.ts";
import type { Logger } from "../../../base/log.ts";
import type { Runtime } from "../../../runtime/runtime.ts";
import { takeOutOfQueue } from "../../../content/state/state_queue.ts";
import { type Telemetry, TRACE_FIELD } from "../../../base/telemetry/mod.ts";
import { encode } from "../../../protocol/wire/msgpack.ts";
import type { Execution } from "../processes/execution.ts";
import { type JobOutcome, packReturn } from "../processes/execute_job.ts";
import { Acknowledgements } from "./acknowledgements.ts";
import { isJobFunction } from "./dispatcher.ts";
import { JobMetrics } from "./job_metrics.ts";
import { type JobMaster, JobReports, sendOnce } from "./job_master.ts";
import type { Journal, JournaledJob } from "./journal.ts";
import { JobOutput } from "./live_output.ts";
import type { MasterClusters } from "./master_clusters.ts";
import { type Dispatch, MissedJobs } from "./missed_jobs.ts";
import { returnLoad } from "./return_load.ts";
import type { ReturnSender } from "./return_sender.ts";
import type { RunningJob, RunningJobs } from "./running_jobs.ts";
import type { Spool, SpoolEntry } from "./spool.ts";

type Load = Record<string, unknown>;

export interface MasterJobsOptions {
  runtime: Runtime;
  opts: MinionOpts;
  log: Logger;
  runningJobs: RunningJobs;
  execution: Execution;
  telemetry: Telemetry;
  sendToReturners(load: Load, ret: Load): Promise<void>;
}

export interface JobStores {
  clusters: MasterClusters;
  /** See `waiting` of {@link MissedJobs}'s options. */
  waiting: Map<string, JournaledJob>;
  /** True for a job that was taken from any master and is not over. */
  isTaken(jid: string): boolean;
  journal: Journal;
  spool: Spool;
  /** True while the minion stops: jobs that end now were not ended by an operator. */
  stopping(): boolean;
}

/** How long a job may run before it is acknowledged, in milliseconds; the return of a shorter job is its acknowledgement. */
const ACKNOWLEDGE_AFTER_MS = 300;
const MAX_PAUSE_MS = 10_000;
/** How long a return waits for the rest of its live output, in milliseconds. */
const OUTPUT_ENDS_MS = 10_000;

interface TakenJob {
  jid: string;
  load: Load;
  /** True for a question about other jobs: it may come twice, and must be answered even if the disk is full. */
  asks: boolean;
  written: boolean;
  cancelAcknowledgement(): void;
}

/**
 * Handles the jobs of one master: takes each, writes it into the journal, runs it, puts its return into the spool and sends
 * it.
 */
export class MasterJobs {
  readonly #options: MasterJobsOptions;
  readonly #stores: JobStores;
  readonly #master: JobMaster;
  readonly #sender: ReturnSender;
  readonly #reports: JobReports;
  readonly #acknowledgements: Acknowledgements;
  readonly #missed: MissedJobs;
  /** Jobs of this master that have been taken and are not over. */
  readonly #taken = new Set<string>();
  readonly #closed = new AbortController();
  readonly #metrics: JobMetrics;

  constructor(options: MasterJobsOptions, stores: JobStores, master: JobMaster, sender: ReturnSender) {
    const { runtime, log } = options;
    const { journal } = stores;
    this.#options = options;
    this.#metrics = new JobMetrics(options.telemetry, options.opts.id);
    this.#stores = stores;
    this.#master = master;
    this.#sender = sender;
    this.#reports = new JobReports(runtime.crypto, master);
    this.#acknowledgements = new Acknowledgements(runtime, log, journal, master, this.#reports);
    this.#missed = new MissedJobs({
      clock: runtime.clock,
      log,
      journal,
      master,
      reports: this.#reports,
      waiting: stores.waiting,
      isOurs: (job) => stores.clusters.areOne(job.master, master.address),
      known: () => [...this.unfinished, ...stores.clusters.jobsElsewhere(master.address)],
      cluster: (name) => stores.clusters.tells(master.address, name),
    });
  }

  get master(): JobMaster {
    return this.#master;
  }

  /** Jids of the master's jobs that this minion runs, or whose returns it keeps. */
  get unfinished(): string[] {
    return [...this.#taken, ...this.#stores.spool.jids(this.#master.address)];
  }

  get address(): string {
    return this.#master.address;
  }

  get isBrine(): boolean {
    return this.#master.isBrine;
  }

  /** Sends a return that is in the spool: one of before a restart, or of a scheduled job. */
  sendSpooled(entry: SpoolEntry): void {
    this.#sender.push(entry);
  }

  /** Adds a job that was taken before a restart and had not begun. */
  resume(job: JournaledJob): void {
    this.#missed.add(job);
  }

  /** True if a job was taken before a restart and must not run again. */
  known(jid: string): boolean {
    return this.#stores.journal.has(jid) && !this.#missed.has(jid);
  }

  /** Called when the master has sent a job again, since it does not know that the minion has it. */
  again(jid: string): void {
    const { journal, spool, isTaken } = this.#stores;
    if (isTaken(jid)) this.#acknowledgements.send(jid);
    else if (journal.hasEnded(jid) && !spool.jids().includes(jid)) this.#acknowledgements.over(jid);
    else this.#sender.hurry();
  }

  /** True if the job was taken and is not over. */
  isTaken(jid: string): boolean {
    return this.#taken.has(jid);
  }

  /** Answers a master that asks whether the minion has a job: it has taken the job over, and missed the minion's reports. */
  asked(jid: string, wasSeen: boolean): void {
    // A job that waits since before a restart is reported with the next question.
    if (this.#missed.has(jid)) return;
    if (wasSeen || this.known(jid)) this.again(jid);
    else this.#acknowledgements.unknown(jid);
  }

  /**
   * Reports to the master and dispatches the jobs that were missed; call it after each connection.
   *
   * @param hurry true to send waiting returns at once, since the master may have been away
   */
  async present(dispatch: Dispatch, hurry: boolean): Promise<void> {
    if (hurry) this.#sender.hurry();
    await this.#missed.dispatchAll(dispatch);
  }

  /** Called when the minion has left this master for another: it asks for no missed jobs, but still sends returns. */
  leave(): void {
    this.#missed.leave();
  }

  /** Takes a job and writes it into the journal. Returns the function that runs it and sends its return. */
  take(load: Load): () => Promise<void> {
    const { runtime: { clock } } = this.#options;
    const jid = load.jid as string;
    const asks = isJobFunction(load.fun);
    this.#taken.add(jid);
    // A job from before a restart is in the journal already.
    const written = asks || this.#missed.remove(jid) ||
      this.#stores.journal.take(jid, load, this.#master.address, clock.now());
    const cancelAcknowledgement = clock.after(ACKNOWLEDGE_AFTER_MS, () => this.#acknowledgements.send(jid));
    return () => this.#run({ jid, load, asks, written, cancelAcknowledgement });
  }

  async #run(job: TakenJob): Promise<void> {
    const { jid, load } = job;
    const { log, runningJobs } = this.#options;
    if (this.#stores.stopping()) {
      // The minion runs the job after the restart.
      job.cancelAcknowledgement();
      return;
    }
    const output = this.#liveOutput(job);
    const counted = this.#metrics.begin(load);
    const running = runningJobs.begin(jid, load);
    log.info("job started", { jid, fun: load.fun });
    let outcome: JobOutcome | undefined;
    try {
      outcome = await this.#execute(job, running, output);
    } finally {
      job.cancelAcknowledgement();
      running.end();
      this.#taken.delete(jid);
      counted.end(outcome);
    }
    if (outcome !== undefined) await this.#return(job, outcome, counted.context, output);
  }

  #liveOutput({ jid, load }: TakenJob): JobOutput | undefined {
    const { runtime: { clock }, opts } = this.#options;
    const delivery = load.delivery as { stream?: unknown } | undefined;
    if (delivery?.stream !== true) return undefined;
    const tag = jobOutput(jid, opts.id);
    return new JobOutput({
      clock,
      jid,
      id: opts.id,
      bytes: opts.stream_bytes,
      send: (data) => sendOnce(this.#master, { cmd: "_minion_event", events: [{ tag, data }], pretag: null }),
    });
  }

  /** Runs a job. Undefined if it has no outcome, since it was killed or is left for after the restart. */
  async #execute(job: TakenJob, running: RunningJob, output?: JobOutput): Promise<JobOutcome | undefined> {
    const { jid, load } = job;
    const { log, execution } = this.#options;
    const { stopping } = this.#stores;
    let begun = false;
    try {
      const outcome = await execution.run({
        load,
        master: this.#master.address,
        signal: running.signal,
        ownProcess: running.ownProcess,
        output: output && ((stream, chunk) => output.write(stream, chunk)),
        begin: async () => {
          await this.#begin(job);
          begun = true;
        },
      });
      return !begun && stopping() ? undefined : outcome;
    } catch (error) {
      if (!begun && stopping()) return undefined;
      if (!running.signal.aborted) throw error;
      log.warning("job was killed", { jid, fun: load.fun });
      const { runtime: { fs }, opts } = this.#options;
      if (!stopping()) takeOutOfQueue(fs, opts.cachedir, jid, load.fun);
      // As in Salt, a killed job does not return; a Brine master is sent the reason. A job that is killed because the minion
      // stops is reported after the restart.
      if (!stopping()) this.#cancelled(jid, messageOf(running.signal.reason));
      return undefined;
    }
  }

  /**
   * Records that a job begins, in the journal or at its master; after that the job never runs again.
   *
   * @throws {Error} if the minion stops before the record is made
   */
  async #begin({ jid, asks, written }: TakenJob): Promise<void> {
    const { journal, stopping } = this.#stores;
    // The job runs after the restart.
    if (stopping()) throw new Error("The minion is stopping");
    if (asks) return;
    const marked = (written || journal.again(jid)) && journal.mark(jid, "starting") && await journal.synced();
    if (!marked && this.#master.isBrine && !await this.#beginAtMaster(jid)) throw new Error("The minion is stopping");
    // The mark is written in a later turn of the event loop, because the function is called first.
    this.#options.runtime.later(() => this.#taken.has(jid) && journal.mark(jid, "started"));
  }

  /**
   * Reports to the master that a job begins, because the journal cannot be written: the master must not send the job again. Tries the
   * report and the journal until one succeeds; false if the minion stops before.
   */
  async #beginAtMaster(jid: string): Promise<boolean> {
    const { log, runtime: { clock } } = this.#options;
    const { journal } = this.#stores;
    const { signal } = this.#closed;
    for (let attempt = 1; !signal.aborted; attempt++) {
      try {
        await this.#reports.send(this.#reports.numbered({ states: [[jid, "started", BEGUN_UNWRITTEN]] }));
        return true;
      } catch (error) {
        if (attempt === 1) {
          log.warning("job waits: neither the journal nor the master can record its start", {
            jid,
            error: messageOf(error),
          });
        }
        await clock.sleep(Math.min(attempt * 1000, MAX_PAUSE_MS), signal).catch(() => {});
        if (journal.again(jid) && journal.mark(jid, "starting") && await journal.synced()) return true;
      }
    }
    return false;
  }

  #cancelled(jid: string, reason: string): void {
    if (!this.#master.isBrine) return this.#stores.journal.end(jid);
    const load = { cmd: "_jobs", states: [[jid, "cancelled", reason]] };
    this.#sender.push(this.#stores.spool.add(jid, this.#master.address, load));
  }

  /** Sends the return of a job to its master and its returners. */
  async #return(
    job: TakenJob,
    outcome: JobOutcome,
    trace: string | undefined,
    output?: JobOutput,
  ): Promise<void> {
    const { runtime, opts, log, sendToReturners } = this.#options;
    const { jid, load } = job;
    const ret = returnLoad(opts.id, load, packReturn(outcome));
    if (trace !== undefined) ret[TRACE_FIELD] = trace;
    log.info("job ended", { jid, fun: load.fun, retcode: outcome.retcode });
    if (opts.pub_ret) this.#sendReturn(job, ret, output);
    else this.#stores.journal.end(jid);
    try {
      if (opts.cache_jobs) cacheReturn(runtime, opts.cachedir, jid, ret);
    } catch (error) {
      log.error("the copy of a return could not be written (cache_jobs)", { jid, error: messageOf(error) });
    }
    await sendToReturners(load, ret);
  }

  /** Puts a return into the spool before anything else, and sends it after the live output of its job. */
  #sendReturn({ jid, asks }: TakenJob, ret: Load, output?: JobOutput): void {
    const { runtime: { clock } } = this.#options;
    const { spool } = this.#stores;
    const { address } = this.#master;
    const entry = asks ? spool.hold(jid, address, ret) : spool.add(jid, address, ret);
    if (output === undefined) return this.#sender.push(entry);
    void within(clock, OUTPUT_ENDS_MS, undefined, output.end()).then(() => this.#sender.push(entry));
  }

  close(): void {
    this.#closed.abort();
    this.#missed.close();
    this.#sender.close();
  }
}

/** Keeps a copy of a return on the minion (`cache_jobs`), where Salt's tools look for it. */
function cacheReturn({ fs }: Runtime, cacheDir: string, jid: string, ret: Load): void {
  const directory = joinPath(cacheDir, "minion_jobs", jid);
  fs.mkdir(directory, 0o755);
  fs.write(joinPath(directory, "return.p"), encode(ret, "wire"), { mode: 0o600 });
}
