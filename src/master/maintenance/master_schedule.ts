import { messageOf } from "../../errors.ts";
import { deepCopy } from "../../python/copy.ts";
import { isMap } from "../../python/containers.ts";
import { str } from "../../python/repr.ts";
import { truthy } from "../../python/truth.ts";
import { type DueJob, type Entry, Schedule, Scheduler } from "../../schedule/mod.ts";
import { startRunner } from "../jobs/start_runner.ts";
import { isRecord, type MasterServices } from "../services.ts";

/** Code of a runner that failed, in the event of its return. */
const FAILED = 254;

/**
 * The schedule of the master: runners that run by time, each in a process of its own and on record as any other. How each ends is
 * fired as `__schedule_return`.
 *
 * @see salt/master.py Maintenance.handle_schedule
 */
export class MasterSchedule {
  readonly #services: MasterServices;
  readonly #id: string;
  readonly #scheduler: Scheduler;
  /** Runs that have not ended, by the names of their entries. */
  readonly #running = new Map<string, number>();

  /** @param id the master's own */
  constructor(services: MasterServices, id: string) {
    const { opts, runtime: { clock, random } } = services;
    const log = services.log.child("schedule");
    this.#services = services;
    this.#id = id;
    const schedule = new Schedule(log);
    schedule.merge(opts.schedule);
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
    const jobs = this.#scheduler.schedule.jobs();
    if (jobs.length === 0) return;
    const { log, runners, sendToReturners } = this.#services;
    if (runners === undefined) return log.error("the schedule is not run: this master was started without runners");
    const returning = jobs.filter(({ entry }) => returnersOf(entry).length > 0).map(({ key }) => key);
    if (returning.length > 0 && sendToReturners === undefined) {
      log.warning("returners of scheduled runners are not called: this master was started without returners", {
        jobs: returning,
      });
    }
    await this.#scheduler.keep(signal);
  }

  async #run(job: DueJob): Promise<void> {
    const { name } = job;
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
    const { runners, opts, bus, sendToReturners } = this.#services;
    const arg = entry.args === undefined || entry.args === null ? [] : [deepCopy(entry.args)].flat(1);
    const kwarg = isRecord(entry.kwargs) ? deepCopy(entry.kwargs) : {};
    const called = typeof fun === "string" ? fun : str(fun ?? null);
    const { jid, returned } = await startRunner(this.#services, runners!, called, { arg, kwarg }, opts.user);
    const { return: value, success } = await returned;
    const ret = {
      cmd: "_return",
      id: this.#id,
      fun: called,
      fun_args: Object.keys(kwarg).length === 0 ? arg : [...arg, kwarg],
      schedule: name,
      jid,
      ...(isMap(entry.metadata) ? { metadata: entry.metadata } : {}),
      return: value,
      success: truthy(success ?? false),
      retcode: truthy(success ?? false) ? 0 : FAILED,
    };
    const { return_config, return_kwargs } = entry;
    const names = returnersOf(entry);
    if (names.length > 0) {
      await sendToReturners?.({
        names,
        ...(typeof return_config === "string" ? { retConfig: return_config } : {}),
        ...(isRecord(return_kwargs) ? { retKwargs: return_kwargs } : {}),
      }, ret);
    }
    if (truthy(entry.return_job ?? true)) bus.fire("__schedule_return", ret);
  }
}

/** The returners that an entry names, by one name or a list. */
function returnersOf({ returner }: Entry): string[] {
  return [...new Set([returner ?? []].flat().filter((one) => typeof one === "string" && one !== ""))] as string[];
}
