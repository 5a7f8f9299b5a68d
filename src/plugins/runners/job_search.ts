import type { JobListEntry, JobSearch, JobSummary } from "../../model/job/job_cache.ts";
import { isPlainJid } from "../../model/job/jid.ts";
import { OUTCOME_STATES, type OutcomeState } from "../../model/job/outcome.ts";
import { type JobReader, SaltInvocationError } from "../../model/loader/family.ts";
import { isMap, lookup, repr } from "../../language/python/values.ts";

/** @throws {SaltInvocationError} if it is none */
export function checkJid(jid: unknown): string {
  const text = String(jid);
  if (isPlainJid(text)) return text;
  throw new SaltInvocationError(
    `'${text}' is not a job id: expected 20 digits, such as 20261121101500000000; jobs.list_jobs shows those on record`,
  );
}

/** A number of jobs. @throws {SaltInvocationError} if it is none */
export function checkCount(count: unknown): number {
  const number = typeof count === "string" && count.trim() !== "" ? Number(count) : count;
  if (typeof number === "number" && Number.isInteger(number) && number >= 0) return number;
  throw new SaltInvocationError(`${repr(count)} is not a count: expected a whole number, such as 50`);
}

const absent = (value: unknown): value is null | undefined => value === null || value === undefined || value === "";

/** Words or globs, given as a list or with commas between them; undefined for none. */
function alternatives(wanted: unknown): string[] | undefined {
  if (absent(wanted)) return undefined;
  return Array.isArray(wanted) ? wanted.map(String) : String(wanted).split(",").map((part) => part.trim());
}

const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const WEEKDAY = /^(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*\.?$/;
const TIME = /(?:^|[ tT,])(\d{1,2})(?::(\d\d)(?::(\d\d)(\.\d+)?)?)?[ ]*([ap]m)?[ ]*(z|utc|gmt|[+-]\d\d(?::?\d\d)?)?$/i;
const COMPACT = /^(\d{4})(\d\d)(\d\d)(?:[tT ]?(\d\d)(\d\d)(\d\d)?(\d{6})?)?$/;

/** Milliseconds since the epoch, or undefined if the date does not exist. */
function moment(date: readonly number[], time: readonly number[], zoneMinutes = 0): number | undefined {
  const [year = 0, month = 0, day = 0] = date;
  const [hour = 0, minute = 0, second = 0] = time;
  const ms = Date.UTC(year, month - 1, day, hour, minute, 0, Math.round(second * 1000));
  const there = new Date(Date.UTC(year, month - 1, day));
  // Date carries 30 February over into March.
  if (there.getUTCMonth() !== month - 1 || there.getUTCDate() !== day) return undefined;
  if (hour > 23 || minute > 59 || second >= 60) return undefined;
  return ms - zoneMinutes * 60_000;
}

/** Year, month and day of the usual notations. */
function dateOf(text: string): number[] | undefined {
  const numeric = /^(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})$/.exec(text);
  if (numeric !== null) return numeric.slice(1).map(Number);
  const american = /^(\d{1,2})\/(\d{1,2})\/(\d{4})$/.exec(text);
  if (american !== null) return [Number(american[3]), Number(american[1]), Number(american[2])];
  const words = text.toLowerCase().split(/[\s,-]+/).filter((word) => word !== "" && !WEEKDAY.test(word));
  const month = words.findIndex((word) => /^[a-z]+\.?$/.test(word));
  if (month < 0 || words.length !== 3) return undefined;
  const number = MONTHS.findIndex((name) => words[month]!.startsWith(name)) + 1;
  const rest = words.filter((_word, at) => at !== month).map((word) => word.replace(/(?<=\d)(?:st|nd|rd|th)$/, ""));
  const year = rest.find((word) => /^\d{4}$/.test(word));
  const day = rest.find((word) => /^\d{1,2}$/.test(word));
  return number > 0 && year !== undefined && day !== undefined ? [Number(year), number, Number(day)] : undefined;
}

/** A time in one of the usual notations, in UTC like jids unless it names a zone. */
function parseTime(given: unknown): number | undefined {
  const text = String(given).trim();
  const compact = COMPACT.exec(text);
  if (compact !== null) {
    const [year, month, day, hour = 0, minute = 0, second = 0, micros = 0] = compact.slice(1).map((part) =>
      part === undefined ? undefined : Number(part)
    );
    const found = moment([year!, month!, day!], [hour, minute, second + micros / 1e6]);
    if (found !== undefined) return found;
  }
  if (/^\d{9,11}(\.\d+)?$/.test(text)) return Number(text) * 1000;
  const whole = dateOf(text);
  if (whole !== undefined) return moment(whole, []);
  const found = TIME.exec(text);
  if (found === null) return undefined;
  const [, hour, minute, second, fraction = "", half, zone = ""] = found;
  // A number alone is an hour only with am or pm.
  if (minute === undefined && half === undefined) return undefined;
  // The time may stand between month, day and year, as Python's ctime() has it; then it is not at the end.
  const date = dateOf(text.slice(0, found.index).replace(/[\s,]+$/, ""));
  if (date === undefined) return undefined;
  const shift = half === undefined ? 0 : half.toLowerCase() === "pm" ? 12 : 0;
  const hours = half === undefined ? Number(hour) : Number(hour) % 12 + shift;
  const [, sign, zoneHours = "0", zoneRest = "0"] = /^([+-])(\d\d):?(\d\d)?$/.exec(zone) ?? [];
  const minutes = (Number(zoneHours) * 60 + Number(zoneRest)) * (sign === "-" ? -1 : 1);
  return moment(date, [hours, Number(minute ?? 0), Number(`${second ?? 0}${fraction}`)], minutes);
}

/** A time for a search, in milliseconds since the epoch; undefined for none. */
export function timeOf(given: unknown, name: string): number | undefined {
  if (absent(given)) return undefined;
  const ctime = String(given).replace(/^(\D+\d{1,2}) +(\d\d:\d\d:\d\d) +(\d{4})$/, "$1 $3 $2");
  const ms = parseTime(ctime);
  if (ms !== undefined) return ms;
  throw new SaltInvocationError(
    `'${given}' is not a valid ${name}: expected a date such as '2026-11-21', '2026-11-21 10:00' or 'Nov 21 2026', ` +
      "or seconds since the epoch; all in UTC unless a zone is given",
  );
}

function outcomeOf(given: unknown): OutcomeState | undefined {
  if (absent(given)) return undefined;
  const state = OUTCOME_STATES.find((one) => one === String(given).toLowerCase().replaceAll("_", " "));
  if (state !== undefined) return state;
  throw new SaltInvocationError(`'${given}' is not an outcome: expected one of ${OUTCOME_STATES.join(", ")}`);
}

/** The options of a search, under the runner's names. */
interface SearchWords {
  metadata?: unknown;
  fun?: unknown;
  target?: unknown;
  user?: unknown;
  outcome?: unknown;
  start?: unknown;
  end?: unknown;
}

/** The metadata of a job: its own, or the keyword argument of the call. */
export function metadataOf({ metadata, arg }: JobSummary): unknown {
  if (metadata !== undefined) return metadata;
  if (!Array.isArray(arg)) return undefined;
  const keywords = arg.find((one) =>
    isMap(one) && lookup(one, "__kwarg__") === true && lookup(one, "metadata") !== undefined
  );
  return keywords === undefined ? undefined : lookup(keywords, "metadata");
}

/** Jobs that a search finds, in pages. @throws {SaltInvocationError} before anything is read */
export function search(
  jobs: JobReader,
  words: SearchWords,
  how: Pick<JobSearch, "oldestFirst"> = {},
): AsyncIterable<JobListEntry[]> {
  const { metadata } = words;
  if (!absent(metadata) && !isMap(metadata)) {
    throw new SaltInvocationError(`${repr(metadata)} is not metadata: expected a map, such as '{"team": "web"}'`);
  }
  const wanted = isMap(metadata) ? metadata : undefined;
  const pairs = wanted === undefined ? [] : Object.entries(wanted instanceof Map ? Object.fromEntries(wanted) : wanted);
  const given = {
    fun: alternatives(words.fun),
    target: alternatives(words.target),
    user: alternatives(words.user),
    outcome: outcomeOf(words.outcome),
    fromMs: timeOf(words.start, "start_time"),
    untilMs: timeOf(words.end, "end_time"),
  };
  const request: JobSearch = { ...how };
  for (const [key, value] of Object.entries(given)) if (value !== undefined) Object.assign(request, { [key]: value });
  const fits = ({ summary }: JobListEntry): boolean => {
    const held = metadataOf(summary);
    return isMap(held) && pairs.some(([key, value]) => {
      const own = lookup(held, key);
      return own !== undefined && repr(own) === repr(value);
    });
  };
  return (async function* () {
    for await (const page of jobs.list(request)) yield pairs.length === 0 ? page : page.filter(fits);
  })();
}
