import type { MinionOpts } from "../../../model/config/minion_opts.ts";
import { savedSchedulePath } from "../../../model/config/glob_paths.ts";
import type { EventBus } from "../../../model/event/bus.ts";
import type { Logger } from "../../../base/log.ts";
import type { Runtime } from "../../../runtime/runtime.ts";
import { type DueJob, Scheduler } from "../../../model/schedule/scheduler.ts";
import { Schedule } from "../../../model/schedule/schedule.ts";
import { scheduleCommands } from "../../../model/schedule/commands.ts";
import type { MinionGrains } from "../grains.ts";
import type { MinionJobs } from "../jobs/minion_jobs.ts";
import type { RunningJobs } from "../jobs/running_jobs.ts";
import type { LocalCommands } from "../local_commands.ts";
import type { Masters } from "../masters.ts";
import type { PillarRefresh } from "../pillar_refresh.ts";
import { dirName } from "../../../base/paths.ts";
import { messageOf } from "../../../base/errors.ts";
import type { FileSystem } from "../../../runtime/fs.ts";
import type { ScheduleEntry } from "../../../model/schedule/entry.ts";
import { dump } from "../../../language/yaml/dump.ts";

/** Writes a schedule as Salt does; a failure is logged. */
function saveSchedule(fs: FileSystem, log: Logger, path: string | undefined, schedule: ScheduleEntry): void {
  if (path === undefined) {
    log.debug("the schedule is not saved: the minion has no configuration files");
    return;
  }
  try {
    fs.mkdir(dirName(path), 0o755);
    fs.write(path, dump({ schedule }, { flow: "leaves" }), { mode: 0o644 });
  } catch (error) {
    log.error("Failed to persist the updated schedule", { path, error: messageOf(error) });
  }
}

export interface MinionScheduleOptions {
  runtime: Runtime;
  opts: MinionOpts;
  log: Logger;
  bus: EventBus;
  grains: MinionGrains;
  pillar: PillarRefresh;
  masters: Masters;
  /** False for a minion that runs without a master. */
  hasMaster: boolean;
  jobs: MinionJobs;
  runningJobs: RunningJobs;
  /** Sends the mine's functions to the masters. */
  updateMine(): Promise<void>;
}

/** The job that updates the mine, by Salt's name. */
const MINE_JOB = "__mine_interval";
/** The job that looks whether a master is connected; its address follows. */
const ALIVE_JOB = "__master_alive_";
const GRAINS_JOB = "__update_grains";

/** The schedule of a minion: built-in jobs, jobs of the configuration and the pillar, and jobs that `schedule.*` adds. */
export class MinionSchedule {
  readonly #options: MinionScheduleOptions;
  readonly #scheduler: Scheduler;
  /** Updates of the mine that have not ended. */
  #updates = 0;
  #isStarted = false;

  constructor(options: MinionScheduleOptions) {
    this.#options = options;
    const { runtime: { clock, random }, opts, log, grains, pillar, runningJobs } = options;
    this.#scheduler = new Scheduler({
      clock,
      log,
      random,
      schedule: new Schedule(log),
      loopInterval: opts.loop_interval,
      pillar: () => pillar.current.schedule,
      whens: () => ({ pillar: pillar.current.whens, grains: grains.current.whens }),
      running: (name) => name === MINE_JOB ? this.#updates : runningJobs.scheduled(name),
      run: (job) => void this.#run(job),
    });
    this.#scheduler.schedule.merge(opts.schedule);
    // Jobs that were saved before this start are saved again.
    for (const { key } of this.#scheduler.schedule.jobs()) {
      if (key.startsWith(ALIVE_JOB)) this.#scheduler.schedule.delete(key);
    }
    this.#addOwn();
  }

  /** The jobs that every minion has. As in Salt, they are part of the schedule, and `schedule.list` hides them. */
  #addOwn(): void {
    const { opts, hasMaster } = this.#options;
    const { schedule } = this.#scheduler;
    if (opts.mine_enabled && hasMaster) {
      schedule.set(MINE_JOB, {
        function: "mine.update",
        minutes: Math.max(1, opts.mine_interval),
        jid_include: true,
        maxrunning: 2,
        run_on_start: true,
        return_job: opts.mine_return_job,
        enabled: true,
      });
    } else schedule.delete(MINE_JOB);
    const minutes = Math.abs(opts.grains_refresh_every);
    if (minutes > 0 && schedule.find(GRAINS_JOB, "opts") === undefined) {
      schedule.set(GRAINS_JOB, { function: "event.fire", args: [{}, "grains_refresh"], minutes });
    }
  }

  /**
   * The job by which Salt's minion looks whether its master is there. Ours is shown to who lists the schedule; the connection is watched by
   * itself (`failover.ts`).
   */
  #addAlive(master: unknown, isConnected: boolean): void {
    const { opts: { master_alive_interval: seconds, master_type, transport } } = this.#options;
    const { schedule } = this.#scheduler;
    const name = `${ALIVE_JOB}${String(master)}`;
    for (const { key } of schedule.jobs()) {
      if (key.startsWith(ALIVE_JOB) && (key === name || master_type === "failover")) schedule.delete(key);
    }
    if (!isConnected || !(seconds > 0) || transport === "tcp") return;
    schedule.set(name, {
      function: "status.master",
      seconds,
      jid_include: true,
      maxrunning: 1,
      return_job: false,
      kwargs: { master, connected: true },
      enabled: true,
    });
    this.#scheduler.wake();
  }

  /** Begins to run what is due, until the signal aborts; once is enough. */
  start(signal: AbortSignal): void {
    if (this.#isStarted) return;
    this.#isStarted = true;
    void this.#scheduler.keep(signal);
  }

  async #run(job: DueJob): Promise<void> {
    const { masters, jobs, bus, opts, updateMine } = this.#options;
    if (job.name === MINE_JOB && !opts.mine_return_job) {
      this.#updates++;
      await updateMine().finally(() => this.#updates--);
      return;
    }
    if (job.name.startsWith(ALIVE_JOB)) return;
    // Refresh the grains with the event that the job would fire; no master waits for the return of this job.
    if (job.name === GRAINS_JOB) return bus.fire("grains_refresh", {});
    const serving = masters.all.filter((one) => masters.isServing(one));
    const to = (serving.length > 0 ? serving : masters.all.slice(0, 1)).map(({ address }) => address);
    await jobs.runScheduled(job, to, (tag, data) => bus.fire(tag, data));
  }

  /** Handles the requests to the schedule that come as events on the minion's bus. */
  commands(): LocalCommands {
    const { log, bus, opts, runtime: { fs } } = this.#options;
    const scheduler = this.#scheduler;
    const command = scheduleCommands({
      scheduler,
      log,
      fire: (tag, data) => bus.fire(tag, data),
      save: () => saveSchedule(fs, log, savedSchedulePath(opts), scheduler.schedule.saved()),
    });
    return {
      manage_schedule: command,
      __master_connected: ({ master }) => this.#addAlive(master, true),
      __master_disconnected: ({ master }) => this.#addAlive(master, false),
      // Jobs of the pillar and names of times may have changed.
      pillar_refresh: () => scheduler.wake(),
      grains_refresh: () => scheduler.wake(),
    };
  }
}
