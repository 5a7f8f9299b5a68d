import { messageOf } from "../../src/base/errors.ts";
import type { Logger } from "../../src/base/log.ts";

declare const process: { on(event: string, handler: (error: unknown) => void): void };

/** Logs unexpected errors instead of ending: a mistake in one request must not stop the daemon. */
export function surviveMishaps(log: Logger): void {
  for (const event of ["uncaughtException", "unhandledRejection"]) {
    process.on(event, (error) => {
      log.critical("unexpected error", { error: messageOf(error), stack: (error as Error)?.stack ?? "" });
    });
  }
}
