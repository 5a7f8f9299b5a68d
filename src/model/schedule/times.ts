/** Dates and times in entries of a schedule, as moments. */
import { parseDate } from "../../language/python/dateutil.ts";
import { isMap, lookup } from "../../language/python/containers.ts";
import { type PlainTime, timeReader } from "../../language/python/strptime.ts";
import { str } from "../../language/python/repr.ts";
import { DateTime } from "../../protocol/wire/msgpack_values.ts";
import type { LocalTime } from "./local_time.ts";

/** The format of dates where an entry names none. */
export const DATE_FORMAT = "%Y-%m-%dT%H:%M:%S";

const wallMs = ({ year, month, day, hour, minute, second }: PlainTime, millisecond = 0) => {
  const date = new Date(Date.UTC(2000, month - 1, day, hour, minute, second, millisecond));
  date.setUTCFullYear(year, month - 1, day);
  return date.getTime();
};

/** The moment of a value that YAML has read as a date; undefined for any other. */
function dateValue(value: unknown, local: LocalTime): number | undefined {
  if (value instanceof DateTime) return local.epochOf(value.epochMs);
  if (value instanceof Date) return local.epochOf(value.getTime());
  return undefined;
}

/**
 * The moment that a text such as `Monday 5:00pm` names: what it does not say is that of the day of `nowMs`. Undefined for what is no
 * date.
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

/** The moment of a text in a format of `strftime`; undefined if it is not in that format. */
export function momentIn(value: unknown, format: string, local: LocalTime): number | undefined {
  const date = dateValue(value, local);
  if (date !== undefined) return date;
  if (typeof value !== "string") return undefined;
  try {
    const time = timeReader(format)(value);
    return time === undefined ? undefined : local.epochOf(wallMs(time));
  } catch {
    // The format is none.
    return undefined;
  }
}

/** The moments of a list of `{time, time_fmt}`, as `skip_explicit` and `run_explicit` have them; what is no date is left out. */
export function explicitMoments(value: unknown, local: LocalTime): number[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((item) => {
    const format = isMap(item) ? str(lookup(item, "time_fmt") ?? DATE_FORMAT) : DATE_FORMAT;
    const moment = momentIn(isMap(item) ? lookup(item, "time") : item, format, local);
    return moment === undefined ? [] : [moment];
  });
}
