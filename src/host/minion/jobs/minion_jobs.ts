import { joinPath } from "../../../base/paths.ts";
import { truthy } from "../../../language/python/values.ts";
import type { DueJob } from "../../../model/schedule/scheduler.ts";
import { takeOutOfQueue } from "../../../content/state/state_queue.ts";
import { encode } from "../../../protocol/wire/msgpack.ts";
import type { JobMaster } from "./job_master.ts";
import { Journal, type JournaledJob } from "./journal.ts";
import { MasterClusters } from "./master_clusters.ts";
import { type JobStores, MasterJobs, type MasterJobsOptions } from "./master_jobs.ts";
import { droppedReturn, interruptedReturn } from "./return_load.ts";
import { QueuedJobs } from "./queued_jobs.ts";
import { ReturnSender } from "./return_sender.ts";
import { ScheduledJobs, type ScheduledJobsOptions } from "./scheduled_jobs.ts";
import { Spool } from "./spool.ts";

type MinionJobsOptions = MasterJobsOptions;

/**
 * All jobs of a minion, across restarts. Each is written into the journal when it is taken, so that it runs even if the minion
 * stops before its turn, and again before it begins, so that it never runs twice. Its return is kept in the spool until its
 * master has it.
 */
export class MinionJobs {
  readonly #options: MinionJobsOptions;
  readonly #stores: JobStores;
  /** Jobs that masters kept while the minion was away, of all masters. */
  readonly queued = new QueuedJobs();
  readonly #masters = new Map<string, MasterJobs>();
  #first: MasterJobs | undefined;
  /** Jobs that were taken before a restart and had not begun, until their masters are attached. */
  #waiting: JournaledJob[] = [];
  #scheduled: ScheduledJobs | undefined;
  #stopping = false;

  constructor(options: MinionJobsOptions) {
    this.#options = options;
    const { runtime: { fs, clock }, opts } = options;
    const log = options.log.child("jobs");
    const directory = joinPath(opts.cachedir, "jobs");
    const journal = new Journal({ fs, log, directory, remembered: opts.minion_jid_queue_hwm });
    const spool = new Spool({
      fs,
      clock,
      log,
      directory: joinPath(directory, "returns"),
      bytes: opts.return_spool_bytes,
      ageMs: opts.return_spool_seconds * 1000,
      tombstone: droppedReturn,
    });
    const clusters = new MasterClusters({
      fs,
      log,
      path: joinPath(directory, "clusters"),
      unfinished: (address) => this.#masters.get(address)?.unfinished ?? [],
    });
    const isTaken = (jid: string) => [...this.#masters.values()].some((master) => master.isTaken(jid));
    this.#stores = { journal, spool, clusters, waiting: new Map(), isTaken, stopping: () => this.#stopping };
  }

  /** The number of returns that no master has yet, and their bytes. */
  get unsent(): { count: number; bytes: number } {
    const { size, bytes } = this.#stores.spool;
    return { count: size, bytes };
  }

  /** Reads what the run before a restart has left: unsent returns, jobs that had not begun, and jobs that were running. */
  open(): void {
    const { opts, log, runningJobs, runtime: { fs } } = this.#options;
    const { journal, spool, clusters } = this.#stores;
    clusters.open();
    const spooled = spool.open();
    const returned = new Set(spooled.map(({ jid }) => jid));
    for (const job of journal.open()) {
      const { jid, mark, load, master, isCut } = job;
      if (returned.has(jid)) continue;
      // The job's process may still run if it does not check that its minion exists; nothing would take its return.
      if (mark !== "taken") runningJobs.signal(jid, 9);
      const isQueued = takeOutOfQueue(fs, opts.cachedir, jid, load.fun) && isCut !== true;
      if (isLeft(job)) {
        journal.end(jid);
        continue;
      }
      if (mark === "taken" || isQueued && load.schedule === undefined) {
        this.#waiting.push(job);
        continue;
      }
      log.warning("job was interrupted when the minion stopped", { jid, fun: load.fun, mark });
      spool.add(jid, master, interruptedReturn(opts.id, { ...load, jid }, mark));
    }
    if (spool.size > 0) log.info("returns are waiting for their master", { returns: spool.size });
    if (this.#waiting.length > 0) log.info("running jobs that had not started before", { jobs: this.#waiting.length });
  }

  /** Runs a job of the minion's schedule; never rejects. @param masters the addresses of the masters that its return goes to */
  async runScheduled(job: DueJob, masters: readonly string[], fire: ScheduledJobsOptions["fire"]): Promise<void> {
    const { opts } = this.#options;
    this.#scheduled ??= new ScheduledJobs(
      { ...this.#options, fire, scheduleReturner: opts.schedule_returner },
      this.#stores,
    );
    const returnsTo = masters.flatMap((address) => {
      const jobs = this.#masters.get(address);
      return jobs === undefined ? [] : [jobs];
    });
    await this.#scheduled.run(job, returnsTo);
  }

  /** Makes the jobs of one master. @param first true if it also takes returns spooled for masters that are not configured any more */
  attach(master: JobMaster, first: boolean): MasterJobs {
    const jobs = new MasterJobs(this.#options, this.#stores, master, this.#senderTo(master));
    this.#masters.set(master.address, jobs);
    if (first) this.#first = jobs;
    return jobs;
  }

  #senderTo(master: JobMaster): ReturnSender {
    const { runtime: { clock, random }, opts, log } = this.#options;
    const { journal, spool } = this.#stores;
    return new ReturnSender({
      clock,
      log: log.child("jobs"),
      spool,
      random,
      send: (load, timeoutMs) => this.#send(master, load, timeoutMs),
      sendTogether: async (loads, timeoutMs) => {
        const returns = loads.map((load) => encode(load, "wire"));
        const reply = await this.#send(master, { cmd: "_jobs", returns }, timeoutMs);
        const { kept } = reply as { kept?: unknown };
        return loads.map((_, at) => Array.isArray(kept) && kept[at] === true);
      },
      // Signed returns go one by one: masters look for a signature in each return.
      together: () => master.isBrine && !opts.minion_sign_messages,
      leastMs: opts.return_retry_timer * 1000,
      mostMs: Math.max(opts.return_retry_timer, opts.return_retry_timer_max) * 1000,
      tries: opts.return_retry_tries,
      onDone: (jid) => journal.end(jid),
    });
  }

  /** Sends a return to its master, or to another master of the same cluster if that one does not answer. */
  async #send(master: JobMaster, load: Record<string, unknown>, timeoutMs: number): Promise<unknown> {
    try {
      return await master.send(load, { timeoutMs, tries: 1 });
    } catch (error) {
      const other = this.#masters.get(this.#stores.clusters.other(master.address) ?? "")?.master;
      if (other === undefined) throw error;
      return await other.send(load, { timeoutMs, tries: 1 });
    }
  }

  /** Gives jobs and returns of before a restart to the masters, which are all attached now. */
  resume(): void {
    const { journal, spool } = this.#stores;
    for (const job of this.#waiting.splice(0)) {
      const { jid, load: { fun } } = job;
      const master = this.#masters.get(job.master);
      if (master !== undefined) {
        master.resume(job);
        continue;
      }
      this.#options.log.warning("job that had not started is dropped: its master is no longer configured", {
        jid,
        fun,
      });
      journal.end(jid);
    }
    for (const entry of spool.entries()) (this.#masters.get(entry.master) ?? this.#first)?.sendSpooled(entry);
  }

  /** Notes that the minion stops: jobs that end from now on were not ended by an operator. */
  stop(): void {
    this.#stopping = true;
  }

  close(): void {
    for (const master of this.#masters.values()) master.close();
    this.#stores.spool.close();
  }
}

/** True for a scheduled job that can be dropped: it had not begun and its time comes again, or its return goes to no master. */
function isLeft({ mark, load, master }: JournaledJob): boolean {
  if (load.schedule === undefined) return false;
  return mark === "taken" || mark === "too large" || master === "" || !truthy(load.return_job ?? true);
}
