import { deepCopy } from "../../language/python/copy.ts";
import { entriesOf, equal, isMap, str, truthy, typeName } from "../../language/python/values.ts";
import type { Logger } from "../../base/log.ts";
import { encode } from "../../protocol/wire/msgpack.ts";
import { type ScheduleEntry, SETTINGS } from "./entry.ts";
import { ScheduledJob, type ScheduleSettings } from "./job.ts";
import type { LocalTime } from "./local_time.ts";

/** Maximum of jobs in one schedule, of characters in a name, and of bytes of all entries: a job beyond these is refused. */
const MAX_JOBS = 1000;
const MAX_NAME_CHARACTERS = 256;
const MAX_BYTES = 2 ** 22;

/** True for fields that Salt neither shows nor writes. */
const isHidden = (field: string) => field.startsWith("_");

/** A copy with plain maps, which have no order of their own, like maps from the wire. */
function plainCopy(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plainCopy);
  if (!isMap(value)) return deepCopy(value);
  const entries = entriesOf(value).map(([key, item]) => [key, plainCopy(item)] as const);
  return entries.every(([key]) => typeof key === "string")
    ? Object.fromEntries(entries as [string, unknown][])
    : new Map(entries);
}

/** A copy of an entry without hidden fields. */
function entryOf(value: unknown): ScheduleEntry | undefined {
  if (!isMap(value)) return undefined;
  const copy = entriesOf(value).map(([field, item]) => [str(field), plainCopy(item)] as const);
  return Object.fromEntries(copy.filter(([field]) => !isHidden(field)));
}

const isSetting = (key: string) => (SETTINGS as readonly string[]).includes(key);

/** Source of a part of the schedule: `opts` for the configuration and `schedule.add`, `pillar` for the pillar. */
type Source = "opts" | "pillar";

interface Part {
  jobs: Map<string, ScheduledJob>;
  settings: Map<string, unknown>;
  bytes: number;
}

/** The jobs of a minion or a master. A job of the configuration overrides a job of the pillar with the same name. */
export class Schedule {
  readonly #log: Logger;
  readonly #parts: Record<Source, Part> = {
    pillar: { jobs: new Map(), settings: new Map(), bytes: 0 },
    opts: { jobs: new Map(), settings: new Map(), bytes: 0 },
  };
  #pillar: unknown;

  constructor(log: Logger) {
    this.#log = log;
  }

  /** Adds the jobs of a configuration or of `schedule.reload`; they replace jobs of the same name. */
  merge(schedule: unknown, source: Source = "opts"): void {
    if (schedule === undefined || schedule === null) return;
    if (!isMap(schedule)) {
      this.#log.error("Schedule must be of type dict.", { source, found: typeName(schedule) });
      return;
    }
    for (const [key, value] of entriesOf(schedule)) this.set(str(key), value, source);
  }

  /** Uses the schedule in the pillar, unless it is the same object as before. */
  takePillar(schedule: unknown): void {
    if (schedule === this.#pillar) return;
    this.#pillar = schedule;
    this.replace(schedule, "pillar");
  }

  /** Replaces the part from one source: unchanged jobs continue, other jobs start fresh. */
  replace(schedule: unknown, source: Source): void {
    const before = this.#parts[source].jobs;
    const part: Part = { jobs: new Map(), settings: new Map(), bytes: 0 };
    this.#parts[source] = part;
    this.merge(schedule, source);
    for (const [key, job] of part.jobs) {
      const old = before.get(key);
      if (old !== undefined && equal(old.given, job.given)) part.jobs.set(key, old);
    }
  }

  /** Adds or replaces a job. @returns false if the job is refused, which is logged */
  set(key: string, value: unknown, source: Source = "opts"): boolean {
    const part = this.#parts[source];
    if (isSetting(key)) {
      part.settings.set(key, plainCopy(value));
      return true;
    }
    const refuse = (why: string) => {
      this.#log.error(why, { job: key.slice(0, MAX_NAME_CHARACTERS), source });
      return false;
    };
    const entry = entryOf(value);
    if (entry === undefined) {
      return refuse(`Scheduled job "${key}" should have a dict value, not ${typeName(value)}`);
    }
    if (key === "" || key.length > MAX_NAME_CHARACTERS) {
      return refuse(`a scheduled job is refused: its name must have 1 to ${MAX_NAME_CHARACTERS} characters`);
    }
    if (!part.jobs.has(key) && part.jobs.size >= MAX_JOBS) {
      return refuse(`a scheduled job is refused: the limit of ${MAX_JOBS} jobs is reached`);
    }
    const bytes = part.bytes - this.#sizeOf(part.jobs.get(key)) + encode(entry, "wire").length;
    if (bytes > MAX_BYTES) {
      return refuse(`a scheduled job is refused: the limit of ${MAX_BYTES} bytes for all jobs is reached`);
    }
    part.bytes = bytes;
    part.jobs.set(key, new ScheduledJob(key, entry));
    return true;
  }

  #sizeOf(job: ScheduledJob | undefined): number {
    return job === undefined ? 0 : encode(job.given, "wire").length;
  }

  find(key: string, source: Source): ScheduledJob | undefined {
    return this.#parts[source].jobs.get(key);
  }

  /** Removes a job or setting of the configuration. @returns false if there is none */
  delete(key: string): boolean {
    const { opts } = this.#parts;
    const job = opts.jobs.get(key);
    opts.bytes -= this.#sizeOf(job);
    return opts.jobs.delete(key) || opts.settings.delete(key);
  }

  /** All jobs in order; of two jobs with one name, that of the configuration. */
  jobs(): ScheduledJob[] {
    const merged = new Map([...this.#parts.pillar.jobs, ...this.#parts.opts.jobs]);
    return [...merged.values()];
  }

  get settings(): ScheduleSettings {
    const values = new Map([...this.#parts.pillar.settings, ...this.#parts.opts.settings]);
    return {
      isEnabled: truthy(values.get("enabled") ?? true),
      splay: values.get("splay"),
      skipDuringRange: values.get("skip_during_range"),
      skipFunction: values.get("skip_function"),
    };
  }

  /** The schedule for events: entries with the fields of the scheduler. @param where only the part from this source */
  shown(local: LocalTime, where?: Source): ScheduleEntry {
    const parts = where === undefined ? [this.#parts.pillar, this.#parts.opts] : [this.#parts[where]];
    return Object.fromEntries(parts.flatMap(({ jobs, settings }) => [
      ...settings,
      ...[...jobs].map(([key, job]) => [key, job.shown(local)] as const),
    ]));
  }

  /** The schedule to save in a file: the part from the configuration. */
  saved(): ScheduleEntry {
    const { jobs, settings } = this.#parts.opts;
    return Object.fromEntries([...settings, ...[...jobs].map(([key, { entry }]) => [key, entry] as const)]);
  }
}
