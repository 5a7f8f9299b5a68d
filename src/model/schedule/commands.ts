/** Handles the event `manage_schedule`: `schedule.*` on a minion fires the event and waits for the answering event. */
import { entriesOf, isMap, lookup, str, truthy } from "../../language/python/values.ts";
import type { Logger } from "../../base/log.ts";
import type { Scheduler } from "./scheduler.ts";
import { DATE_FORMAT } from "./times.ts";

interface ScheduleCommandsOptions {
  scheduler: Scheduler;
  log: Logger;
  /** Fires an event on the bus that the command came from. */
  fire(tag: string, data: Record<string, unknown>): void;
  /** Writes the schedule to the file for the next start. Never throws. */
  save(): void;
}

type Data = Record<string, unknown>;
type Command = (data: Data) => void;

/** Additional moments at which an entry runs or is skipped, at most; the oldest are dropped first. */
const MAX_EXPLICIT = 100;

const PREFIX = "/salt/minion/minion_schedule_";

/**
 * Serves the commands of `manage_schedule`.
 *
 * @returns a function that carries out the command in an event's data
 * @see salt/minion.py Minion.manage_schedule, salt/utils/schedule.py Schedule
 */
export function scheduleCommands(options: ScheduleCommandsOptions): (data: Data) => void {
  const commands = commandTable(options);
  return (data) => {
    const func = data.func;
    if (typeof func === "string" && Object.hasOwn(commands, func)) {
      commands[func]!(data);
      options.scheduler.wake();
    } else options.log.error(`Function "${str(func)}" is unavailable in salt.utils.scheduler`);
  };
}

function commandTable(options: ScheduleCommandsOptions): Record<string, Command> {
  const { scheduler, save, fire } = options;
  const { schedule, local } = scheduler;
  const answer = (what: string, data: Data = { schedule: schedule.shown(local) }) =>
    fire(`${PREFIX}${what}`, { complete: true, ...data });
  const edit = new Edits(options);
  /** Answers the command; writes the file if the command has `persist`. */
  const changed = (what: string, { persist }: Data) => {
    answer(what);
    if (truthy(persist ?? false)) save();
  };
  return {
    add: (data) => {
      edit.add(data.schedule);
      changed("add_complete", data);
    },
    delete: (data) => {
      edit.delete(str(data.name));
      changed("delete_complete", data);
    },
    modify: (data) => {
      edit.modify(str(data.name), data.schedule, () => answer("delete_complete"));
      if (truthy(data.persist ?? false)) save();
    },
    enable: (data) => {
      schedule.set("enabled", true);
      changed("enabled_complete", data);
    },
    disable: (data) => {
      schedule.set("enabled", false);
      changed("disabled_complete", data);
    },
    enable_job: (data) => {
      edit.field(str(data.name), "enabled", true);
      changed("enabled_job_complete", data);
    },
    disable_job: (data) => {
      edit.field(str(data.name), "enabled", false);
      changed("disabled_job_complete", data);
    },
    run_job: ({ name }) => edit.run(str(name)),
    postpone_job: ({ name, time, new_time, time_fmt }) => {
      edit.moment(str(name), "skip_explicit", time, time_fmt);
      edit.moment(str(name), "run_explicit", new_time, time_fmt);
      answer("postpone_job_complete");
    },
    skip_job: ({ name, time, time_fmt }) => {
      edit.moment(str(name), "skip_explicit", time, time_fmt);
      answer("skip_job_complete");
    },
    reload: ({ schedule: saved }) => schedule.merge(isMap(saved) ? lookup(saved, "schedule") ?? saved : saved),
    list: ({ where }) =>
      answer("list_complete", {
        schedule: schedule.shown(local, where === "pillar" || where === "opts" ? where : undefined),
      }),
    save_schedule: () => {
      save();
      answer("saved", {});
    },
    get_next_fire_time: ({ name }) => answer("next_fire_time_complete", { next_fire_time: edit.nextFire(str(name)) }),
    job_status: ({ name, fire_event }) => {
      if (!truthy(fire_event ?? false)) return;
      answer("job_status_complete", { data: schedule.shown(local)[str(name)] ?? {} });
    },
  };
}

/** Changes single jobs: those of the configuration can be changed, those of the pillar cannot. */
class Edits {
  readonly #scheduler: Scheduler;
  readonly #log: Logger;

  constructor({ scheduler, log }: ScheduleCommandsOptions) {
    this.#scheduler = scheduler;
    this.#log = log;
  }

  /** True for a job of the configuration, and for a new job; logs a warning for a job of the pillar. */
  #isOwn(verb: string, key: string): boolean {
    const { schedule } = this.#scheduler;
    if (schedule.find(key, "opts") !== undefined) return true;
    if (schedule.find(key, "pillar") !== undefined) {
      this.#log.warning(`Cannot ${verb} job ${key}, it's in the pillar!`);
      return false;
    }
    return verb === "update";
  }

  /** @param added a map with one entry, name → job */
  add(added: unknown): void {
    const entries = isMap(added) ? entriesOf(added) : [];
    if (entries.length !== 1) {
      this.#log.error("You can only schedule one new job at a time.");
      return;
    }
    const [[name, entry]] = entries as [[unknown, unknown]];
    const key = str(name);
    const { schedule } = this.#scheduler;
    if (schedule.find(key, "pillar") !== undefined) {
      this.#log.warning(`Cannot update job ${key}, it's in the pillar!`);
      return;
    }
    const enabled = isMap(entry) && lookup(entry, "enabled") === undefined ? { enabled: true } : {};
    schedule.set(key, isMap(entry) ? { ...Object.fromEntries(entriesOf(entry)), ...enabled } : entry);
  }

  delete(key: string): void {
    const { schedule } = this.#scheduler;
    if (schedule.delete(key) || schedule.find(key, "pillar") === undefined) return;
    this.#log.warning(`Cannot delete job ${key}, it's in the pillar!`);
  }

  /** @param told as in Salt, an existing job is removed first, and this call reports the removal */
  modify(key: string, entry: unknown, told: () => void): void {
    const { schedule } = this.#scheduler;
    if (!this.#isOwn("update", key)) return;
    if (schedule.delete(key)) told();
    schedule.set(key, entry);
  }

  field(key: string, field: string, value: unknown): void {
    if (!this.#isOwn("modify", key)) return;
    this.#scheduler.schedule.find(key, "opts")!.entry[field] = value;
  }

  moment(key: string, field: "skip_explicit" | "run_explicit", time: unknown, format: unknown): void {
    if (!this.#isOwn("modify", key)) return;
    const { entry } = this.#scheduler.schedule.find(key, "opts")!;
    const before = Array.isArray(entry[field]) ? entry[field] : [];
    const added = { time, time_fmt: truthy(format ?? "") ? format : DATE_FORMAT };
    entry[field] = [...before, added].slice(-MAX_EXPLICIT);
  }

  run(key: string): void {
    if (!this.#scheduler.runNow(key)) {
      this.#log.warning("scheduled job not run: it does not exist, or is still running", { job: key });
    }
  }

  /** The next run of a job, as text; null if it is unknown. */
  nextFire(key: string): string | null {
    const { schedule, local } = this.#scheduler;
    const at = (schedule.find(key, "opts") ?? schedule.find(key, "pillar"))?.nextMs;
    if (at === undefined) return null;
    return new Date(local.wallOf(at)).toISOString().slice(0, 19);
  }
}
