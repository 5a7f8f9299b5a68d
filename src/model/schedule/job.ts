import { ConfigError } from "../../base/errors.ts";
import { deepCopy } from "../../language/python/copy.ts";
import { entriesOf, str, truthy } from "../../language/python/values.ts";
import { DateTime } from "../../protocol/wire/msgpack_values.ts";
import type { ScheduleEntry } from "./entry.ts";
import { skipOf } from "./limits.ts";
import type { LocalTime } from "./local_time.ts";
import { explicitMoments } from "./times.ts";
import { type Look, type Timing, timingOf, type TimingParts } from "./timing.ts";
import type { Clock } from "../../base/async/clock.ts";
import { offsetText, strftime } from "../../language/python/strftime.ts";

export interface ScheduleSettings {
  isEnabled: boolean;
  splay: unknown;
  skipDuringRange: unknown;
  skipFunction: unknown;
}

/** Moments of `run_explicit` that are remembered as done, at most. */
const MAX_REMEMBERED = 100;

/** One job of a schedule: its entry and its state. */
export class ScheduledJob {
  readonly key: string;
  /** The entry with the fields that Salt adds: `name`, `maxrunning`, `jid_include`, `splay`, `run`. */
  entry: ScheduleEntry;
  /** The entry as configured, to detect changes. */
  readonly given: ScheduleEntry;
  /** The reason why the job is ignored, in Salt's words. */
  error: string | undefined;
  #timing: Timing | undefined;
  #hasTiming = false;
  #startsNow: boolean | undefined;
  #isWaiting = false;
  /** Time of the last look at the job, in milliseconds on the monotonic clock. */
  #lookedMs: number | undefined;
  #lastRunMs: number | undefined;
  #skipped: { reason: string; atMs: number; isOver: boolean } | undefined;
  /** Time of the run after a range that skipped the job (`run_after_skip_range`), in milliseconds since the epoch. */
  #afterRangeMs: number | undefined;
  readonly #explicitDone = new Set<number>();

  /** @param key name of the entry in the schedule */
  constructor(key: string, entry: ScheduleEntry) {
    this.key = key;
    this.given = deepCopy(entry);
    this.entry = entry;
  }

  /** The name in the job's returns, by which `maxrunning` counts. */
  get name(): string {
    return str(this.entry.name ?? this.key);
  }

  get isEnabled(): boolean {
    return !Object.hasOwn(this.entry, "enabled") || truthy(this.entry.enabled);
  }

  /** Forgets the computed times, because a field of the entry has changed. */
  changed(): void {
    this.#hasTiming = false;
  }

  /**
   * Decides whether the job runs now.
   *
   * @returns undefined if the job does not run; otherwise `instead` is the function of `skip_function` to run in its place, or
   * null
   */
  look(seen: Look, parts: TimingParts, settings: ScheduleSettings): { instead: unknown } | undefined {
    const look = { ...seen, windowMs: Math.max(seen.loopMs, seen.elapsedMs - (this.#lookedMs ?? seen.elapsedMs)) };
    this.#lookedMs = seen.elapsedMs;
    this.error = this.#skipped = undefined;
    this.entry.name ??= this.key;
    if (this.#startsNow === undefined && truthy(this.entry.run_on_start ?? false)) this.#startsNow = true;
    try {
      return this.#look(look, parts, settings);
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      this.error = error.message;
      return undefined;
    }
  }

  #look(look: Look, parts: TimingParts, settings: ScheduleSettings): { instead: unknown } | undefined {
    if (!this.#hasTiming) {
      this.#timing = undefined;
      this.#timing = timingOf(this.entry, this.name, parts.local);
      this.#hasTiming = true;
    }
    const timing = this.#timing;
    if (timing === undefined) return undefined;
    if (!Object.hasOwn(this.entry, "splay")) this.entry.splay = settings.splay ?? null;
    const isExplicit = this.#isExplicit(look, parts.local);
    const isDue = timing.isDue(look, parts, this.entry.splay) || isExplicit;
    const startsNow = this.#startsNow === true && timing.nextMs !== undefined &&
      timing.nextMs > look.nowMs - look.windowMs;
    if (startsNow) this.#startsNow = false;
    if (!isDue && !startsNow) {
      this.#isWaiting = false;
      if (timing.nextMs !== undefined && (!settings.isEnabled || !this.isEnabled)) this.#skip("disabled", look);
      timing.decided("skipped", look);
      return undefined;
    }
    return this.#decide(look, parts.local, settings, startsNow);
  }

  /** Decides whether a due job runs, is skipped or waits. */
  #decide(
    look: Look,
    local: LocalTime,
    settings: ScheduleSettings,
    startsNow: boolean,
  ): { instead: unknown } | undefined {
    let instead: unknown = null;
    // The job stays due as long as its limits cannot be read.
    this.#isWaiting = true;
    if (!startsNow) {
      if (!Object.hasOwn(this.entry, "skip_during_range") && truthy(settings.skipDuringRange ?? false)) {
        this.entry.skip_during_range = settings.skipDuringRange;
      }
      const dueMs = this.#timing!.splayMs ?? this.#timing!.nextMs ?? look.nowMs;
      const skip = skipOf(this.entry, this.name, look, dueMs, local, (moment) => this.#afterRangeMs = moment);
      if (skip !== undefined && skip.isReplaced === true && truthy(settings.skipFunction ?? false)) {
        instead = settings.skipFunction;
      } else if (skip !== undefined) {
        this.entry.run = false;
        this.#skip(skip.reason, look, skip.isOver);
      }
    }
    if (!settings.isEnabled || !this.isEnabled) this.#skip("disabled", look);
    this.#isWaiting = this.#skipped?.isOver === false;
    if (this.#skipped === undefined) return { instead };
    this.#timing!.decided(this.#skipped.isOver ? "skipped" : "waits", look);
    return undefined;
  }

  #skip(reason: string, { nowMs }: Look, isOver = true): void {
    this.#skipped = { reason, atMs: nowMs, isOver };
  }

  /** True if a moment of `run_explicit` has come, or the end of a range that skipped the job. */
  #isExplicit({ nowMs, windowMs, loopMs }: Look, local: LocalTime): boolean {
    const isNow = (moment: number) => moment <= nowMs && nowMs < moment + Math.max(windowMs, loopMs);
    if (this.#afterRangeMs !== undefined && isNow(this.#afterRangeMs)) {
      this.#afterRangeMs = undefined;
      return true;
    }
    // As in Salt, which also writes this field to the saved schedule.
    if (Object.hasOwn(this.entry, "run_explicit")) this.entry.run = false;
    const moment = explicitMoments(this.entry.run_explicit, local)
      .find((one) => isNow(one) && !this.#explicitDone.has(one));
    if (moment === undefined) return false;
    this.#explicitDone.add(moment);
    for (const oldest of this.#explicitDone) {
      if (this.#explicitDone.size <= MAX_REMEMBERED) break;
      this.#explicitDone.delete(oldest);
    }
    return true;
  }

  /** Records that the job runs now. */
  ran(look: Look): void {
    this.entry.run = true;
    this.#lastRunMs = look.nowMs;
    this.#timing?.decided("ran", look);
  }

  /** Records that the job is due but does not run, because `maxrunning` of its runs have not ended. */
  heldBack(look: Look): void {
    this.entry.run = false;
    this.#skip("maxrunning", look);
    this.#timing?.decided("skipped", look);
  }

  /** Milliseconds until the job must be looked at again. */
  waitMs(look: Look, local: LocalTime): number {
    if (this.#isWaiting) return look.loopMs;
    const explicit = [this.#afterRangeMs ?? Infinity, ...explicitMoments(this.entry.run_explicit, local)]
      .map((moment) => moment - look.nowMs).filter((ms) => ms > 0);
    return Math.min(this.#timing?.waitMs(look) ?? Infinity, ...explicit);
  }

  /** Time of the next run, in milliseconds since the epoch; undefined if unknown. */
  get nextMs(): number | undefined {
    return this.#timing?.nextMs;
  }

  /** The entry with the fields that Salt's scheduler adds, whose names begin with an underscore. */
  shown(local: LocalTime): ScheduleEntry {
    // Before the first look, these fields are unknown.
    if (this.#lookedMs === undefined) return { ...this.entry };
    const time = (ms: number | undefined) => ms === undefined ? null : new DateTime(Math.floor(local.wallOf(ms)));
    const { seconds, nextMs, scheduledMs, splayMs } = this.#timing ?? {};
    const skipped = this.#skipped;
    return {
      ...this.entry,
      _next_fire_time: time(nextMs),
      _splay: time(splayMs),
      ...(seconds === undefined ? {} : { _seconds: seconds }),
      ...(scheduledMs === undefined ? {} : { _next_scheduled_fire_time: time(scheduledMs) }),
      ...(this.#startsNow === undefined ? {} : { _run_on_start: this.#startsNow }),
      ...(this.#lastRunMs === undefined ? {} : { _last_run: time(this.#lastRunMs) }),
      ...(this.error === undefined ? {} : { _error: this.error }),
      ...(skipped === undefined ? {} : { _skip_reason: skipped.reason }),
      ...(skipped?.isOver === true ? { _skipped: true, _skipped_time: time(skipped.atMs) } : {}),
    };
  }
}

/** The metadata of an entry, with the fields that Salt adds: `_TOS` offset of the zone, `_TS` local time, `_TT` time in UTC. */
export function scheduleMetadata(metadata: object, clock: Clock): Record<string, unknown> {
  const now = new Date(clock.now());
  const utc = new Date(now.getTime() + now.getTimezoneOffset() * 60_000);
  return {
    ...Object.fromEntries(entriesOf(metadata as Record<string, unknown>)),
    _TOS: offsetText(-now.getTimezoneOffset()),
    _TS: strftime(now, "%a %b %e %H:%M:%S %Y"),
    _TT: strftime(utc, "%Y %B %d %a %H %m"),
  };
}

/**
 * The returners of an entry, followed by those of `schedule_returner`, without duplicates. As in Salt, a text is one name; a
 * name with a comma matches no returner.
 *
 * @param unusable called with such a name
 */
export function scheduleReturners(own: unknown, ofAll: unknown, unusable: (name: string) => void): string[] {
  const names = [own, ofAll].flat().filter((name) => typeof name === "string" && name !== "") as string[];
  return [...new Set(names)].filter((name) => {
    if (name.includes(",")) unusable(name);
    return !name.includes(",");
  });
}
