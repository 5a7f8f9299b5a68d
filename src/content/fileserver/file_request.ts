import type { Clock } from "../../base/async/clock.ts";
import { messageOf } from "../../base/errors.ts";
import { CommandExecutionError } from "../../model/loader/family.ts";
import type { Logger } from "../../base/log.ts";

/** Sends one request to the file server: a master, or a `FileServer` in this process. `raw`: leave bytes as they are. */
export type FileRequest = (load: Record<string, unknown>, options?: { raw?: boolean }) => Promise<unknown>;

/** How often one request is sent, beyond the retries of the channel itself. */
const TRIES = 3;
/** The pause before the second try, in milliseconds. */
const PAUSE_MS = 1000;

interface RetryOptions {
  clock: Clock;
  log: Logger;
}

/** Sends requests again when the file server does not answer. @throws {CommandExecutionError} after the last try */
export function withRetries(request: FileRequest, { clock, log }: RetryOptions): FileRequest {
  return async (load, options = {}) => {
    for (let tries = 1;; tries++) {
      try {
        return await request(load, options);
      } catch (error) {
        if (tries === TRIES) {
          throw new CommandExecutionError(`The file server did not answer ${load.cmd}: ${messageOf(error)}`, {
            cause: error,
          });
        }
        log.warning("file server did not answer, asking again", { cmd: load.cmd, reason: messageOf(error) });
        await clock.sleep(PAUSE_MS * tries);
      }
    }
  };
}
