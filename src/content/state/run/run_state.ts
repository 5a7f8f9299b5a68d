import type { LowChunk } from "../../../model/loader/states.ts";
import { equal, str, truthy } from "../../../language/python/values.ts";
import { type CallHost, callState, findState } from "./call_state.ts";
import type { StateEntry } from "./chunk.ts";
import { needsRefresh } from "./refresh.ts";
import { Attempts, type Retry, retryComment, retryOf } from "./retry.ts";
import { duration, startTimes } from "./times.ts";
import type { UnifiedReturn } from "./unify.ts";
import { verifyChunk } from "./verify.ts";

export interface RunHost extends CallHost {
  /** Returns the number of the next entry; each number is given once. */
  nextNumber(): number;
  /** Called after each state that {@link needsRefresh}, except dry runs for `prereq`. */
  refresh(low: LowChunk, ret: UnifiedReturn): Promise<void>;
}

/** Runs a state dry to see whether it would change something. The return has no times and no number, so it is not an entry. */
export async function tryState(host: RunHost, low: LowChunk): Promise<StateEntry> {
  const found = await findState(host, low);
  const errors = verifyChunk(low, found);
  if (errors.length > 0 || "message" in found) return invalid(host, low, errors);
  return (await callState(host, low, found, true)).ret;
}

/** Runs a state, again if it has `retry`, and makes its entry. */
export async function runState(host: RunHost, low: LowChunk): Promise<StateEntry> {
  const isParallel = truthy(low.parallel ?? null);
  // As in Salt, `parallel: False` leaves `retry` out.
  const retry = low.parallel === undefined || isParallel ? retryOf(low) : undefined;
  const first = await attempt(host, low);
  const { entry } = first;
  // What cannot be run is not tried again, and beside others a dry run does not speak of what its conditions keep from running.
  if (retry === undefined || !first.ran || host.test && isParallel && truthy(entry.skip_watch ?? null)) return entry;
  if (host.test) return { ...entry, comment: retryComment(attemptComment(low, entry), retry) };
  return await retried(host, low, first, retry);
}

/** What an attempt said, as Salt shows it: what conditions say is a list there. */
function attemptComment({ check_cmd }: LowChunk, { comment, skip_watch }: StateEntry): string {
  return truthy(skip_watch ?? null) && check_cmd === undefined ? str(comment.split("\n")) : comment;
}

async function retried(host: RunHost, low: LowChunk, first: Attempt, retry: Retry): Promise<StateEntry> {
  const { clock, random } = host.context.runtime;
  const attempts = new Attempts();
  let total = Number(first.entry.duration ?? 0);
  let last = first;
  while (!equal(last.result ?? null, retry.until) && attempts.count + 1 < retry.attempts) {
    attempts.add(last.entry.result, attemptComment(low, last.entry));
    const interval = retry.interval + (retry.splay > 0 ? Math.floor(random() * (retry.splay + 1)) : 0);
    await clock.sleep(interval * 1000, host.context.signal);
    last = await attempt(host, low);
    total += Number(last.entry.duration ?? 0) + interval * 1000;
  }
  if (attempts.count === 0) return first.entry;
  const { start_time } = first.entry;
  return { ...last.entry, comment: attempts.comment(last.entry.comment), start_time, duration: duration(total) };
}

/** One try of a state. */
interface Attempt {
  entry: StateEntry;
  /** The result that the function gave. */
  result: unknown;
  /** False: the state could not be run. */
  ran: boolean;
}

async function attempt(host: RunHost, low: LowChunk): Promise<Attempt> {
  host.context.signal.throwIfAborted();
  const { log, runtime: { clock } } = host.context;
  const times = startTimes(clock);
  log.info("running state", { state: low.state, fun: low.fun, name: low.name });
  const found = await findState(host, low);
  const errors = verifyChunk(low, found);
  if (errors.length > 0 || "message" in found) return { entry: invalid(host, low, errors), result: false, ran: false };
  const { ret, result } = await callState(host, low, found, false);
  const entry: StateEntry = ret;
  entry.__sls__ = low.__sls__ ?? null;
  entry.__run_num__ = host.nextNumber();
  if (needsRefresh(low, ret)) await host.refresh(low, ret);
  const { start_time, duration: took } = times();
  entry.start_time = start_time;
  entry.duration = took;
  entry.__id__ = low.__id__ ?? null;
  log.info("completed state", { name: str(low.name), result: entry.result, duration_in_ms: entry.duration });
  return { entry, result, ran: true };
}

/** The entry of a chunk that cannot be run. */
function invalid(host: RunHost, low: LowChunk, errors: readonly string[]): StateEntry {
  const comment = errors.map((error) => `${error}\n`).join("");
  return { result: false, name: low.name ?? null, changes: {}, comment, __run_num__: host.nextNumber() };
}
