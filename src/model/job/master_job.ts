import { eventStamp } from "../../protocol/wire/event_frame.ts";
import { encode, Packed } from "../../protocol/wire/msgpack.ts";
import type { JobCache } from "./job_cache.ts";

/** Placeholders for values that are not stored. */
const HIDDEN = "** hidden **";
const TRIMMED = "VALUE_TRIMMED";

/** A job that the master runs itself: a runner or a wheel function. */
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

/** The end of a master job. */
export interface MasterJobEnd {
  return: unknown;
  success: boolean;
  /** Of one that failed. */
  retcode?: number;
  /** True if arguments and return are secret: readers of the job cache must not learn them. @default false */
  secret?: boolean;
}

/** Where the jobs of one master are stored, and how much of each. */
export interface MasterJobStore {
  jobs: Pick<JobCache, "saveLoad" | "saveReturn" | "settle">;
  /** Id of the master: target of such a job, and sender of its return. */
  master: string;
  /** Bytes of a return; of a larger one only a placeholder is stored. 0 = no bound. */
  maxBytes: number;
}

/** True for the functions of jobs that {@link saveMasterJob} stores. */
export function isMasterFunction(fun: unknown): boolean {
  return typeof fun === "string" && /^(?:runner|wheel)\./.test(fun);
}

/**
 * Saves a master job with its end, in Salt's shape: its return is all the data of its `ret` event, and its target is the master.
 * It is settled at once, so that no ledger waits for it. The caller makes it durable.
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
  // No files: Salt's clients wait for those of minions' jobs only.
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
