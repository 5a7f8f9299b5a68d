/** Reasons why a due job does not run: ranges, excluded times, the first and the last day. */
import { ConfigError } from "../../base/errors.ts";
import { isMap, lookup, truthy } from "../../language/python/values.ts";
import type { ScheduleEntry } from "./entry.ts";
import type { LocalTime } from "./local_time.ts";
import { explicitMoments, momentOf } from "./times.ts";
import type { Look } from "./timing.ts";

/** The reason why a job does not run, as `schedule.job_status` shows it. */
interface Skip {
  reason: string;
  /** False if the job stays due until the range begins. */
  isOver: boolean;
  /** True if the function of the option `skip_function` runs in its place. */
  isReplaced?: boolean;
}

/** Begin and end of a range. @throws {ConfigError} in Salt's words */
function rangeOf(
  entry: ScheduleEntry,
  field: "range" | "skip_during_range",
  name: string,
  nowMs: number,
  local: LocalTime,
): { start: number; end: number; isInverted: boolean } {
  const range = entry[field];
  if (!isMap(range)) {
    const space = field === "range" ? "" : " ";
    throw new ConfigError(
      `schedule.handle_func: Invalid, range must be specified as a dictionary.${space}Ignoring job ${name}.`,
    );
  }
  const [start, end] = ["start", "end"].map((side) => {
    const moment = momentOf(lookup(range, side), nowMs, local);
    if (moment !== undefined) return moment;
    const where = field === "range" ? "" : " in skip_during_range";
    throw new ConfigError(`Invalid date string for ${side}${where}. Ignoring job ${name}.`);
  }) as [number, number];
  if (end <= start) {
    throw new ConfigError(
      `schedule.handle_func: Invalid range, end must be larger than start. Ignoring job ${name}.`,
    );
  }
  return { start, end, isInverted: truthy(lookup(range, "invert") ?? false) };
}

function limitOf(
  entry: ScheduleEntry,
  field: "until" | "after",
  name: string,
  nowMs: number,
  local: LocalTime,
): number {
  const moment = momentOf(entry[field], nowMs, local);
  if (moment === undefined) throw new ConfigError(`Invalid date string for ${field}. Ignoring job ${name}.`);
  return moment;
}

/**
 * The reason why a due job does not run now; undefined if it runs.
 *
 * @param dueMs time at which the job was due, shortly before now
 * @param runAfter called with the time of a run after the range that skips the job (`run_after_skip_range`)
 * @throws {ConfigError} in Salt's words
 */
export function skipOf(
  entry: ScheduleEntry,
  name: string,
  { nowMs, loopMs }: Look,
  dueMs: number,
  local: LocalTime,
  runAfter: (moment: number) => void,
): Skip | undefined {
  if (Object.hasOwn(entry, "range")) {
    const { start, end, isInverted } = rangeOf(entry, "range", name, nowMs, local);
    if (isInverted && nowMs > start && nowMs < end) return { reason: "in_skip_range", isOver: false };
    if (!isInverted && (nowMs < start || nowMs > end)) {
      return { reason: "not_in_range", isOver: false, isReplaced: true };
    }
  }
  if (truthy(entry.skip_during_range ?? false)) {
    const { start, end } = rangeOf(entry, "skip_during_range", name, nowMs, local);
    if (start <= nowMs && nowMs <= end) {
      if (truthy(entry.run_after_skip_range ?? false)) runAfter(end + loopMs);
      return { reason: "in_skip_range", isOver: true, isReplaced: true };
    }
  }
  const left = explicitMoments(entry.skip_explicit, local);
  const isAt = (moment: number, at: number) => moment <= at && at <= moment + loopMs;
  if (left.some((moment) => isAt(moment, nowMs) || isAt(moment, dueMs))) {
    return { reason: "skip_explicit", isOver: true, isReplaced: true };
  }
  if (Object.hasOwn(entry, "until") && limitOf(entry, "until", name, nowMs, local) <= nowMs) {
    return { reason: "until_passed", isOver: true };
  }
  if (Object.hasOwn(entry, "after") && limitOf(entry, "after", name, nowMs, local) >= nowMs) {
    return { reason: "after_not_passed", isOver: true };
  }
  return undefined;
}
