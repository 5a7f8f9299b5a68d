/** Decides when a job is due: one class for each kind of timing. */
import { ConfigError } from "../../base/errors.ts";
import { isMap, lookup, repr, str } from "../../language/python/values.ts";
import { hasInterval, intervalOf, type ScheduleEntry, splaySeconds } from "./entry.ts";
import type { LocalTime } from "./local_time.ts";
import { DATE_FORMAT, momentIn, momentOf } from "./times.ts";

export interface Look {
  /** Current time, in milliseconds since the epoch. */
  nowMs: number;
  /** Milliseconds on the monotonic clock. */
  elapsedMs: number;
  /**
   * Milliseconds for which a past time still counts as due: the time since the last look at the job, even if the system clock
   * was set.
   */
  windowMs: number;
  /** Minimum milliseconds between two runs of a job. */
  loopMs: number;
  /** True if the system clock was set back since the last look. */
  wasSetBack: boolean;
}

/** The outcome of a look at a job: with `waits` it stays due. */
type Decision = "ran" | "skipped" | "waits";

export interface TimingParts {
  local: LocalTime;
  random(): number;
  whens(): { pillar: unknown; grains: unknown };
  /** Returns the next moment of a cron pattern; undefined while the parser is being loaded. */
  nextCron: ((pattern: string, fromMs: number) => number | undefined) | undefined;
}

/** The timing of a job. Times are in milliseconds since the epoch. */
export interface Timing {
  /** True if the job is due. @throws {ConfigError} in Salt's words */
  isDue(look: Look, parts: TimingParts, splay: unknown): boolean;
  /** Must be called with the decision after each look at a job that is due, or that runs for another reason. */
  decided(decision: Decision, look: Look): void;
  /** The next time; undefined if there is none. */
  readonly nextMs: number | undefined;
  readonly scheduledMs: number | undefined;
  /** The next time with the delay of `splay`. */
  readonly splayMs: number | undefined;
  /** The interval in seconds, if the timing has one. */
  readonly seconds?: number;
  /** Milliseconds until the job may be due. */
  waitMs(look: Look): number;
}

/**
 * An interval of seconds, on the monotonic clock: setting the system clock back delays nothing, setting it forward causes one
 * run.
 */
class Interval implements Timing {
  readonly seconds: number;
  scheduledMs: number | undefined;
  nextMs: number | undefined;
  splayMs: number | undefined;
  #dueElapsedMs = 0;
  #splay: number | undefined;

  constructor(seconds: number) {
    this.seconds = seconds;
  }

  isDue(look: Look, { random }: TimingParts, splay: unknown): boolean {
    if (this.nextMs === undefined) {
      this.#plan(look, this.seconds * 1000);
      this.scheduledMs = this.nextMs;
    }
    if (look.wasSetBack) this.nextMs = look.nowMs + this.#dueElapsedMs - look.elapsedMs;
    this.#splay ??= splaySeconds(splay, random) * 1000;
    this.splayMs = this.#splay === 0 ? undefined : this.nextMs! + this.#splay;
    return this.#leftMs(look) <= 0;
  }

  #plan(look: Look, ms: number): void {
    this.nextMs = look.nowMs + ms;
    this.#dueElapsedMs = look.elapsedMs + ms;
  }

  #leftMs({ nowMs, elapsedMs }: Look): number {
    return (this.#splay ?? 0) + Math.min(this.nextMs! - nowMs, this.#dueElapsedMs - elapsedMs);
  }

  decided(decision: Decision, look: Look): void {
    if (decision === "waits" || decision === "skipped" && this.#leftMs(look) > 0) return;
    // A shorter interval is limited by how often the schedule is looked at.
    this.#plan(look, Math.max(this.seconds * 1000, look.loopMs));
    this.#splay = this.splayMs = undefined;
  }

  waitMs(look: Look): number {
    return this.nextMs === undefined ? 0 : this.#leftMs(look);
  }
}

/** One moment, if it is in the future. */
class Once implements Timing {
  readonly splayMs = undefined;
  readonly nextMs: number;
  #isOver = false;

  constructor(atMs: number) {
    this.nextMs = atMs;
  }

  get scheduledMs(): number {
    return this.nextMs;
  }

  isDue({ nowMs, windowMs }: Look): boolean {
    if (this.#isOver || nowMs < this.nextMs) return false;
    return nowMs - this.nextMs <= windowMs;
  }

  decided(_decision: Decision, { nowMs, windowMs }: Look): void {
    if (nowMs >= this.nextMs && nowMs - this.nextMs <= windowMs) this.#isOver = true;
  }

  waitMs({ nowMs }: Look): number {
    return this.#isOver || nowMs > this.nextMs ? Infinity : this.nextMs - nowMs;
  }
}

/** The value to use for a time: from `whens` of the pillar by that name, else of the grains, else the time itself. */
function namedTime(value: unknown, name: string, parts: TimingParts): unknown {
  const { pillar, grains } = parts.whens();
  for (const [whens, what] of [[pillar, 'Pillar item "whens"'], [grains, 'Grain "whens"']] as const) {
    const holds = Array.isArray(whens) || typeof whens === "string"
      ? whens.includes(value as string)
      : isMap(whens) && lookup(whens, value) !== undefined;
    if (!holds) continue;
    if (!isMap(whens)) throw new ConfigError(`${what} must be a dict. Ignoring job ${name}.`);
    return lookup(whens, value);
  }
  return value;
}

/** A list of times, evaluated again at each look: `5:00pm` means that of today. */
class When implements Timing {
  readonly #whens: readonly unknown[];
  readonly #name: string;
  nextMs: number | undefined;
  scheduledMs: number | undefined;
  splayMs: number | undefined;
  /** The latest time that was due. */
  #pastMs = -Infinity;
  #splayed: { of: number; ms: number } | undefined;
  /** The next midnight, when times without a date start to mean another day. */
  #tomorrowMs = 0;

  constructor(when: unknown, name: string) {
    this.#whens = Array.isArray(when) ? when : [when];
    this.#name = name;
  }

  isDue({ nowMs, windowMs }: Look, parts: TimingParts, splay: unknown): boolean {
    this.#tomorrowMs = parts.local.tomorrow(nowMs);
    const times = this.#times(nowMs, parts).filter((time) => time > this.#pastMs).sort((a, b) => a - b);
    if (this.#splayed === undefined) {
      const time = times.find((one) => one >= nowMs - windowMs);
      const ms = time === undefined ? 0 : splaySeconds(splay, parts.random) * 1000;
      if (time !== undefined && ms > 0) this.#splayed = { of: time, ms };
    }
    if (this.#splayed !== undefined) {
      this.splayMs = this.nextMs = this.scheduledMs = this.#splayed.of + this.#splayed.ms;
      return nowMs >= this.splayMs;
    }
    const due = times.findLast((time) => time <= nowMs && time >= nowMs - windowMs);
    this.nextMs = due ?? times.find((time) => time > nowMs);
    this.scheduledMs = this.nextMs ?? this.scheduledMs;
    return due !== undefined;
  }

  #times(nowMs: number, parts: TimingParts): number[] {
    return this.#whens.map((value) => {
      const time = momentOf(namedTime(value, this.#name, parts), nowMs, parts.local);
      if (time === undefined) throw new ConfigError(`Invalid date string ${str(value)}. Ignoring job ${this.#name}.`);
      return time;
    });
  }

  decided(_decision: Decision, { nowMs }: Look): void {
    if (this.#splayed !== undefined) {
      if (nowMs < this.splayMs!) return;
      this.#pastMs = this.#splayed.of;
      this.#splayed = this.splayMs = undefined;
    } else if (this.nextMs !== undefined && this.nextMs <= nowMs) this.#pastMs = this.nextMs;
  }

  waitMs({ nowMs }: Look): number {
    const tomorrowMs = this.#tomorrowMs - nowMs;
    // When a time has passed, the next look finds the time after it.
    return this.nextMs === undefined ? tomorrowMs : Math.max(0, Math.min(this.nextMs - nowMs, tomorrowMs));
  }
}

class CronTiming implements Timing {
  readonly #pattern: unknown;
  readonly #name: string;
  nextMs: number | undefined;
  scheduledMs: number | undefined;
  splayMs: number | undefined;
  /** True if the pattern has no next time, or is invalid. */
  #isOver = false;

  constructor(pattern: unknown, name: string) {
    this.#pattern = pattern;
    this.#name = name;
  }

  isDue({ nowMs, wasSetBack }: Look, { nextCron, random }: TimingParts, splay: unknown): boolean {
    this.#isOver = true;
    if (nextCron === undefined) return false;
    if (wasSetBack) this.#forget();
    if (this.nextMs === undefined) {
      this.nextMs = this.#next(nextCron, nowMs);
      if (this.nextMs === undefined) return false;
      this.scheduledMs = this.nextMs;
      const ms = splaySeconds(splay, random) * 1000;
      if (ms > 0) this.splayMs = this.nextMs + ms;
    }
    return nowMs >= (this.splayMs ?? this.nextMs);
  }

  #next(nextCron: NonNullable<TimingParts["nextCron"]>, nowMs: number): number | undefined {
    const invalid = () => new ConfigError(`Invalid cron string. Ignoring job ${this.#name}.`);
    if (typeof this.#pattern !== "string") throw invalid();
    try {
      return nextCron(this.#pattern, nowMs);
    } catch {
      throw invalid();
    }
  }

  #forget(): void {
    this.#isOver = false;
    this.nextMs = this.splayMs = undefined;
  }

  decided(_decision: Decision, { nowMs }: Look): void {
    if (this.nextMs !== undefined && nowMs >= (this.splayMs ?? this.nextMs)) this.#forget();
  }

  waitMs({ nowMs }: Look): number {
    const at = this.splayMs ?? this.nextMs;
    if (at !== undefined) return at - nowMs;
    return this.#isOver ? Infinity : 0;
  }
}

/** The timing of an entry; undefined if the entry does not say when to run. @throws {ConfigError} in Salt's words */
export function timingOf(entry: ScheduleEntry, name: string, local: LocalTime): Timing | undefined {
  const ways = ["when", "cron", "once"].filter((way) => Object.hasOwn(entry, way));
  if (ways.length > 1) throw new ConfigError('Unable to use "when", "cron", "once" options together. Ignoring.');
  if (hasInterval(entry)) return new Interval(intervalOf(entry, name));
  if (ways[0] === "once") return once(entry, name, local);
  if (ways[0] === "when") return new When(entry.when, name);
  return ways[0] === "cron" ? new CronTiming(entry.cron, name) : undefined;
}

function once(entry: ScheduleEntry, name: string, local: LocalTime): Timing {
  const format = entry.once_fmt === undefined ? DATE_FORMAT : str(entry.once_fmt);
  const at = momentIn(entry.once, format, local);
  if (at !== undefined) return new Once(at);
  const shown = typeof entry.once === "string" ? entry.once : repr(entry.once);
  throw new ConfigError(`Date string could not be parsed: ${shown}, ${format}. Ignoring job ${name}.`);
}
