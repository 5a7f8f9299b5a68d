/** When a job is due: one kind of timing for each way of writing it. */
import { isMap, lookup } from "../../language/python/containers.ts";
import { repr, str } from "../../language/python/repr.ts";
import { type Entry, EntryError, hasInterval, intervalOf, splaySeconds } from "./entry.ts";
import type { LocalTime } from "./local_time.ts";
import { DATE_FORMAT, momentIn, momentOf } from "./times.ts";

/** A moment at which a schedule is looked at. */
export interface Look {
  /** Milliseconds since the epoch. */
  nowMs: number;
  /** Of a clock that goes on evenly. */
  elapsedMs: number;
  /** How old a time may be and still be due: the time since the last look at the job, whatever the system clock was set to. */
  windowMs: number;
  /** The shortest time between two runs of a job. */
  loopMs: number;
  /** The system clock was set back since the last look. */
  wasSetBack: boolean;
}

/** What became of a job that was looked at: `waits` stays due. */
export type Decision = "ran" | "skipped" | "waits";

/** What a timing goes by. */
export interface TimingParts {
  local: LocalTime;
  random(): number;
  /** Names for times, of the pillar and the grains. */
  whens(): { pillar: unknown; grains: unknown };
  /** The next moment of a cron pattern. Undefined while what reads them is being loaded. */
  nextCron: ((pattern: string, fromMs: number) => number | undefined) | undefined;
}

/** When a job is due next. Moments are milliseconds since the epoch. */
export interface Timing {
  /** True if the job is due. @throws {EntryError} */
  isDue(look: Look, parts: TimingParts, splay: unknown): boolean;
  /** To be called after each look. @param wasDue or run for another reason */
  decided(decision: Decision, look: Look): void;
  /** Undefined for none. */
  readonly nextMs: number | undefined;
  readonly scheduledMs: number | undefined;
  /** When it runs, put off. */
  readonly splayMs: number | undefined;
  /** The interval, of those that go by one. */
  readonly seconds?: number;
  /** Milliseconds until it may be due. */
  waitMs(look: Look): number;
}

/** Every so many seconds. Goes by the even clock, so that none that is set holds it up; one that is set forward lets it run once. */
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
    // Shorter ones run as often as the schedule is looked at.
    this.#plan(look, Math.max(this.seconds * 1000, look.loopMs));
    this.#splay = this.splayMs = undefined;
  }

  waitMs(look: Look): number {
    return this.nextMs === undefined ? 0 : this.#leftMs(look);
  }
}

/** At one moment, if that is to come. */
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

/** The values that stand for a time: that of the pillar by this name, else of the grains, else the value itself. */
function namedTime(value: unknown, name: string, parts: TimingParts): unknown {
  const { pillar, grains } = parts.whens();
  for (const [whens, what] of [[pillar, 'Pillar item "whens"'], [grains, 'Grain "whens"']] as const) {
    const holds = Array.isArray(whens) || typeof whens === "string"
      ? whens.includes(value as string)
      : isMap(whens) && lookup(whens, value) !== undefined;
    if (!holds) continue;
    if (!isMap(whens)) throw new EntryError(`${what} must be a dict. Ignoring job ${name}.`);
    return lookup(whens, value);
  }
  return value;
}

/** At each of some times, which are read anew with each look: `5:00pm` is today's. */
class When implements Timing {
  readonly #whens: readonly unknown[];
  readonly #name: string;
  nextMs: number | undefined;
  scheduledMs: number | undefined;
  splayMs: number | undefined;
  /** The last one that was due. */
  #pastMs = -Infinity;
  #splayed: { of: number; ms: number } | undefined;
  /** The next midnight: times without a date mean another day from then on. */
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
      if (time === undefined) throw new EntryError(`Invalid date string ${str(value)}. Ignoring job ${this.#name}.`);
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
    // After one that is over comes the next, which the next look finds.
    return this.nextMs === undefined ? tomorrowMs : Math.max(0, Math.min(this.nextMs - nowMs, tomorrowMs));
  }
}

/** As a cron pattern says. */
class CronTiming implements Timing {
  readonly #pattern: unknown;
  readonly #name: string;
  nextMs: number | undefined;
  scheduledMs: number | undefined;
  splayMs: number | undefined;
  /** There is no next time, or none that can be read. */
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
    const invalid = () => new EntryError(`Invalid cron string. Ignoring job ${this.#name}.`);
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

/**
 * The timing of an entry; undefined for one that says nothing of when.
 *
 * @throws {EntryError}
 */
export function timingOf(entry: Entry, name: string, local: LocalTime): Timing | undefined {
  const ways = ["when", "cron", "once"].filter((way) => Object.hasOwn(entry, way));
  if (ways.length > 1) throw new EntryError('Unable to use "when", "cron", "once" options together. Ignoring.');
  if (hasInterval(entry)) return new Interval(intervalOf(entry, name));
  if (ways[0] === "once") return once(entry, name, local);
  if (ways[0] === "when") return new When(entry.when, name);
  return ways[0] === "cron" ? new CronTiming(entry.cron, name) : undefined;
}

function once(entry: Entry, name: string, local: LocalTime): Timing {
  const format = entry.once_fmt === undefined ? DATE_FORMAT : str(entry.once_fmt);
  const at = momentIn(entry.once, format, local);
  if (at !== undefined) return new Once(at);
  const shown = typeof entry.once === "string" ? entry.once : repr(entry.once);
  throw new EntryError(`Date string could not be parsed: ${shown}, ${format}. Ignoring job ${name}.`);
}
