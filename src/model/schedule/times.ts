/** Converts dates and times in schedule entries to moments. */
import { parseDate } from "../../language/python/dateutil.ts";
import { isMap, lookup, str } from "../../language/python/values.ts";
import { type PlainTime, timeReader } from "../../language/python/strptime.ts";
import { DateTime } from "../../protocol/wire/msgpack_values.ts";
import type { LocalTime } from "./local_time.ts";

/** Format of dates if an entry names none. */
export const DATE_FORMAT = "%Y-%m-%dT%H:%M:%S";

const wallMs = ({ year, month, day, hour, minute, second }: PlainTime, millisecond = 0) => {
  const date = new Date(Date.UTC(2000, month - 1, day, hour, minute, second, millisecond));
  date.setUTCFullYear(year, month - 1, day);
  return date.getTime();
};

/** The moment of a value that YAML has parsed as a date; undefined for any other value. */
function dateValue(value: unknown, local: LocalTime): number | undefined {
  if (value instanceof DateTime) return local.epochOf(value.epochMs);
  if (value instanceof Date) return local.epochOf(value.getTime());
  return undefined;
}

/**
 * The moment that a text such as `Monday 5:00pm` names; missing parts are taken from the day of `nowMs`. Undefined if the text
 * is not a date.
 */
export function momentOf(value: unknown, nowMs: number, local: LocalTime): number | undefined {
  const date = dateValue(value, local);
  if (date !== undefined) return date;
  if (typeof value !== "string") return undefined;
  const found = parseDate(value, local.plainOf(nowMs));
  if (found === undefined) return undefined;
  const wall = wallMs(found, found.millisecond);
  return found.offsetMinutes === undefined ? local.epochOf(wall) : wall - found.offsetMinutes * 60_000;
}

/** The moment that a text names in a `strftime` format; undefined if the text does not have that format. */
export function momentIn(value: unknown, format: string, local: LocalTime): number | undefined {
  const date = dateValue(value, local);
  if (date !== undefined) return date;
  if (typeof value !== "string") return undefined;
  try {
    const time = timeReader(format)(value);
    return time === undefined ? undefined : local.epochOf(wallMs(time));
  } catch {
    // The format is invalid.
    return undefined;
  }
}

/** The moments in a list of `{time, time_fmt}`, for `skip_explicit` and `run_explicit`; invalid dates are left out. */
export function explicitMoments(value: unknown, local: LocalTime): number[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((item) => {
    const format = isMap(item) ? str(lookup(item, "time_fmt") ?? DATE_FORMAT) : DATE_FORMAT;
    const moment = momentIn(isMap(item) ? lookup(item, "time") : item, format, local);
    return moment === undefined ? [] : [moment];
  });
}
