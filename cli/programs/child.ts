/** The processes that masters and minions start from their own programs: for parts, jobs and runners. */
import { PART_VARIABLE } from "../../src/feature/supervise/part_protocol.ts";
import { currentRuntime } from "../../src/runtime/current.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";

declare const process: {
  env: Record<string, string | undefined>;
  stderr: { write(text: string): boolean };
  on(event: string, handler: (error: unknown) => void): void;
  exit(code: number): never;
};

/** Prints the error, and ends this process. */
export function die(error: unknown): never {
  process.stderr.write(`${error instanceof Error ? error.stack : error}\n`);
  process.exit(1);
}

/**
 * Serves the process that has started this one, and exits.
 *
 * @param serve returns the exit code. Its `ticket` has token and socket, for `servePart`
 */
export async function childMain(serve: (runtime: Runtime, ticket: string) => Promise<number>): Promise<never> {
  const ticket = process.env[PART_VARIABLE];
  if (ticket === undefined) {
    throw new TypeError("Cannot run as a process of a master or minion: they start such processes themselves");
  }
  // Child processes must not inherit the ticket.
  delete process.env[PART_VARIABLE];
  // Not every runtime ends the process on these events.
  for (const event of ["uncaughtException", "unhandledRejection"]) process.on(event, die);
  process.exit(await serve(await currentRuntime(), ticket));
}
