import { isMap, lookup, OrderedMap, str, truthy } from "../../../language/python/values.ts";
import { parseDate } from "../../../language/python/dateutil.ts";
import { pythonError } from "../../python_errors.ts";
import type { Fields } from "./ask.ts";

const ELEMENTS = ["seconds", "minutes", "hours", "days"];

/** Fields that are taken as they are given, behind those that come first. */
const LAST = [
  ...["range", "when", "once", "once_fmt", "cron", "returner", "after", "return_config", "return_kwargs", "until"],
  ...["run_on_start", "skip_during_range"],
];

const COLLIDE = 'Unable to use "when" and "cron" options together.  Ignoring.';

/** Why times cannot stand together; undefined if they can. @param prefix and @param ways as the function has them */
export function collision(given: Fields, prefix: string, ways = '"when" or "cron" options.'): string | undefined {
  const has = (name: string) => Object.hasOwn(given, name);
  if (ELEMENTS.some(has) && (has("when") || has("cron"))) {
    return `${prefix}Unable to use "seconds", "minutes", "hours", or "days" with ${ways}`;
  }
  return has("when") && has("cron") ? COLLIDE : undefined;
}

/** The first of some times that is no date. */
function badWhen(when: unknown): unknown {
  const today = { year: 2000, month: 1, day: 1, hour: 0, minute: 0, second: 0 };
  return (Array.isArray(when) ? when : [when]).find((one) =>
    typeof one !== "string" || parseDate(one, today) === undefined
  );
}

const copied = (given: Fields, names: readonly string[]): Fields =>
  Object.fromEntries(names.filter((name) => Object.hasOwn(given, name)).map((name) => [name, given[name]]));

/** An entry of a schedule from the arguments of `schedule.add`. @returns the entry, or `{comment, result: false}` */
export function buildItem(name: unknown, given: Fields): Fields {
  const refused = (comment: string): Fields => ({ comment, result: false });
  if (!truthy(name)) return refused("Job name is required.");
  if (!Object.hasOwn(given, "function")) throw pythonError("KeyError", "'function'");
  const conflict = collision(given, "");
  if (conflict !== undefined) return refused(conflict);
  const { job_args, job_kwargs, splay, when } = given;
  if (job_args !== undefined && !Array.isArray(job_args)) {
    return refused("job_args is not a list. please correct and try again.");
  }
  if (job_kwargs !== undefined && !isMap(job_kwargs)) {
    return refused("job_kwargs is not a dict. please correct and try again.");
  }
  if (when !== undefined) {
    const bad = badWhen(when);
    if (bad !== undefined) return refused(`Schedule item ${str(bad)} for "when" in invalid.`);
  }
  return {
    function: given.function,
    ...copied(given, [...ELEMENTS, "return_job", "metadata"]),
    ...(job_args === undefined ? {} : { args: job_args }),
    ...(job_kwargs === undefined ? {} : { kwargs: job_kwargs }),
    maxrunning: given.maxrunning ?? 1,
    name: given.name ?? name,
    enabled: given.enabled ?? true,
    jid_include: given.jid_include ?? true,
    ...(splay === undefined ? {} : { splay: isMap(splay) ? orderedSplay(splay) : splay }),
    ...copied(given, LAST),
  };
}

/** Begin before end, as Salt writes it. */
function orderedSplay(splay: object): Map<string, unknown> {
  return new OrderedMap(["start", "end"].map((side) => [side, lookup(splay as Fields, side)]));
}
