import type { JobServices } from "../jobs/job_services.ts";
import type { MasterOpts } from "../../../model/config/master_opts.ts";
import { messageOf } from "../../../base/errors.ts";
import { deferred } from "../../../base/async/deferred.ts";
import { deepCopy } from "../../../language/python/copy.ts";
import { isMap, str, truthy } from "../../../language/python/values.ts";
import { type DueJob, Scheduler } from "../../../model/schedule/scheduler.ts";
import type { ScheduleEntry } from "../../../model/schedule/entry.ts";
import { Schedule } from "../../../model/schedule/schedule.ts";
import { scheduleMetadata, scheduleReturners } from "../../../model/schedule/job.ts";
import { startRunner } from "../jobs/start_runner.ts";
import { isRecord, type Load } from "../load.ts";
import type { MasterServices } from "../services.ts";

type Services = JobServices & Pick<MasterServices, "runners" | "sendToReturners">;

/** Code of a runner that failed, in the event of its return. */
const FAILED = 254;

/**
 * The schedule of the master: runners that run by time, each in a process of its own and on record as any other. How each ends is
 * fired as `__schedule_return`. A change of the configuration holds from {@link MasterSchedule.reload} on.
 *
 * @see salt/master.py Maintenance.handle_schedule
 */
export class MasterSchedule {
  readonly #services: Services;
  readonly #id: string;
  readonly #scheduler: Scheduler;
  /** Runs that have not ended, by the names of their entries. */
  readonly #running = new Map<string, number>();
  readonly #schedule: Schedule;
  #returner: unknown;
  /** Resolves once there is a job. */
  readonly #wanted = deferred<void>();

  /** @param id the master's own */
  constructor(services: Services, id: string) {
    const { opts, runtime: { clock, random } } = services;
    const log = services.log.child("schedule");
    this.#services = services;
    this.#id = id;
    const schedule = new Schedule(log);
    schedule.merge(opts.schedule);
    this.#schedule = schedule;
    this.#returner = opts.schedule_returner;
    this.#scheduler = new Scheduler({
      clock,
      log,
      random,
      schedule,
      running: (name) => this.#running.get(name) ?? 0,
      run: (job) => void this.#run(job),
    });
  }

  /** Runs what is due until the signal aborts. */
  async keep(signal: AbortSignal): Promise<void> {
    if (this.#schedule.jobs().length === 0) {
      const stop = () => this.#wanted.resolve();
      signal.addEventListener("abort", stop);
      await this.#wanted.promise;
      signal.removeEventListener("abort", stop);
      if (signal.aborted) return;
    }
    const { log, runners } = this.#services;
    if (runners === undefined) return log.error("the schedule does not run: this master was started without runners");
    this.#warnOfReturners();
    await this.#scheduler.keep(signal);
  }

  /** Applies a reloaded schedule: unchanged jobs continue, changed ones restart. */
  reload(opts: MasterOpts): void {
    this.#returner = opts.schedule_returner;
    this.#schedule.replace(opts.schedule, "opts");
    if (this.#schedule.jobs().length > 0) this.#wanted.resolve();
    this.#warnOfReturners();
    this.#scheduler.wake();
  }

  #warnOfReturners(): void {
    const { log, sendToReturners } = this.#services;
    const jobs = this.#schedule.jobs().filter(({ entry }) => this.#returnersOf(entry).length > 0).map(({ key }) => key);
    if (jobs.length > 0 && sendToReturners === undefined) {
      log.warning("returners of scheduled runners are not called: this master was started without returners", { jobs });
    }
  }

  #returnersOf({ returner }: ScheduleEntry): string[] {
    return scheduleReturners(
      returner,
      this.#returner,
      (name) =>
        this.#services.log.warning("scheduled runner uses an unknown returner: write several returners as a list", {
          returner: name,
        }),
    );
  }

  async #run(job: DueJob): Promise<void> {
    const { name } = job;
    // In a cluster, only the master on duty runs scheduled jobs.
    if (this.#services.cluster?.onDuty === false) return;
    this.#running.set(name, (this.#running.get(name) ?? 0) + 1);
    try {
      await this.#start(job);
    } catch (error) {
      this.#services.log.error("scheduled runner failed", { job: name, error: messageOf(error) });
    } finally {
      this.#running.set(name, this.#running.get(name)! - 1);
    }
  }

  async #start({ name, fun, entry }: DueJob): Promise<void> {
    const { runners, opts, bus, sendToReturners, runtime: { clock } } = this.#services;
    const arg = entry.args === undefined || entry.args === null ? [] : [deepCopy(entry.args)].flat(1);
    const kwarg = isRecord(entry.kwargs) ? deepCopy(entry.kwargs) : {};
    const called = typeof fun === "string" ? fun : str(fun ?? null);
    const { jid, returned } = await startRunner(this.#services, runners!, called, { arg, kwarg }, opts.user);
    const ended = await returned;
    const returners = this.#returnersOf(entry);
    const { return_config, return_kwargs, metadata, return_job } = entry;
    const ret = {
      id: this.#id,
      fun: called,
      fun_args: isRecord(entry.kwargs) ? [...arg, kwarg] : arg,
      schedule: name,
      jid,
      ...(isMap(metadata) ? { metadata: scheduleMetadata(metadata, clock) } : {}),
      ...outcomeOf(ended),
      ...(returners.length > 0 && return_config !== undefined ? { ret_config: return_config } : {}),
      ...(returners.length > 0 && return_kwargs !== undefined ? { ret_kwargs: return_kwargs } : {}),
    };
    if (returners.length > 0) {
      await sendToReturners?.({
        names: returners,
        ...(typeof return_config === "string" ? { retConfig: return_config } : {}),
        ...(isRecord(return_kwargs) ? { retKwargs: return_kwargs } : {}),
      }, { cmd: "_return", ...ret });
    }
    if (!truthy(return_job ?? true)) return;
    const shown = return_job === "nocache" && returners.length === 0 ? { jid: "nocache" } : {};
    bus.fire("__schedule_return", { cmd: "_return", ...ret, ...shown });
  }
}

/** As Salt has it: a scheduled runner succeeds unless it throws, whatever its return says of success. */
function outcomeOf({ return: value, success, fun_args }: Load): Load {
  const hasThrown = !truthy(success ?? false) && (typeof value === "string" || value === undefined);
  if (!hasThrown) return { return: value ?? null, success: true, retcode: 0 };
  // The event of an unknown runner has a traceback but no arguments, as in Salt.
  const missing = fun_args === undefined
    ? /CommandExecutionError: ('.*' is not available\..*?)\s*$/s.exec(String(value))
    : null;
  return { return: missing?.[1] ?? value ?? null, success: false, retcode: FAILED };
}
