import { messageOf } from "../../../base/errors.ts";
import { JidGenerator } from "../../../model/job/jid.ts";
import { ipcHash } from "../../../protocol/crypto/hex.ts";
import { deepCopy } from "../../../language/python/copy.ts";
import { entriesOf, isMap, str, truthy } from "../../../language/python/values.ts";
import type { DueJob } from "../../../model/schedule/scheduler.ts";
import { scheduleMetadata, scheduleReturners } from "../../../model/schedule/job.ts";
import { type JobOutcome, packReturn } from "../processes/execute_job.ts";
import type { JobStores, MasterJobsOptions } from "./master_jobs.ts";
import { returnLoad } from "./return_load.ts";
import type { SpoolEntry } from "./spool.ts";

type Load = Record<string, unknown>;

interface ReturnsTo {
  address: string;
  /** False for a Salt master, which makes the jid of a return itself. */
  readonly isBrine: boolean;
  sendSpooled(entry: SpoolEntry): void;
}

export interface ScheduledJobsOptions extends MasterJobsOptions {
  /** `schedule_returner`: the returners that all returns of scheduled jobs go to as well. */
  scheduleReturner?: unknown;
  /** Fires an event on the minion's bus. */
  fire(tag: string, data: Load): void;
}

/** The return code of a scheduled job whose function failed. */
const FAILED = 254;

/**
 * Runs the jobs of the minion's schedule as it runs those of its masters: in the journal before they begin, in a process each, their
 * returns in the spool until a master has them. A run that a restart has cut off is reported, and not run again.
 *
 * @see salt/utils/schedule.py Schedule.handle_func
 */
export class ScheduledJobs {
  readonly #options: ScheduledJobsOptions;
  readonly #stores: JobStores;
  readonly #jids: JidGenerator;
  /** Ends the jids of this minion: many begin a job at the same moment, and masters publish others then. */
  readonly #suffix: string;

  constructor(options: ScheduledJobsOptions, stores: JobStores) {
    this.#options = options;
    this.#stores = stores;
    this.#jids = new JidGenerator(options.runtime.clock);
    this.#suffix = ipcHash(options.runtime.crypto, options.opts.id, "sha256");
  }

  /** Runs a job now; never rejects. @param masters the masters that its return goes to; empty without a master */
  async run(job: DueJob, masters: readonly ReturnsTo[]): Promise<void> {
    const { log } = this.#options;
    if (this.#stores.stopping()) return;
    try {
      // A returner name that cannot be used counts, too, as in Salt.
      const namesReturner = truthy(job.entry.returner) || truthy(this.#options.scheduleReturner);
      await this.#run(this.#loadOf(job), masters, namesReturner);
    } catch (error) {
      log.error("scheduled job failed", { job: job.name, error: messageOf(error) });
    }
  }

  #loadOf({ name, fun, entry }: DueJob): Load {
    const { opts, log } = this.#options;
    const { args, kwargs, metadata, return_config, return_kwargs, return_job } = entry;
    const arg = args === undefined || args === null ? [] : [deepCopy(args)].flat(1);
    if (isMap(kwargs)) arg.push({ ...Object.fromEntries(entriesOf(deepCopy(kwargs))), __kwarg__: true });
    const load: Load = {
      // An entry without a function fails like an entry with an unknown function.
      fun: typeof fun === "string" ? fun : str(fun ?? null),
      arg,
      jid: `${this.#jids.next()}_${this.#suffix}`,
      tgt: opts.id,
      tgt_type: "glob",
      ret: scheduleReturners(
        entry.returner,
        this.#options.scheduleReturner,
        (returner) =>
          log.warning("scheduled job uses an unknown returner: write several returners as a list", {
            job: name,
            returner,
          }),
      ).join(","),
      schedule: name,
    };
    if (isMap(metadata)) load.metadata = scheduleMetadata(metadata, this.#options.runtime.clock);
    else if (metadata !== undefined) {
      log.warning("schedule: The metadata parameter must be specified as a dictionary.  Ignoring.", { job: name });
    }
    if (return_config !== undefined) load.ret_config = return_config;
    if (return_kwargs !== undefined) load.ret_kwargs = return_kwargs;
    if (return_job !== undefined) load.return_job = return_job;
    return load;
  }

  async #run(load: Load, masters: readonly ReturnsTo[], namesReturner: boolean): Promise<void> {
    const { runtime: { clock, later }, runningJobs, execution, log } = this.#options;
    const { journal, stopping } = this.#stores;
    const jid = load.jid as string;
    const master = masters[0]?.address;
    journal.take(jid, load, master ?? "", clock.now());
    const running = runningJobs.begin(jid, load);
    let pid: number | undefined;
    let begun = false;
    try {
      const outcome = await execution.run({
        load,
        ...(master === undefined ? {} : { master }),
        signal: running.signal,
        ownProcess: (one) => {
          pid ??= one;
          running.ownProcess(one);
        },
        output: undefined,
        begin: async () => {
          if (stopping()) throw new Error("The minion is stopping");
          journal.mark(jid, "starting");
          await journal.synced();
          begun = true;
          later(() => journal.mark(jid, "started"));
        },
      });
      if (begun || !stopping()) await this.#return(load, outcome, pid, masters, namesReturner);
    } catch (error) {
      if (!running.signal.aborted) throw error;
      log.warning("job was killed", { jid, fun: load.fun, schedule: load.schedule });
      // If the job was killed because the minion stops, the next start reports it.
      if (!stopping()) journal.end(jid);
    } finally {
      running.end();
    }
  }

  async #return(
    load: Load,
    outcome: JobOutcome,
    pid: number | undefined,
    masters: readonly ReturnsTo[],
    namesReturner: boolean,
  ): Promise<void> {
    const { runtime, opts, fire, sendToReturners, log } = this.#options;
    const { journal, spool } = this.#stores;
    const jid = load.jid as string;
    const ret = returnLoad(opts.id, load, packReturn(scheduledOutcome(outcome)));
    ret.pid = pid ?? runtime.process.pid;
    log.info("scheduled job ended", { jid, fun: load.fun, schedule: load.schedule, retcode: ret.retcode });
    const isWanted = truthy(load.return_job ?? true);
    if (isWanted) fire("__schedule_return", ret);
    if (!isWanted || !opts.pub_ret || masters.length === 0) journal.end(jid);
    for (const master of isWanted && opts.pub_ret ? masters : []) {
      const isPlain = !namesReturner && ret.jid === jid;
      master.sendSpooled(spool.add(jid, master.address, isPlain ? plainReturn(ret, master) : ret));
    }
    await sendToReturners(load, ret);
  }
}

/**
 * Returns the load of a return that goes to the master. A Salt master makes the jid, and adds the job's target. A Brine master gets both
 * from the minion: with a jid of the minion's, a return that comes twice is recognised.
 *
 * @see salt/utils/job.py store_job
 */
function plainReturn(ret: Load, { isBrine }: ReturnsTo): Load {
  return isBrine ? { ...ret, arg: ret.fun_args ?? [], tgt: ret.id, tgt_type: "glob" } : { ...ret, jid: "req" };
}

/** As in Salt, a scheduled job fails only if its function throws, with a special code. */
function scheduledOutcome(outcome: JobOutcome): JobOutcome {
  const { out, retcode, success } = outcome;
  if (outcome.ended === undefined && out === "nested" && retcode === 1 && success === false) {
    return { return: outcome.return, retcode: FAILED, success: false };
  }
  return { ...outcome, success: outcome.ended === undefined };
}
