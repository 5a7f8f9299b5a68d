import { isRecord } from "../base/record.ts";
import { argumentText } from "./job_arguments.ts";
import { durationText } from "./state_run.ts";

/** One job of a minion's schedule, from `schedule.list`. */
export interface ListedEntry {
  name: string;
  enabled: boolean;
  fields: Record<string, unknown>;
}

/** Where a scheduled job is stored; `here`: in the configuration, or nowhere, so that it is lost at a restart. */
export type Kept = "saved" | "pillar" | "here";

const UNITS = { seconds: 1, minutes: 60, hours: 3600, days: 86_400 } as const;
type Unit = keyof typeof UNITS;
const UNIT_NAMES = Object.keys(UNITS) as Unit[];
/** The most jobs that are shown: a minion chooses how many it has. */
const MAX_JOBS = 1000;

/** Parses the result of `schedule.list return_yaml=False`; undefined for any other value. */
export function readSchedule(value: unknown): { enabled: boolean; entries: ListedEntry[] } | undefined {
  // Salt returns a text if there are no jobs.
  if (typeof value === "string") return { enabled: true, entries: [] };
  if (!isRecord(value)) return undefined;
  const entries = Object.entries(value).filter(([name, fields]) => !name.startsWith("__") && isRecord(fields))
    .slice(0, MAX_JOBS)
    .map(([name, fields]) => ({
      name,
      enabled: (fields as Record<string, unknown>).enabled !== false,
      fields: fields as Record<string, unknown>,
    }));
  return { enabled: value.enabled !== false, entries };
}

const words = (value: unknown): string =>
  (typeof value === "string" ? value : JSON.stringify(value) ?? "").slice(0, 200);

/** When a job runs: `every 10 min`, `cron 30 2 * * *`. */
export function whenText(fields: Record<string, unknown>): string {
  const seconds = intervalOf(fields);
  const splay = fields.splay === undefined ? "" : `, splay ${words(fields.splay)}`;
  if (seconds > 0) return `every ${intervalText(seconds)}${splay}`;
  for (const [name, label] of [["cron", "cron"], ["when", "at"], ["once", "once at"]] as const) {
    if (fields[name] !== undefined) return `${label} ${words(fields[name])}${splay}`;
  }
  return fields.run_on_start === true ? "when the minion starts" : "never";
}

const intervalOf = (fields: Record<string, unknown>): number =>
  UNIT_NAMES.reduce((sum, unit) => sum + (Number(fields[unit] ?? 0) || 0) * UNITS[unit], 0);

function intervalText(seconds: number): string {
  for (const [unit, size] of [["day", 86_400], ["hour", 3600], ["minute", 60]] as const) {
    if (seconds % size === 0) return seconds === size ? unit : `${seconds / size} ${unit}s`;
  }
  return durationText(seconds * 1000);
}

/** The function and arguments of a job, on one line. */
export function callText({ function: fun, func, fun: short, args, kwargs }: Record<string, unknown>): string {
  const named = isRecord(kwargs) ? [{ ...kwargs, __kwarg__: true }] : [];
  const text = argumentText([...(Array.isArray(args) ? args : []), ...named]);
  return `${words(fun ?? func ?? short)} ${text}`.trim().slice(0, 300);
}

export type EntryTiming = "every" | "cron" | "when" | "once";

/** The contents of the form for a job. */
export interface ScheduleDraft {
  name: string;
  fun: string;
  /** The arguments as JSON, or empty. */
  args: string;
  kwargs: string;
  timing: EntryTiming;
  /** The time: a number for `every`, otherwise the text of the field. */
  time: string;
  unit: Unit;
  splay: string;
  maxrunning: string;
  others: string;
  /** True if the job is saved for the next start. */
  persist: boolean;
}

export const EMPTY_DRAFT: ScheduleDraft = {
  name: "",
  fun: "",
  args: "",
  kwargs: "",
  timing: "every",
  time: "",
  unit: "minutes",
  splay: "",
  maxrunning: "1",
  others: "",
  persist: true,
};

const json = (value: unknown): string => value === undefined ? "" : JSON.stringify(value);

/** The form that shows a job. */
export function draftOf({ name, fields }: ListedEntry): ScheduleDraft {
  const {
    function: fun,
    args,
    kwargs,
    splay,
    maxrunning = 1,
    seconds: _seconds,
    minutes: _minutes,
    hours: _hours,
    days: _days,
    cron,
    when,
    once,
    name: _name,
    saved: _saved,
    jid_include,
    enabled: _enabled,
    ...rest
  } = fields;
  // A value that nearly every job has is left out of the form.
  const others = jid_include === false ? { ...rest, jid_include } : rest;
  const timing: EntryTiming = cron !== undefined
    ? "cron"
    : when !== undefined
    ? "when"
    : once !== undefined
    ? "once"
    : "every";
  const seconds = intervalOf(fields);
  const unit = [...UNIT_NAMES].reverse().find((one) => seconds % UNITS[one] === 0) ?? "seconds";
  const given = { cron, when, once, every: seconds > 0 ? seconds / UNITS[unit] : undefined }[timing];
  return {
    name,
    fun: typeof fun === "string" ? fun : "",
    args: json(args),
    kwargs: json(kwargs),
    timing,
    time: given === undefined ? "" : typeof given === "string" ? given : JSON.stringify(given),
    unit: seconds > 0 ? unit : "minutes",
    splay: splay === undefined ? "" : typeof splay === "string" ? splay : JSON.stringify(splay),
    maxrunning: String(maxrunning),
    others: Object.keys(others).length === 0 ? "" : JSON.stringify(others),
    persist: true,
  };
}

/**
 * The keyword arguments of `schedule.add` and `schedule.modify`.
 *
 * @returns `problem`: the problem of the form; undefined if there is none
 */
export function argumentsOfDraft(draft: ScheduleDraft): { kwarg: Record<string, unknown>; problem?: string } {
  const kwarg: Record<string, unknown> = { function: draft.fun, persist: draft.persist };
  const fail = (problem: string) => ({ kwarg, problem });
  if (draft.name.trim() === "") return fail("A name is required");
  if (!/^\w+\.\w+$/.test(draft.fun)) return fail("A function is required, such as state.apply");
  const args = parsedJson(draft.args);
  if (args !== undefined && !Array.isArray(args)) return fail('Arguments: expected a JSON list, such as ["web"]');
  const kwargs = parsedJson(draft.kwargs);
  if (kwargs !== undefined && !isRecord(kwargs)) {
    return fail('Keyword arguments: expected JSON, such as {"test": true}');
  }
  const others = parsedJson(draft.others);
  if (others !== undefined && !isRecord(others)) {
    return fail('Other fields: expected JSON, such as {"return_job": false}');
  }
  Object.assign(kwarg, others);
  if (args !== undefined) kwarg.job_args = args;
  if (kwargs !== undefined) kwarg.job_kwargs = kwargs;
  const problem = timed(draft, kwarg);
  if (problem !== undefined) return fail(problem);
  if (draft.splay.trim() !== "") kwarg.splay = parsedJson(draft.splay) ?? draft.splay;
  if (!/^\d+$/.test(draft.maxrunning)) return fail("Max. concurrent runs: expected a number");
  kwarg.maxrunning = Number(draft.maxrunning);
  return { kwarg };
}

/** Adds the time of the job to the arguments. @returns the problem, if any */
function timed({ timing, time, unit }: ScheduleDraft, kwarg: Record<string, unknown>): string | undefined {
  const text = time.trim();
  if (timing === "every") {
    if (!/^\d+(?:\.\d+)?$/.test(text) || Number(text) <= 0) return `Every: expected a number of ${unit}`;
    kwarg[unit] = Number(text);
    return undefined;
  }
  if (text === "") return "A time is required";
  kwarg[timing] = timing === "when" && text.startsWith("[") ? parsedJson(text) : text;
  return undefined;
}

/** Parses JSON; undefined for an empty text, null for invalid JSON. */
function parsedJson(text: string): unknown {
  if (text.trim() === "") return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
