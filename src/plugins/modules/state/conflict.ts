import { joinPath } from "../../../base/paths.ts";
import { isJid, jidToTime } from "../../../model/job/jid.ts";
import type { JobContext } from "../../../model/loader/family.ts";
import { type Args, str, truthy } from "../../../language/python/values.ts";
import { queuedJobs, stateQueueDirectory } from "../../../content/state/state_queue.ts";
import { writePacked } from "./packed_files.ts";
import { CODES, isSaltCall } from "./state_call.ts";

interface Job {
  jid: string;
  fun: unknown;
  pid: unknown;
}

/** Milliseconds between looks at what else runs. */
const LOOK_MS = 300;

/** Jobs of functions of `state` that run on this minion, but for this one. */
async function otherJobs(context: JobContext): Promise<Job[]> {
  const jobs = await context.jobs.running();
  return jobs.map(({ jid, fun, pid }) => ({ jid: str(jid), fun, pid }))
    .filter(({ jid, fun }) => jid !== context.jid && [fun].flat().some((name) => str(name).startsWith("state.")));
}

/** What else runs, in Salt's words. */
export async function runningStates(context: JobContext, concurrent: unknown): Promise<string[]> {
  if (truthy(concurrent)) return [];
  return (await otherJobs(context)).map(({ fun, pid, jid }) =>
    `The function "${str(fun)}" is running as PID ${str(pid ?? null)} and was started at ${
      isJid(jid) ? jidToTime(jid) : ""
    } with jid ${jid}`
  );
}

/** The jobs that wait for their turn, as files in the cache directory: they show it to others, and to whoever looks. */
class StateQueue {
  readonly #context: JobContext;
  readonly #directory: string;

  constructor(context: JobContext) {
    this.#context = context;
    this.#directory = stateQueueDirectory(context.opts);
  }

  /** Jids of the jobs that wait. */
  waiting(): Set<string> {
    return new Set(queuedJobs(this.#context.runtime.fs, this.#directory).keys());
  }

  /** Adds this job. @returns the way to take it out again */
  join(kwargs: Args): () => void {
    const { runtime: { clock, fs }, jid, load = {} } = this.#context;
    const path = joinPath(this.#directory, `queued_${Math.trunc(clock.now() * 1000)}_${jid}.p`);
    const { fun, arg = [], tgt, ret = "", user = "root" } = load;
    const kwarg = Object.fromEntries(Object.entries(kwargs).filter(([key]) => !key.startsWith("__pub_")));
    writePacked(this.#context, path, { fun, arg, tgt, jid, ret, user, kwarg });
    return () => fs.remove(path);
  }
}

/** The jobs that this one has to wait for: those that run, and those that waited before it came. */
async function before(context: JobContext, queue: StateQueue): Promise<Job[]> {
  const waiting = queue.waiting();
  return (await otherJobs(context)).filter(({ jid }) => !waiting.has(jid) || jid < context.jid);
}

async function waitForTurn(context: JobContext, kwargs: Args): Promise<void> {
  const queue = new StateQueue(context);
  if ((await before(context, queue)).length === 0) return;
  const leave = queue.join(kwargs);
  try {
    while ((await before(context, queue)).length > 0) await context.runtime.clock.sleep(LOOK_MS, context.signal);
  } finally {
    // A minion that is stopped runs the job after its restart, for its file is there still; one that is killed removes the file.
    if (!context.signal.aborted || isSaltCall(context)) leave();
  }
}

/**
 * Looks whether other states run. With a queue it waits until they have ended; with a number for a queue only if fewer than that many
 * are before it.
 *
 * @param queue argument of the call; none for the option `state_queue`
 * @returns what the call returns in the place of its states, if it must not run them
 */
export async function conflict(context: JobContext, queue: unknown, kwargs: Args): Promise<string[] | undefined> {
  const wanted = queue ?? context.opts.state_queue ?? false;
  const length = typeof wanted === "number" || typeof wanted === "bigint" ? Number(wanted) : undefined;
  if (wanted === true || length !== undefined && (length === 0 || (await otherJobs(context)).length < length)) {
    await waitForTurn(context, kwargs);
    return undefined;
  }
  const others = await runningStates(context, kwargs.concurrent ?? false);
  if (others.length === 0) return undefined;
  context.retcode = CODES.compiler;
  return others;
}
