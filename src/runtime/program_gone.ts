import { codeOf } from "../base/errors.ts";

/**
 * The message for a daemon that cannot start its own program any more, because the file was removed: every part of the daemon
 * that needs another process fails from then on. Undefined for any other error.
 *
 * @param error of starting the program
 * @param daemon as people know it: `salt-minion`
 */
export function programGone(error: unknown, daemon: string): string | undefined {
  if (codeOf(error) !== "ENOENT" || typeof error !== "object" || error === null || !("program" in error)) {
    return undefined;
  }
  return `the program file ${error.program} of the running ${daemon} is gone: install Brine again and restart ` +
    `${daemon}, or stop ${daemon}`;
}
