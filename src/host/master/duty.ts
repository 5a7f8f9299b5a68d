import type { Clock } from "../../base/async/clock.ts";
import { messageOf } from "../../base/errors.ts";
import type { Logger } from "../../base/log.ts";

/** Work that a master repeats while it runs. */
export interface Duty {
  /** The work as the log names it, for example `"remove old jobs"`. */
  name: string;
  /** The time from the end of one run to the begin of the next, in milliseconds. */
  everyMs: number;
  /** Does the work once. MUST return soon after the signal aborts. */
  run(signal: AbortSignal): void | Promise<void>;
}

/** How often a lasting failure is logged again, in milliseconds. */
const REMIND_MS = 600_000;
/** How long a duty that is under way may delay the end of the master, in milliseconds. */
const LEAVE_MS = 10_000;

/**
 * Carries out all duties until the signal aborts. Each runs independently: a duty that fails or takes long delays no other. Their pauses
 * are measured by the time slept, so a clock that is set neither hastens nor delays a duty.
 */
export async function carryOut(
  duties: readonly Duty[],
  { clock, log }: { clock: Clock; log: Logger },
  signal: AbortSignal,
): Promise<void> {
  const running = new Set(duties.map(({ name }) => name));
  const all = Promise.all(duties.map(async (duty) => {
    await repeat(duty, clock, log, signal);
    running.delete(duty.name);
  }));
  const left = new Promise<void>((resolve) => {
    const leave = () => {
      const cancel = clock.after(LEAVE_MS, () => {
        log.warning("maintenance not finished: the master is stopping", { duties: [...running] });
        resolve();
      });
      void all.then(cancel);
    };
    if (signal.aborted) leave();
    else signal.addEventListener("abort", leave, { once: true });
  });
  await Promise.race([all, left]);
}

async function repeat(duty: Duty, clock: Clock, log: Logger, signal: AbortSignal): Promise<void> {
  /** The lasting failure, and when it was last logged. */
  let failure: { message: string; toldAt: number; runs: number } | undefined;
  while (!signal.aborted) {
    try {
      await duty.run(signal);
      if (failure !== undefined) log.info("maintenance works again", { duty: duty.name, failed_runs: failure.runs });
      failure = undefined;
    } catch (error) {
      const message = messageOf(error);
      const at = clock.elapsed();
      const isNew = failure?.message !== message || at - failure.toldAt >= REMIND_MS;
      if (isNew) log.error("maintenance failed", { duty: duty.name, error: message });
      failure = { message, toldAt: isNew ? at : failure!.toldAt, runs: (failure?.runs ?? 0) + 1 };
    }
    await clock.sleep(duty.everyMs, signal).catch(() => {});
  }
}
