import type { Clock } from "../../base/async/clock.ts";
import type { MasterOpts } from "../../model/config/master_opts.ts";
import { messageOf } from "../../base/errors.ts";
import type { StoredReturn } from "../../model/job/job_cache.ts";
import { outcomeFields } from "../../model/job/outcome.ts";
import type { Logger } from "../../base/log.ts";
import { decode, Packed } from "../../protocol/wire/msgpack.ts";
import type { ForwardedJob, ForwardedJobOwner, ReturnFields, SyndicLoad } from "./forwarded_job.ts";
import type { LocalMaster } from "./local_master.ts";

interface LocalJobsOptions {
  clock: Clock;
  log: Logger;
  opts: MasterOpts;
  local: LocalMaster;
  masters: readonly ForwardedJobOwner[];
}

/** The most jobs that one sweep looks up. */
const MAX_LOOKED_UP = 50;
/** The age at which jobs are given up if the local master keeps its own for ever: a day. */
const DAY_SECONDS = 86_400;

function unpacked(value: unknown): unknown {
  return value instanceof Packed ? decode(value.bytes, { mode: "bin" }) : value;
}

function fieldsOf({ return: value, retcode, success, out }: StoredReturn, { load }: ForwardedJob): ReturnFields {
  return {
    return: unpacked(value),
    retcode: unpacked(retcode),
    success: unpacked(success),
    fun_args: Array.isArray(load.arg) ? load.arg : [],
    ...(out === undefined ? {} : { out }),
  };
}

/** Reads forwarded jobs from the local job cache, in which returns wait that a higher master lacks. */
export class LocalJobs {
  readonly #options: LocalJobsOptions;
  readonly #loads = new Set<string>();

  constructor(options: LocalJobsOptions) {
    this.#options = options;
  }

  /** Returns the returns of a job. @throws if the job cache was not opened or cannot be read */
  async returns(job: ForwardedJob): Promise<Map<string, ReturnFields>> {
    const { jobs } = this.#options.local;
    if (jobs === undefined) throw new Error("The local master has not been reached yet");
    return new Map((await jobs.returns(job.jid)).map((stored) => [stored.minion, fieldsOf(stored, job)]));
  }

  /** Returns the load of a job of the local master at the first call, later undefined. */
  async load({ jid }: ForwardedJob): Promise<SyndicLoad | undefined> {
    const { local: { jobs }, opts } = this.#options;
    if (this.#loads.has(jid)) return undefined;
    const load = await jobs?.load(jid);
    if (load === undefined) return undefined;
    this.#loads.add(jid);
    const [oldest] = this.#loads;
    if (this.#loads.size > opts.syndic_jid_forward_cache_hwm) this.#loads.delete(oldest!);
    return load;
  }

  /** Finds the minions, returns and outcomes of a job whose events were missed. */
  async lookUp(master: ForwardedJobOwner, job: ForwardedJob): Promise<void> {
    const { local, log } = this.#options;
    const { jobs, generation } = local;
    if (jobs === undefined || generation === 0) return;
    const { jid } = job;
    try {
      job.expect(await jobs.minions(jid));
      const returns = await jobs.returns(jid);
      for (const stored of returns) {
        const size = stored.return.bytes.length + 512;
        if (!job.sent.has(stored.minion)) master.returned(job, stored.minion, fieldsOf(stored, job), size);
      }
      const returned = new Set(returns.map(({ minion }) => minion));
      for (const outcome of job.isLocal ? [] : await jobs.outcomes(jid)) {
        const { minion } = outcome;
        if (!returned.has(minion)) job.outcomes.set(minion, { jid, id: minion, ...outcomeFields(outcome) });
      }
      job.isStale = generation !== local.generation;
      master.settle(job);
    } catch (error) {
      log.warning("job cannot be read from the local job cache, trying again", { jid, error: messageOf(error) });
    }
  }

  /**
   * Looks up the open jobs whose events may have been missed, and gives up those that are too old.
   *
   * @param all true if the local master was away, so that events of every job may have been missed
   */
  async recover(all: boolean): Promise<void> {
    const { clock, local, masters, log, opts } = this.#options;
    const keepMs = (opts.keep_jobs_seconds || DAY_SECONDS) * 1000;
    for (const master of masters) {
      let left = all ? Infinity : MAX_LOOKED_UP;
      for (const job of [...master.jobs()]) {
        if (clock.now() - job.atMs > keepMs) {
          log.info("job given up: its minions have not returned (keep_jobs_seconds)", { jid: job.jid });
          master.forget(job);
          continue;
        }
        if (!local.isConnected || left <= 0) continue;
        if (!job.isPublished) await this.#recoverPublication(master, job);
        else if (all || job.isStale || clock.now() - job.atMs > DELAY_MS) {
          left--;
          await this.lookUp(master, job);
        }
      }
      master.uplink.poke();
    }
  }

  /** Continues a job of an earlier process: it is on the local master already, or is published now unless it is too old. */
  async #recoverPublication(master: ForwardedJobOwner, job: ForwardedJob): Promise<void> {
    if (job.isPublishing) return;
    if (await this.#options.local.jobs?.hasLoad(job.jid)) {
      job.isPublished = true;
      await this.lookUp(master, job);
    } else void master.publishAgain(job);
  }
}

/** The age from which a job is looked up, in milliseconds: the events of younger jobs suffice. */
const DELAY_MS = 60_000;
