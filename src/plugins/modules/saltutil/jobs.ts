import { InvalidArgumentsError, type JobContext } from "../../../model/loader/family.ts";
import { str } from "../../../language/python/values.ts";

/** The running jobs, without the one that asks. */
export async function runningJobs(context: JobContext): Promise<Record<string, unknown>[]> {
  return (await context.jobs.running()).filter(({ jid }) => jid !== context.jid);
}

const SIGNALS: Record<string, number> = { HUP: 1, INT: 2, QUIT: 3, KILL: 9, USR1: 10, USR2: 12, TERM: 15 };

export function signalOf(value: unknown): number {
  const text = str(value).replace(/^SIG/i, "").toUpperCase();
  const number = Object.hasOwn(SIGNALS, text) ? SIGNALS[text]! : Number(text);
  if (!Number.isInteger(number) || number < 0 || number > 64) {
    throw new InvalidArgumentsError(`The signal must be a number from 0 to 64, not ${str(value)}`);
  }
  return number;
}

export async function signalJob(context: JobContext, jid: unknown, signal: number): Promise<string> {
  const wanted = str(jid);
  if (!(await runningJobs(context)).some((job) => job.jid === wanted)) {
    // Salt says nothing: its return stays empty.
    context.log.warning("no job was signalled: none of this id is running here", { jid: wanted });
    return "";
  }
  const reached = await context.jobs.signal(wanted, signal);
  if (reached === undefined) return `Job ${wanted} was not running and job data has been cleaned up`;
  return `Signal ${signal} sent to job ${wanted} at pid ${reached.pid}`;
}

export async function signalAll(context: JobContext, signal: number): Promise<string[]> {
  const answers: string[] = [];
  for (const { jid } of await runningJobs(context)) answers.push(await signalJob(context, jid, signal));
  return answers;
}
