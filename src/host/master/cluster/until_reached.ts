import type { Clock } from "../../../base/async/clock.ts";
import { codeOf, messageOf, SystemError } from "../../../base/errors.ts";
import type { Logger } from "../../../base/log.ts";

/** The first wait between two attempts, in milliseconds: it doubles each time, up to the next constant. */
const FIRST_MS = 500;
const MAX_MS = 10_000;
/** How often the log says that the master still waits, in milliseconds. */
const SAY_AGAIN_MS = 60_000;

/** Errors that end without a change of this master's configuration: a server is away, starts, is full, or takes no writes at present. */
const PASSING: ReadonlySet<string> = new Set([
  "ECONNREFUSED",
  "ENOTCONN",
  "ETIMEDOUT",
  "EAGAIN",
  "EROFS",
  "ENOSPC",
]);

/** How a master that starts waits for the servers of its cluster. */
export interface WaitingReach {
  /** Ends the wait: the master must stop. */
  stopping?: AbortSignal;
  /** Called with the reason at each failed attempt, and with undefined once the master waits no more. */
  told?(reason: string | undefined): void;
}

/**
 * Tries until the servers of a cluster can be reached, with growing pauses, and logs why it waits. An error that does not pass, such as a
 * wrong password or another cluster's key, is thrown at once.
 *
 * @throws {SystemError} `ECANCELED` as soon as the master must stop
 */
export async function untilReached<T>(
  attempt: () => Promise<T>,
  { clock, log, stopping, told = () => {} }: WaitingReach & { clock: Clock; log: Logger },
): Promise<T> {
  const began = clock.elapsed();
  let [said, saidAt] = ["", -Infinity];
  for (let pauseMs = FIRST_MS;; pauseMs = Math.min(2 * pauseMs, MAX_MS)) {
    try {
      const reached = await unlessStopped(attempt(), stopping);
      if (said !== "") log.info("the servers of the cluster are available", { seconds: seconds(clock, began) });
      told(undefined);
      return reached;
    } catch (error) {
      if (!PASSING.has(codeOf(error))) {
        told(undefined);
        throw error;
      }
      const reason = messageOf(error);
      told(reason);
      if (reason !== said || clock.elapsed() - saidAt >= SAY_AGAIN_MS) {
        log.error("waiting for a server of the cluster: the master does not serve until it is available", {
          reason,
          seconds: seconds(clock, began),
        });
        [said, saidAt] = [reason, clock.elapsed()];
      }
      await unlessStopped(clock.sleep(pauseMs), stopping);
    }
  }
}

const seconds = (clock: Clock, sinceMs: number) => Math.round((clock.elapsed() - sinceMs) / 1000);

async function unlessStopped<T>(work: Promise<T>, stopping: AbortSignal | undefined): Promise<T> {
  if (stopping === undefined) return await work;
  // The attempt may fail after all callers have gone: ignore that.
  work.catch(() => {});
  const stopped = Promise.withResolvers<never>();
  const stop = () => stopped.reject(new SystemError("ECANCELED", "Cannot join the cluster: the master is stopping"));
  stopping.addEventListener("abort", stop);
  if (stopping.aborted) stop();
  try {
    return await Promise.race([work, stopped.promise]);
  } finally {
    stopping.removeEventListener("abort", stop);
  }
}
