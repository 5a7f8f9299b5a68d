/** How programs end: exit codes, errors and Ctrl-C. */
import { codeOf, ConfigError, messageOf } from "../../src/base/errors.ts";
import type { ProgramContext } from "./context.ts";

/** Ends the program with an exit code and a message for stderr. */
export class Exit extends Error {
  readonly exitCode: number;
  constructor(exitCode: number, message = "") {
    super(message);
    this.exitCode = exitCode;
  }
}

/** No master is running, and nothing was done: a script must learn that from the exit code. */
export class MasterDown extends Exit {
  constructor(cause: unknown) {
    super(1, `The salt master could not be contacted. Is master running? ${messageOf(cause)}`);
    this.cause = cause;
  }
}

/** Exit codes for certain errors. */
const EXIT_CODES: Record<string, number> = { EADDRINUSE: 4, EADDRNOTAVAIL: 4 };

/** Runs the main function of a program. An error is printed or logged, and determines the exit code. */
export async function exitCodeOf(
  main: (context: ProgramContext) => Promise<number>,
  context: ProgramContext,
): Promise<number> {
  const { log, complain } = context;
  try {
    return await main(context);
  } catch (error) {
    if (error instanceof Exit) {
      if (error.message !== "") complain(error.message);
      return error.exitCode;
    }
    log.critical(messageOf(error));
    if (error instanceof ConfigError) return 1;
    if (log.enabled("debug") && error instanceof Error) complain(error.stack ?? "");
    return EXIT_CODES[codeOf(error)] ?? 1;
  }
}

/**
 * Ends the program on Ctrl-C, with exit code 0 as in Salt.
 *
 * @param last called before the program ends
 * @returns removes the handler
 */
export function leaveOnInterrupt({ runtime, complain }: ProgramContext, last: () => void = () => {}): () => void {
  return runtime.process.onSignal("SIGINT", () => {
    complain("\nExiting gracefully on Ctrl-c");
    last();
    runtime.process.exit(0);
  });
}
