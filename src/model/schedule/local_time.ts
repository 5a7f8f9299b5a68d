import type { PlainTime } from "../../language/python/strptime.ts";

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

/**
 * Wall time as milliseconds: 10:00 local time has the number that `Date.UTC` returns for 10:00. The zone and daylight saving
 * make the difference between moments and wall time.
 */
export class LocalTime {
  readonly zone: string | undefined;
  readonly #format: Intl.DateTimeFormat | undefined;

  /** @param zone time zone such as `Europe/Berlin`. @default that of this host */
  constructor(zone?: string) {
    this.zone = zone;
    if (zone === undefined) return;
    this.#format = new Intl.DateTimeFormat("en-US", {
      timeZone: zone,
      hourCycle: "h23",
      year: "numeric",
      month: "numeric",
      day: "numeric",
      hour: "numeric",
      minute: "numeric",
      second: "numeric",
    });
  }

  /** The wall time at a moment. */
  wallOf(epochMs: number): number {
    return epochMs + this.#offset(epochMs);
  }

  /**
   * The moment of a wall time: the first one if the time comes twice. For a time in a gap, the moment is as long after the gap
   * as the time is after the gap's begin.
   */
  epochOf(wallMs: number): number {
    const before = wallMs - this.#offset(wallMs - DAY_MS);
    if (this.wallOf(before) === wallMs) return before;
    const after = wallMs - this.#offset(wallMs + DAY_MS);
    return this.wallOf(after) === wallMs ? after : before;
  }

  /** The next midnight after a moment. */
  tomorrow(epochMs: number): number {
    return this.epochOf((Math.floor(this.wallOf(epochMs) / DAY_MS) + 1) * DAY_MS);
  }

  /** The local date and time at a moment. */
  plainOf(epochMs: number): PlainTime {
    const date = new Date(this.wallOf(epochMs));
    return {
      year: date.getUTCFullYear(),
      month: date.getUTCMonth() + 1,
      day: date.getUTCDate(),
      hour: date.getUTCHours(),
      minute: date.getUTCMinutes(),
      second: date.getUTCSeconds(),
    };
  }

  /** Difference of local time to UTC, in milliseconds; positive if local time is ahead. */
  #offset(epochMs: number): number {
    if (this.#format === undefined) return -new Date(epochMs).getTimezoneOffset() * MINUTE_MS;
    const parts = Object.fromEntries(
      this.#format.formatToParts(epochMs).map(({ type, value }) => [type, Number(value)]),
    ) as Record<string, number>;
    const wall = Date.UTC(parts.year!, parts.month! - 1, parts.day!, parts.hour, parts.minute, parts.second);
    return wall - Math.floor(epochMs / 1000) * 1000;
  }
}
