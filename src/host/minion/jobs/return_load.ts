import { argumentsShown } from "../../../model/job/args.ts";
import type { JobOutcome } from "../processes/execute_job.ts";
import { failure } from "../processes/execute_job.ts";
import type { Mark } from "./journal.ts";

type Load = Record<string, unknown>;

/** The text of the return of an interrupted job, by how far the job had come. */
const INTERRUPTED: Record<Exclude<Mark, "taken">, string> = {
  started: "The minion was stopped before this job ended: part of its work may be done",
  starting: "The minion was stopped before this job ended, as it was about to start: it may or may not have started",
  "too large":
    "The minion was stopped before this job started: it did not run, because its arguments were too large to keep",
};

/**
 * The return of a job: the load of the command `_return`.
 *
 * @param id the id of the minion
 * @param load the publication: `{jid, fun, arg, …}`
 */
export function returnLoad(id: string, load: Load, outcome: JobOutcome): Load {
  const ret: Load = { cmd: "_return", id, success: outcome.success, return: outcome.return };
  ret.retcode = outcome.retcode;
  ret.jid = load.jid;
  ret.fun = load.fun;
  ret.fun_args = load.arg;
  for (const field of ["user", "master_id"]) if (load[field] !== undefined) ret[field] = load[field];
  const { metadata } = load;
  if (typeof metadata === "object" && metadata !== null && !Array.isArray(metadata)) ret.metadata = metadata;
  if (outcome.out !== undefined) ret.out = outcome.out;
  if (outcome.ended !== undefined) ret.ended = outcome.ended;
  if (load.schedule !== undefined) addSchedule(ret, load);
  return ret;
}

/** The fields that only returns of scheduled jobs have, since no publication says what was called. */
function addSchedule(ret: Load, load: Load): void {
  const { schedule, return_job, ret_config, ret_kwargs } = load;
  ret.schedule = schedule;
  ret.fun_args = argumentsShown(load.arg);
  if (ret_config !== undefined) ret.ret_config = ret_config;
  if (ret_kwargs !== undefined) ret.ret_kwargs = ret_kwargs;
  // The master passes it on, and keeps it nowhere. As in Salt it is one for a job cache where a returner has it.
  if (return_job === "nocache" && load.ret === "") ret.jid = "nocache";
}

/** Returns the return of a job that was running, or could not be kept, when the minion stopped. */
export function interruptedReturn(id: string, load: Load, mark: keyof typeof INTERRUPTED): Load {
  return returnLoad(id, load, failure(INTERRUPTED[mark]));
}

/** Returns the small return that replaces a dropped return. @param reason why it was dropped, for the operator */
export function droppedReturn(load: Load, reason: string): Load {
  const { cmd, id, jid, fun, fun_args, user, metadata, schedule } = load;
  const text = `The return was dropped at the minion: ${reason}`;
  const scheduled = schedule === undefined ? {} : { schedule };
  return {
    cmd,
    id,
    jid,
    fun,
    fun_args,
    user,
    metadata,
    ...scheduled,
    return: text,
    retcode: 1,
    success: false,
    out: "nested",
  };
}
