import { eventStamp } from "../wire/event_frame.ts";
import { encode, Packed } from "../wire/msgpack.ts";
import type { JobCache } from "./job_cache.ts";

/** What stands for a value that is not kept. */
const HIDDEN = "** hidden **";
const TRIMMED = "VALUE_TRIMMED";

/** A job that the master does itself: a runner, or a wheel function. */
export interface MasterJob {
  jid: string;
  /** `runner.test.arg`, `wheel.key.list_all`. */
  fun: string;
  user: string;
  /** Positional arguments, and a map of the named ones behind them if there are any. */
  args: readonly unknown[];
  /** When it began, in milliseconds since the epoch. */
  startedMs: number;
}

/** How such a job ended. */
export interface MasterJobEnd {
  return: unknown;
  success: boolean;
  /** Of one that failed. */
  retcode?: number;
  /** True if arguments and return are secrets: who may read jobs must not learn them. @default false */
  secret?: boolean;
}

/** Where the jobs of one master are kept, and how much of each. */
export interface MasterJobStore {
  jobs: Pick<JobCache, "saveLoad" | "saveReturn" | "settle">;
  /** Id of the master: such a job's target, and the name that its return has. */
  master: string;
  /** Bytes of a return beyond which only that it was there is kept; 0 for no bound. */
  maxBytes: number;
}

/** True for the functions of jobs that {@link saveMasterJob} keeps. */
export function isMasterFunction(fun: unknown): boolean {
  return typeof fun === "string" && /^(?:runner|wheel)\./.test(fun);
}

/**
 * Saves a job of the master's own with its end, in the shape that Salt has: the whole of what its `ret` event tells is its
 * return, and the master itself its target. It is settled at once, so that no ledger waits for it. Whoever calls this makes
 * it durable.
 *
 * @see salt/client/mixins.py SyncClientMixin.low
 */
export async function saveMasterJob(
  where: MasterJobStore,
  job: MasterJob,
  end: MasterJobEnd,
  nowMs: number,
): Promise<void> {
  const { jobs, master, maxBytes } = where;
  const { jid, fun, user, args, startedMs } = job;
  const data = (value: unknown, given: readonly unknown[]) =>
    encode({
      fun,
      jid,
      user,
      fun_args: given,
      _stamp: eventStamp(startedMs),
      return: value,
      success: end.success,
      ...(end.retcode === undefined ? {} : { retcode: end.retcode }),
    }, "bin");
  let bytes = end.secret === true ? data(HIDDEN, [HIDDEN]) : data(end.return, args);
  if (maxBytes > 0 && bytes.length > maxBytes) bytes = data(TRIMMED, [TRIMMED]);
  // Nobody looks for it as a file before it is there, as Salt's clients do for jobs of minions.
  await jobs.saveLoad(jid, { id: master, tgt: master, jid, fun, user }, [], { files: false });
  await jobs.saveReturn(jid, {
    minion: master,
    return: new Packed(bytes),
    retcode: end.success ? undefined : end.retcode ?? 1,
    success: end.success ? undefined : false,
    storedMs: nowMs,
  });
  await jobs.settle(jid);
}
