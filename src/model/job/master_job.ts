import { eventStamp } from "../../protocol/wire/event_frame.ts";
import { encode, Packed } from "../../protocol/wire/msgpack.ts";
import type { JobCache } from "./job_cache.ts";

/** Placeholders for values that are not stored. */
const HIDDEN = "** hidden **";
const TRIMMED = "VALUE_TRIMMED";

/** A job that the master runs itself: a runner or a wheel function. */
export interface MasterJob {
  jid: string;
  /** Name of the function: `runner.test.arg`, `wheel.key.list_all`. */
  fun: string;
  user: string;
  /** Positional arguments, followed by a map of the keyword arguments if there are any. */
  args: readonly unknown[];
  /** Start of the job, in milliseconds since the epoch. */
  startedMs: number;
}

export interface MasterJobEnd {
  return: unknown;
  success: boolean;
  /** Return code of a failed job. */
  retcode?: number;
  /** True if arguments and return are secret, so that readers of the job cache do not learn them. @default false */
  secret?: boolean;
}

interface MasterJobStore {
  jobs: Pick<JobCache, "saveLoad" | "saveReturn" | "settle">;
  /** Id of the master, which is the target and the sender of the return. */
  master: string;
  /** Bytes of a return, at most; a placeholder is stored for a larger one. 0 = no limit. */
  maxBytes: number;
}

/** True for the functions of jobs that {@link saveMasterJob} stores. */
export function isMasterFunction(fun: unknown): boolean {
  return typeof fun === "string" && /^(?:runner|wheel)\./.test(fun);
}

/**
 * Saves a master job with its end in Salt's form: its return is the data of its `ret` event, and its target is the master. The
 * job is settled at once, so that no ledger waits for it. The caller must flush the cache.
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
  // `files: false`, because Salt's clients wait only for files of minions' jobs.
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
