/** Cron patterns in the form that Salt's library has them, read by ours. */
import { Cron } from "croner";

/** Fields that croner has in another place: seconds come last in Salt, and the year after them. */
function inOrder(fields: readonly string[]): string[] {
  const [second, ...year] = fields.slice(5);
  return [...(second === undefined ? [] : [second]), ...fields.slice(0, 5), ...year];
}

/** `L5` is the last Friday in Salt, and `5L` here. */
const lastWeekdays = (field: string) => field.replace(/\bL([0-7])\b/gi, "$1L");

/**
 * The next moment that a pattern names: five fields, seconds and year behind them where there are more, or `@daily` and the like. A time
 * that a change to daylight saving leaves out comes right after it, and one that comes twice counts once, unless the pattern
 * goes by intervals (`*`, `*`/5).
 *
 * @param fromMs milliseconds since the epoch; the next moment is later
 * @param zone such as `Europe/Berlin`. @default that of this host
 * @returns undefined if there is none
 * @throws {TypeError} for what is no pattern
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
