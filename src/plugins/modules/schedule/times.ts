/** The functions about the times of single jobs. */
import type { JobContext } from "../../../model/loader/family.ts";
import { fieldsOf, str, truthy } from "../../../language/python/values.ts";
import { strftime } from "../../../language/python/strftime.ts";
import { timeReader } from "../../../language/python/strptime.ts";
import { DateTime } from "../../../protocol/wire/msgpack_values.ts";
import { askSchedule, type Fields, whereIs } from "./ask.ts";

/** The format of times where a call names none. */
export const SCHEDULE_TIME = "%Y-%m-%dT%H:%M:%S";

function isTime(text: unknown, format: string): boolean {
  try {
    return typeof text === "string" && timeReader(format)(text) !== undefined;
  } catch {
    return false;
  }
}

/** Adds a moment at which a job is skipped, and with `new_time` one at which it runs. */
export async function shift(
  context: JobContext,
  name: string,
  times: { time: unknown; new_time?: unknown; time_fmt: unknown },
  how: { func: "postpone_job" | "skip_job"; would: string; done: string; failed: string },
): Promise<Fields> {
  const format = truthy(times.time_fmt ?? "") ? str(times.time_fmt) : SCHEDULE_TIME;
  const refused = (comment: string): Fields => ({ comment, result: false });
  const given = Object.hasOwn(times, "new_time") ? [times.time, times.new_time] : [times.time];
  for (const time of given) if (!isTime(time, format)) return refused("Date string could not be parsed.");
  if (truthy(context.opts.test ?? false)) {
    return { comment: `Job: ${name} would be ${how.would} in schedule.`, result: true };
  }
  const where = await whereIs(context, name);
  if (where === undefined) return refused(`Job ${name} does not exist.`);
  const data = { name, ...times, time_fmt: format, ...(where === "pillar" ? { where } : {}), func: how.func };
  const done = await askSchedule(context, data, `${how.func}_complete`);
  if (done === undefined) return { comment: [], result: true };
  const job = fieldsOf(fieldsOf(done.schedule)[name]);
  return truthy(job.enabled ?? true) ? { comment: how.done, result: true } : refused(how.failed);
}

/** `schedule.show_next_fire_time` */
export async function nextFireTime(context: JobContext, name: string): Promise<Fields> {
  const found = await askSchedule(context, { name, func: "get_next_fire_time" }, "next_fire_time_complete");
  if (found === undefined || !Object.hasOwn(found, "next_fire_time")) {
    return { result: true, comment: "next fire time not available." };
  }
  return { result: true, next_fire_time: found.next_fire_time };
}

/** `schedule.job_status`: all that the scheduler knows of a job, its times as text. */
export async function jobStatus(context: JobContext, name: string, format: string): Promise<Fields> {
  const found = await askSchedule(context, { func: "job_status", name, fire_event: true }, "job_status_complete");
  const shown = (value: unknown) =>
    value instanceof DateTime ? strftime(new Date(value.toString().slice(0, 23)), format) : value;
  return Object.fromEntries(Object.entries(fieldsOf(found?.data)).map(([field, value]) => [field, shown(value)]));
}
