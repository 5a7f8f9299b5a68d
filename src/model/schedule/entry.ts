/** One entry of a schedule, as in its configuration. */
import { ConfigError } from "../../base/errors.ts";
import { isInteger, isMap, lookup, str } from "../../language/python/values.ts";

/** Fields under Salt's names: `{function: "test.ping", seconds: 10}`. */
export type ScheduleEntry = Record<string, unknown>;

/** Keys of a schedule that are settings for all jobs, not jobs. */
export const SETTINGS = ["enabled", "skip_function", "skip_during_range", "splay"] as const;

/** Fields that make up an interval, and the seconds of each unit. They are added. */
const ELEMENTS: Readonly<Record<string, number>> = { seconds: 1, minutes: 60, hours: 3600, days: 86_400 };

/** Longest interval or splay, in seconds: a thousand years. */
const MAX_SECONDS = 86_400 * 366 * 1000;

/** The function of an entry; undefined for none. */
export function entryFunction(entry: ScheduleEntry): unknown {
  return entry.function ?? entry.func ?? entry.fun;
}

export function hasInterval(entry: ScheduleEntry): boolean {
  return Object.keys(ELEMENTS).some((name) => Object.hasOwn(entry, name));
}

/** A whole number as Python's `int` accepts it; undefined for any other value. */
export function wholeNumber(value: unknown): number | undefined {
  if (typeof value === "boolean") return Number(value);
  if (isInteger(value)) return Number(value);
  if (typeof value === "number" || value instanceof Number) {
    return Number.isFinite(Number(value)) ? Math.trunc(Number(value)) : undefined;
  }
  return typeof value === "string" && /^\s*[+-]?\d+\s*$/.test(value) ? Number(value) : undefined;
}

/** The interval of an entry, in seconds. @throws {ConfigError} in Salt's words */
export function intervalOf(entry: ScheduleEntry, name: string): number {
  let total = 0;
  for (const [element, seconds] of Object.entries(ELEMENTS)) {
    if (!Object.hasOwn(entry, element)) continue;
    const count = wholeNumber(entry[element]);
    if (count === undefined || Math.abs(count) * seconds > MAX_SECONDS) {
      throw new ConfigError(
        `Cannot use ${element} ${JSON.stringify(str(entry[element]))}: expected a whole number. Ignoring job ${name}.`,
      );
    }
    total += count * seconds;
  }
  return total;
}

/** Seconds by which to delay a job: a random number from `splay`; 0 without `splay`, or if it is invalid. */
export function splaySeconds(splay: unknown, random: () => number): number {
  const between = (low: number, high: number) => low + Math.floor(random() * (high - low + 1));
  if (!isMap(splay)) {
    const most = Math.min(MAX_SECONDS, wholeNumber(splay) ?? 0);
    return most < 1 ? 0 : between(1, most);
  }
  const start = wholeNumber(lookup(splay, "start"));
  const end = wholeNumber(lookup(splay, "end"));
  return start === undefined || end === undefined || end < start ? 0 : Math.min(MAX_SECONDS, between(start, end));
}
