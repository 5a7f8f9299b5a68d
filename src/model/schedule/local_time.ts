import type { PlainTime } from "../../language/python/strptime.ts";

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

/**
 * The time that clocks on the wall show, as milliseconds: 10:00 local time is what `Date.UTC` counts for 10:00. Between moments and
 * wall time lie the zone and daylight saving.
 */
export class LocalTime {
  readonly zone: string | undefined;
  readonly #format: Intl.DateTimeFormat | undefined;

  /** @param zone such as `Europe/Berlin`. @default that of this host */
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

  /** What the clock on the wall shows at a moment. */
  wallOf(epochMs: number): number {
    return epochMs + this.#offset(epochMs);
  }

  /**
   * The moment at which the clock on the wall shows a time: the first one if it shows it twice, and as much after the gap as it is
   * after the gap's begin if it never does.
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

  /** The date and time on the wall at a moment. */
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

  /** How far local time is ahead of UTC, in milliseconds. */
  #offset(epochMs: number): number {
    if (this.#format === undefined) return -new Date(epochMs).getTimezoneOffset() * MINUTE_MS;
    const parts = Object.fromEntries(
      this.#format.formatToParts(epochMs).map(({ type, value }) => [type, Number(value)]),
    ) as Record<string, number>;
    const wall = Date.UTC(parts.year!, parts.month! - 1, parts.day!, parts.hour, parts.minute, parts.second);
    return wall - Math.floor(epochMs / 1000) * 1000;
  }
}
