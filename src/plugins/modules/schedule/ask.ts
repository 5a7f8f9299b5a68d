/** How the functions of `schedule` speak to the minion: by an event on its bus, and the event that answers it. */
import { fieldsOf, isMap, lookup, truthy } from "../../../language/python/values.ts";
import { messageOf } from "../../../base/errors.ts";
import { dirName } from "../../../base/paths.ts";
import { savedSchedulePath } from "../../../model/config/glob_paths.ts";
import type { JobContext } from "../../../model/loader/family.ts";
import { deepCopy } from "../../../language/python/copy.ts";
import { dump } from "../../../language/yaml/dump.ts";

export type Fields = Record<string, unknown>;

/** How long the minion is waited for, in milliseconds. */
const WAIT_MS = 30_000;

/** The fields that `schedule.list` shows. */
const SHOWN: ReadonlySet<string> = new Set([
  ...["name", "maxrunning", "function", "splay", "range", "when", "once", "once_fmt", "returner", "jid_include"],
  ...["args", "kwargs", "seconds", "minutes", "hours", "days", "enabled", "return_job", "metadata", "cron"],
  ...["until", "after", "return_config", "return_kwargs", "run_on_start", "skip_during_range"],
  "run_after_skip_range",
]);

/**
 * Asks the minion to do something about its schedule.
 *
 * @param answer the last word of the tag that answers it: `add` for `/salt/minion/minion_schedule_add_complete`
 * @returns what the answer carries; undefined if there is no minion, or it does not answer
 */
export async function askSchedule(context: JobContext, data: Fields, answer: string): Promise<Fields | undefined> {
  const found = await context.master?.askLocal?.(
    "manage_schedule",
    data,
    `/salt/minion/minion_schedule_${answer}`,
    WAIT_MS,
  );
  return found !== undefined && truthy(found.complete) ? found : undefined;
}

/** Tells the minion. @returns false if there is none */
export function tell(context: JobContext, data: Fields): boolean {
  if (context.master === undefined) return false;
  context.master.fireLocal("manage_schedule", data);
  return true;
}

/** What was saved for the next start. */
async function saved({ runtime: { fs }, opts, log }: JobContext): Promise<Fields> {
  const path = savedSchedulePath(opts);
  if (path === undefined || fs.stat(path)?.kind !== "file") return {};
  const { parseYaml } = await import("../../../language/yaml/document.ts");
  try {
    const { value } = parseYaml(fs.readText(path));
    return isMap(value) ? fieldsOf(lookup(value, "schedule")) : {};
  } catch (error) {
    log.error("the saved schedule cannot be read", { path, error: messageOf(error) });
    return {};
  }
}

/** Writes a schedule for the next start: of a minion that does not run. */
export function writeSaved({ runtime: { fs }, opts, log }: JobContext, schedule: Fields): void {
  const path = savedSchedulePath(opts);
  if (path === undefined) return log.error("the schedule cannot be saved: there are no configuration files");
  try {
    fs.mkdir(dirName(path), 0o755);
    fs.write(path, dump({ schedule }, { flow: "leaves" }), { mode: 0o644 });
  } catch (error) {
    log.error("Failed to persist the updated schedule", { path, error: messageOf(error) });
  }
}

interface ListOptions {
  /** Jobs that the minion has by itself, too. */
  showAll?: boolean;
  /** False leaves out those that are disabled. @default true */
  showDisabled?: boolean;
  /** `opts` or `pillar`: what comes from there alone. */
  where?: unknown;
  /** What was saved, in place of what the minion has. */
  offline?: unknown;
}

/** A job as it is listed: fields that it was given, without those of no value. */
function shownJob(job: Fields): Fields {
  const words: Record<string, boolean> = { true: true, false: false };
  const fields = Object.entries(job).filter(([field, value]) =>
    SHOWN.has(field) && value !== null && value !== undefined
  )
    .map(([field, value]) => [field, words[value as string] ?? value]);
  return { ...Object.fromEntries(fields), ...(Object.hasOwn(job, "enabled") ? {} : { enabled: true }) };
}

export async function listedSchedule(
  context: JobContext,
  options: ListOptions,
): Promise<{ schedule: Fields; saved: Fields }> {
  const isOffline = truthy(options.offline ?? false);
  const all = isOffline
    ? await saved(context)
    : fieldsOf((await askSchedule(context, { func: "list", where: options.where ?? null }, "list_complete"))?.schedule);
  const before = isOffline ? deepCopy(all) : await saved(context);
  const schedule: Fields = {};
  for (const [name, value] of Object.entries(all)) {
    if (!isMap(value)) {
      schedule[name] = value;
      continue;
    }
    if (name.startsWith("__") && options.showAll !== true) continue;
    const job = shownJob(fieldsOf(value));
    if (options.showDisabled === false && !truthy(job.enabled)) continue;
    schedule[name] = job;
  }
  return { schedule, saved: before };
}

/** The schedule as functions compare it. */
export async function current(context: JobContext, options: ListOptions = {}): Promise<Fields> {
  return (await listedSchedule(context, { showAll: true, ...options })).schedule;
}

/** Where a job is: the configuration comes first. Undefined if there is none. */
export async function whereIs(context: JobContext, name: string): Promise<"opts" | "pillar" | undefined> {
  for (const where of ["opts", "pillar"] as const) {
    if (Object.hasOwn(await current(context, { where }), name)) return where;
  }
  return undefined;
}
