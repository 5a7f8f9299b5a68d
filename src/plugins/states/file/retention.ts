import type { StateContext, StateReturn } from "../../../model/loader/states.ts";
import { compareText } from "../../../language/python/text.ts";
import { type Args, entriesOf, isMap, str, truthy } from "../../../language/python/values.ts";
import { join } from "../../../language/python/posixpath.ts";
import { type PlainTime, timeReader } from "../../../language/python/strptime.ts";
import { isDirectory, lookAt } from "../../linux/paths.ts";
import { pythonError } from "../../python_errors.ts";
import { wholeNumberOf } from "../../modules/file/stats.ts";
import { readdir, remove } from "../../modules/file/tree.ts";
import { failed, namedPath } from "./ret.ts";

/** Files by parts of their time, from the largest part to the smallest. */
type ByTime = Map<number, ByTime | string>;

function put(tree: ByTime, [key = 0, ...rest]: number[], file: string): void {
  if (rest.length === 0) return void tree.set(key, file);
  let below = tree.get(key);
  if (!(below instanceof Map)) tree.set(key, below = new Map());
  put(below, rest, file);
}

const ascending = (tree: ByTime) => [...tree.keys()].sort((a, b) => a - b);

function first(tree: ByTime | string): string {
  return typeof tree === "string" ? tree : first(tree.get(ascending(tree)[0]!)!);
}

/** The first file of each of the newest `count` years, months, days, … by depth. */
function firsts(tree: ByTime | string, depth: number, count: number): Set<string> {
  if (depth <= 0 || typeof tree === "string") return new Set([first(tree)]);
  const found = new Set<string>();
  for (const key of ascending(tree).reverse()) {
    const needed = count - found.size;
    if (needed < 1) break;
    for (const file of firsts(tree.get(key)!, depth - 1, needed)) found.add(file);
  }
  return found;
}

/** Rule → how deep it looks. */
const DEPTHS: Record<string, number> = {
  first_of_year: 1,
  first_of_month: 2,
  first_of_day: 3,
  first_of_hour: 4,
  most_recent: 5,
};
const WEEK_DEPTH = 2;
const DAY_MS = 86_400_000;

/** Number of the week by ISO 8601, and of the day in it from Monday as 0. */
function weekOf({ year, month, day }: PlainTime): [week: number, weekday: number] {
  const time = Date.UTC(year, month - 1, day);
  const weekday = (new Date(time).getUTCDay() + 6) % 7;
  // The year that a week is of is that of its Thursday.
  const thursday = time + (3 - weekday) * DAY_MS;
  const start = Date.UTC(new Date(thursday).getUTCFullYear(), 0, 1);
  return [Math.floor((thursday - start) / DAY_MS / 7) + 1, weekday];
}

function localTime(ms: number): PlainTime {
  const date = new Date(ms);
  return {
    year: date.getFullYear(),
    month: date.getMonth() + 1,
    day: date.getDate(),
    hour: date.getHours(),
    minute: date.getMinutes(),
    second: date.getSeconds(),
  };
}

const secondsOf = ({ year, month, day, hour, minute, second }: PlainTime) =>
  Date.UTC(year, month - 1, day, hour, minute, second) / 1000;

/** The files that the rules keep, and those that have no time. */
function sorted(context: StateContext, directory: string, args: Args) {
  const read = truthy(args.strptime_format) ? timeReader(str(args.strptime_format)) : undefined;
  const timeOf = (name: string): [PlainTime, number] | undefined => {
    if (read !== undefined) {
      const time = read(name);
      return time === undefined ? undefined : [time, secondsOf(time)];
    }
    if (name === "." || name === "..") return undefined;
    const stat = lookAt(context.runtime.fs, join(directory, name), { follow: false });
    return stat === undefined ? undefined : [localTime(stat.mtimeMs), stat.mtimeMs / 1000];
  };
  const [byDate, byWeek]: [ByTime, ByTime] = [new Map(), new Map()];
  const [relevant, ignored]: [string[], string[]] = [[], []];
  for (const name of readdir(context, directory)) {
    const found = timeOf(name);
    if (found === undefined) {
      ignored.push(name);
      continue;
    }
    const [time, seconds] = found;
    relevant.push(name);
    put(byDate, [time.year, time.month, time.day, time.hour, seconds], name);
    put(byWeek, [time.year, ...weekOf(time), seconds], name);
  }
  return { byDate, byWeek, relevant, ignored };
}

/** `file.retention_schedule`: of files named or dated by time, those that a schedule keeps. */
export function retentionSchedule(context: StateContext, args: Args): StateReturn {
  const { name, ret, refused } = namedPath(context, "retention_schedule", args.name);
  if (refused !== undefined) return refused;
  if (!isDirectory(context.runtime.fs, name)) return failed(ret, "Name provided to file.retention must be a directory");
  const { byDate, byWeek, relevant, ignored } = sorted(context, name, args);
  const retained = new Set<string>();
  for (const [key, value] of isMap(args.retain) ? entriesOf(args.retain) : []) {
    const rule = str(key);
    const count = value === "all" ? Infinity : wholeNumberOf(value);
    if (rule !== "first_of_week" && !Object.hasOwn(DEPTHS, rule)) throw pythonError("KeyError", `'${rule}'`);
    const kept = rule === "first_of_week"
      ? firsts(byWeek, WEEK_DEPTH, count + 1)
      : firsts(byDate, DEPTHS[rule]!, count);
    for (const file of kept) retained.add(file);
  }
  const newest = (names: Iterable<string>) => [...names].sort((a, b) => compareText(b, a));
  const deleted = newest(relevant.filter((file) => !retained.has(file)));
  if (deleted.length > 0) ret.changes = { retained: newest(retained), deleted, ignored: newest(ignored) };
  if (context.test) {
    if (deleted.length > 0) ret.result = null;
    return Object.assign(ret, { comment: `${deleted.length} backups would have been removed from ${name}.\n` });
  }
  for (const file of deleted) remove(context, join(name, file));
  return Object.assign(ret, { comment: `${deleted.length} backups were removed from ${name}.\n` });
}
