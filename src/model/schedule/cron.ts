/** Reads cron patterns in the form of Salt's library (croniter) with croner. */
import { Cron } from "croner";

/** Reorders fields for croner: Salt has the seconds and the year at the end, croner the seconds first. */
function inOrder(fields: readonly string[]): string[] {
  const [second, ...year] = fields.slice(5);
  return [...(second === undefined ? [] : [second]), ...fields.slice(0, 5), ...year];
}

/** The last Friday is `L5` in Salt and `5L` in croner. */
const lastWeekdays = (field: string) => field.replace(/\bL([0-7])\b/gi, "$1L");

/**
 * The next moment of a pattern: five fields, optionally followed by seconds and year; or `@daily` and the like. A time that a
 * change to daylight saving skips comes right after the change. A repeated time counts once, unless the pattern uses intervals
 * (`*`, `*`/5).
 *
 * @param fromMs milliseconds since the epoch; the returned moment is later
 * @param zone time zone such as `Europe/Berlin`. @default that of this host
 * @returns undefined if there is no such moment
 * @throws {TypeError} if the pattern is invalid
 */
export function nextCron(pattern: string, fromMs: number, zone?: string): number | undefined {
  const fields = pattern.trim().split(/\s+/);
  if (fields.length > 4) fields[4] = lastWeekdays(fields[4]!);
  const text = fields.length < 5 ? fields.join(" ") : inOrder(fields).join(" ");
  const cron = new Cron(text, {
    paused: true,
    fixedTimeRule: "no-wildcard",
    ...(zone === undefined ? {} : { timezone: zone }),
  });
  return cron.nextRun(new Date(fromMs))?.getTime();
}
