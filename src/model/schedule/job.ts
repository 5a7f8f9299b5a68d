import { deepCopy } from "../../language/python/copy.ts";
import { str } from "../../language/python/repr.ts";
import { truthy } from "../../language/python/truth.ts";
import { DateTime } from "../../protocol/wire/msgpack_values.ts";
import { type Entry, EntryError } from "./entry.ts";
import { skipOf } from "./limits.ts";
import type { LocalTime } from "./local_time.ts";
import { explicitMoments } from "./times.ts";
import { type Look, type Timing, timingOf, type TimingParts } from "./timing.ts";

/** The parts of a schedule that hold for all of its jobs. */
export interface Settings {
  isEnabled: boolean;
  splay: unknown;
  skipDuringRange: unknown;
  skipFunction: unknown;
}

/** Moments of `run_explicit` that are remembered as run. */
const MOST_REMEMBERED = 100;

/** One job of a schedule: its entry, and what became of it so far. */
export class Job {
  readonly key: string;
  /** As it is written, and what Salt adds to it: `name`, `maxrunning`, `jid_include`, `splay`, `run`. */
  entry: Entry;
  /** As it was given, to tell whether it has changed. */
  readonly given: Entry;
  /** Why it is ignored, in Salt's words. */
  error: string | undefined;
  #timing: Timing | undefined;
  #hasTiming = false;
  #startsNow: boolean | undefined;
  #isWaiting = false;
  /** When it was looked at, by the even clock. */
  #lookedMs: number | undefined;
  #lastRunMs: number | undefined;
  #skipped: { reason: string; atMs: number; isOver: boolean } | undefined;
  /** When it runs after a range that leaves it out. */
  #afterRangeMs: number | undefined;
  readonly #explicitDone = new Set<number>();

  /** @param key its name in the schedule */
  constructor(key: string, entry: Entry) {
    this.key = key;
    this.given = deepCopy(entry);
    this.entry = entry;
  }

  /** The name that its returns carry, and that `maxrunning` counts by. */
  get name(): string {
    return str(this.entry.name ?? this.key);
  }

  get isEnabled(): boolean {
    return !Object.hasOwn(this.entry, "enabled") || truthy(this.entry.enabled);
  }

  /** The field is another one: times are found anew. */
  changed(): void {
    this.#hasTiming = false;
  }

  /**
   * Looks whether the job is to run.
   *
   * @returns the function that `skip_function` puts in its place, or null for its own; undefined if it does not run
   */
  look(seen: Look, parts: TimingParts, settings: Settings): { instead: unknown } | undefined {
    const look = { ...seen, windowMs: Math.max(seen.loopMs, seen.elapsedMs - (this.#lookedMs ?? seen.elapsedMs)) };
    this.#lookedMs = seen.elapsedMs;
    this.error = this.#skipped = undefined;
    this.entry.name ??= this.key;
    if (this.#startsNow === undefined && truthy(this.entry.run_on_start ?? false)) this.#startsNow = true;
    try {
      return this.#look(look, parts, settings);
    } catch (error) {
      if (!(error instanceof EntryError)) throw error;
      this.error = error.message;
      return undefined;
    }
  }

  #look(look: Look, parts: TimingParts, settings: Settings): { instead: unknown } | undefined {
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

  /** Decides on a job that is due. */
  #decide(look: Look, local: LocalTime, settings: Settings, startsNow: boolean): { instead: unknown } | undefined {
    let instead: unknown = null;
    // It stays due while its limits cannot be read.
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

  /** True if a moment of `run_explicit` has come, or the end of a range that left the job out. */
  #isExplicit({ nowMs, windowMs, loopMs }: Look, local: LocalTime): boolean {
    const isNow = (moment: number) => moment <= nowMs && nowMs < moment + Math.max(windowMs, loopMs);
    if (this.#afterRangeMs !== undefined && isNow(this.#afterRangeMs)) {
      this.#afterRangeMs = undefined;
      return true;
    }
    // As Salt has it, and writes it.
    if (Object.hasOwn(this.entry, "run_explicit")) this.entry.run = false;
    const moment = explicitMoments(this.entry.run_explicit, local)
      .find((one) => isNow(one) && !this.#explicitDone.has(one));
    if (moment === undefined) return false;
    this.#explicitDone.add(moment);
    for (const oldest of this.#explicitDone) {
      if (this.#explicitDone.size <= MOST_REMEMBERED) break;
      this.#explicitDone.delete(oldest);
    }
    return true;
  }

  /** It runs now. */
  ran(look: Look): void {
    this.entry.run = true;
    this.#lastRunMs = look.nowMs;
    this.#timing?.decided("ran", look);
  }

  /** It is due and does not run, for as many of it run as may. */
  heldBack(look: Look): void {
    this.entry.run = false;
    this.#skip("maxrunning", look);
    this.#timing?.decided("skipped", look);
  }

  /** Milliseconds until there is something to look at. */
  waitMs(look: Look, local: LocalTime): number {
    if (this.#isWaiting) return look.loopMs;
    const explicit = [this.#afterRangeMs ?? Infinity, ...explicitMoments(this.entry.run_explicit, local)]
      .map((moment) => moment - look.nowMs).filter((ms) => ms > 0);
    return Math.min(this.#timing?.waitMs(look) ?? Infinity, ...explicit);
  }

  /** The moment of its next run, as far as it is known. */
  get nextMs(): number | undefined {
    return this.#timing?.nextMs;
  }

  /** The entry with what Salt's scheduler keeps beside it, under names with an underscore. */
  shown(local: LocalTime): Entry {
    // Nothing is known of one that was not looked at yet.
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
