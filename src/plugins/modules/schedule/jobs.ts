/** The functions that add, change and remove jobs. */
import type { JobContext } from "../../../model/loader/family.ts";
import { equal, fieldsOf, isMap, str, truthy } from "../../../language/python/values.ts";
import { pythonError } from "../../python_errors.ts";
import { askSchedule, current, type Fields, tell, whereIs, writeSaved } from "./ask.ts";
import { buildItem, collision } from "./item.ts";

const isGiven = (given: Fields, name: string) => truthy(given[name] ?? false);

/** Whether the change is written for the next start; what the pillar has never is. */
const persistOf = (given: Fields, where: "opts" | "pillar" = "opts") =>
  where === "pillar" ? false : given.persist ?? true;

const placed = (where: "opts" | "pillar") => where === "pillar" ? { where } : {};

export async function addJob(context: JobContext, name: string, given: Fields): Promise<Fields> {
  const answer = (result: boolean, comment: string, changes: Fields = {}): Fields => ({ comment, result, changes });
  const schedule = await current(context, { offline: given.offline });
  if (Object.hasOwn(schedule, name)) return answer(false, `Job ${name} already exists in schedule.`);
  const conflict = collision(given, "Error: ");
  if (conflict !== undefined) return answer(false, conflict);
  const item = buildItem(name, given);
  if (item.result === false) return item;
  if (isGiven(given, "test")) return answer(true, `Job: ${name} would be added to schedule.`);
  const added = answer(true, `Added job: ${name} to schedule.`, { [name]: "added" });
  if (isGiven(given, "offline")) {
    writeSaved(context, { ...schedule, [name]: item });
    return added;
  }
  const data = { name, schedule: { [name]: item }, func: "add", persist: persistOf(given) };
  const done = await askSchedule(context, data, "add_complete");
  return done !== undefined && Object.hasOwn(fieldsOf(done.schedule), name)
    ? added
    : answer(false, `Failed to add job ${name} to schedule.`);
}

export async function modify(context: JobContext, name: string, given: Fields): Promise<Fields> {
  const answer = (result: boolean, comment: string, changes: Fields = {}): Fields => ({ comment, changes, result });
  const conflict = collision(given, "Error: ", '"when" option.');
  if (conflict !== undefined) return answer(false, conflict);
  const schedule = await current(context, { offline: given.offline });
  if (!Object.hasOwn(schedule, name)) return answer(false, `Job ${name} does not exist in schedule.`);
  const old = fieldsOf(schedule[name]);
  const item = buildItem(name, { ...given, function: given.function ?? old.function ?? null });
  if (item.result === false) return item;
  if (equal(item, old)) return answer(true, `Job ${name} in correct state`);
  const changes = { [name]: { old, new: item } };
  if (isGiven(given, "test")) return answer(true, `Job: ${name} would be modified in schedule.`, changes);
  if (isGiven(given, "offline")) {
    writeSaved(context, { ...schedule, [name]: { ...old, ...item } });
    return answer(true, `Modified job: ${name} in schedule.`, changes);
  }
  const where = await whereIs(context, name) ?? "opts";
  const data = { name, schedule: item, ...placed(where), func: "modify", persist: persistOf(given, where) };
  return tell(context, data)
    ? answer(true, `Modified job: ${name} in schedule.`, changes)
    : answer(false, `Failed to modify job ${name} in schedule.`, changes);
}

/** `schedule.delete` */
export async function removeJob(context: JobContext, name: string, given: Fields): Promise<Fields> {
  const answer = (result: boolean, comment: string, changes: Fields = {}): Fields => ({ comment, result, changes });
  const deleted = answer(true, `Deleted Job ${name} from schedule.`, { [name]: "removed" });
  if (isGiven(given, "test")) return answer(true, `Job: ${name} would be deleted from schedule.`);
  if (isGiven(given, "offline")) {
    const { [name]: job, ...others } = await current(context, { where: "opts", offline: true });
    if (job === undefined) throw pythonError("KeyError", `'${name}'`);
    writeSaved(context, others);
    return deleted;
  }
  const where = await whereIs(context, name);
  if (where === undefined) return answer(false, `Job ${name} does not exist.`);
  const data = { name, ...placed(where), func: "delete", persist: persistOf(given, where) };
  const done = await askSchedule(context, data, "delete_complete");
  return done !== undefined && !Object.hasOwn(fieldsOf(done.schedule), name)
    ? deleted
    : answer(false, `Failed to delete job ${name} from schedule.`);
}

export async function purge(context: JobContext, given: Fields): Promise<Fields> {
  const comment: string[] = [];
  const changes: Fields = {};
  const schedule = await current(context, { offline: given.offline });
  for (const name of Object.keys(schedule)) {
    if (name === "enabled" || name.startsWith("__")) continue;
    if (isGiven(given, "test")) {
      comment.push(`Job: ${name} would be deleted from schedule.`);
      continue;
    }
    let isGone = true;
    if (isGiven(given, "offline")) delete schedule[name];
    else {
      const done = await askSchedule(context, { name, func: "delete", persist: persistOf(given) }, "delete_complete");
      if (done === undefined) continue;
      isGone = !Object.hasOwn(fieldsOf(done.schedule), name);
    }
    if (isGone) changes[name] = "removed";
    comment.push(isGone ? `Deleted job: ${name} from schedule.` : `Failed to delete job ${name} from schedule.`);
  }
  if (isGiven(given, "offline")) writeSaved(context, schedule);
  return { comment, changes, result: true };
}

/** `schedule.enable_job` and `schedule.disable_job`. @param isTest a dry run, by the option or the argument as each has it */
export async function switchJob(
  context: JobContext,
  name: string,
  given: Fields,
  { on, isTest }: { on: boolean; isTest: boolean },
): Promise<Fields> {
  const [verb, past] = on ? ["enable", "enabled"] : ["disable", "disabled"];
  const answer = (result: boolean, comment: string, changes: Fields = {}): Fields => ({ comment, result, changes });
  if (isTest) return answer(true, `Job: ${name} would be ${past} in schedule.`);
  const where = await whereIs(context, name);
  if (where === undefined) return answer(false, `Job ${name} does not exist.`);
  const data = { name, ...placed(where), func: `${verb}_job`, persist: persistOf(given, where) };
  const done = await askSchedule(context, data, `${past}_job_complete`);
  if (done === undefined) return { comment: [], result: true, changes: {} };
  const job = fieldsOf(done.schedule)[name];
  const isDone = isMap(job) && truthy(fieldsOf(job).enabled ?? true) === on;
  const Past = `${past[0]!.toUpperCase()}${past.slice(1)}`;
  return isDone
    ? answer(true, `${Past} Job ${name} in schedule.`, { [name]: past })
    : answer(false, `Failed to ${verb} job ${name} in schedule.`);
}

/** `schedule.enable` and `schedule.disable`: all jobs at once. */
export async function switchAll(context: JobContext, given: Fields, on: boolean): Promise<Fields> {
  const [verb, past] = on ? ["enable", "enabled"] : ["disable", "disabled"];
  if (isGiven(given, "test")) return { comment: `Schedule would be ${past}.`, changes: {}, result: true };
  const done = await askSchedule(context, { func: verb, persist: persistOf(given) }, `${past}_complete`);
  if (done === undefined) return { comment: [], changes: {}, result: true };
  const enabled = fieldsOf(done.schedule).enabled;
  const isDone = enabled !== undefined && truthy(enabled) === on;
  const Past = `${past[0]!.toUpperCase()}${past.slice(1)}`;
  return isDone
    ? { comment: `${Past} schedule on minion.`, changes: { schedule: past }, result: true }
    : { comment: `Failed to ${verb} schedule on minion.`, changes: {}, result: false };
}

export async function runScheduled(context: JobContext, name: string, force: unknown): Promise<Fields> {
  const schedule = await current(context);
  if (!Object.hasOwn(schedule, name)) return { comment: `Job ${name} does not exist.`, result: false };
  if (!truthy(fieldsOf(schedule[name]).enabled ?? true) && !truthy(force)) {
    return { comment: `Job ${name} is disabled.`, result: true };
  }
  return tell(context, { name, func: "run_job" })
    ? { comment: `Scheduling Job ${name} on minion.`, result: true }
    : { comment: `Failed to run job ${name} on minion.`, result: false };
}

/** `schedule.copy` and `schedule.move`: adds a job to the schedules of other minions. */
export async function send(
  context: JobContext,
  name: string,
  target: unknown,
  given: Fields,
  how: { past: string; done: string; isMoved: boolean },
): Promise<Fields> {
  if (isGiven(given, "test")) return { comment: `Job: ${name} would be ${how.past} from schedule.`, result: true };
  const where = await whereIs(context, name);
  if (where === undefined) return { comment: `Job ${name} does not exist.`, result: false };
  const job = fieldsOf((await current(context, { where }))[name]);
  const words = Object.entries(job).map(([field, value]) => `${field}=${str(value)}`);
  const response = fieldsOf(await context.call("publish.publish", [target, "schedule.add", words]));
  const minions = Object.keys(response);
  if (minions.length === 0) {
    return { comment: "no servers answered the published schedule.add command", result: true };
  }
  const errors = minions.filter((minion) => !truthy(response[minion]));
  if (errors.length > 0) return { comment: "the following minions return False", result: true, minions: errors };
  if (how.isMoved) await removeJob(context, name, {});
  return { comment: how.done, result: true, minions };
}
