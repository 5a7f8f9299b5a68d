/** What the job cache keeps of one runner. */
import type { MasterOpts } from "../../model/config/master_opts.ts";
import { messageOf } from "../../base/errors.ts";
import type { JobCache } from "../../model/job/job_cache.ts";
import { type MasterJobEnd, saveMasterJob } from "../../model/job/master_job.ts";
import type { Logger } from "../../base/log.ts";
import { masterId } from "../master/master_id.ts";
import type { Runtime } from "../../runtime/runtime.ts";

interface RunnerRecordOptions {
  runtime: Runtime;
  log: Logger;
  opts: MasterOpts;
  jobs: JobCache;
  jid: string;
  /** True if the jid is reserved already. */
  reserved: boolean;
}

/** Keeps one runner, as far as the configuration asks for that. A job cache that cannot be written stops no runner. */
export class RunnerRecord {
  readonly #options: RunnerRecordOptions;
  #keeps: boolean;
  #startedMs = 0;

  constructor(options: RunnerRecordOptions) {
    this.#options = options;
    const { runner_returns, job_cache, ext_job_cache } = options.opts;
    this.#keeps = runner_returns && job_cache && ext_job_cache === "";
  }

  /** Reserves the jid against publications. A jid of another job is left alone. */
  async begin(): Promise<void> {
    const { runtime, log, jobs, jid, reserved } = this.#options;
    this.#startedMs = runtime.clock.now();
    if (!this.#keeps || reserved) return;
    await this.#trying(async () => {
      if (await jobs.reserve(jid)) return;
      this.#keeps = false;
      log.warning("runner not recorded: another job has its jid", { jid });
    });
  }

  /** To be called before the return event is fired: a listener may look the job up at once. */
  async end(fun: string, user: string, args: readonly unknown[], end: MasterJobEnd): Promise<void> {
    if (!this.#keeps) return;
    const { runtime, opts, jobs, jid } = this.#options;
    const master = masterId(opts, runtime.host.hostname());
    const job = { jid, fun, user, args, startedMs: this.#startedMs };
    await this.#trying(() =>
      saveMasterJob({ jobs, master, maxBytes: opts.max_return_size }, job, end, runtime.clock.now())
    );
  }

  async #trying(save: () => Promise<void>): Promise<void> {
    const { log, jobs, jid } = this.#options;
    try {
      await save();
      await jobs.flush();
    } catch (error) {
      this.#keeps = false;
      log.error("runner not recorded: the job cache cannot be written", {
        jid,
        place: jobs.place,
        error: messageOf(error),
      });
      try {
        // What was begun is given up, so that the jobs can be read through this same object.
        await jobs.flush();
      } catch {
        // The job cache has logged the error.
      }
    }
  }
}
