/** Runs a daemon in the background (`-d`): the foreground program ends when the daemon runs, or exits with the daemon's code. */
import { LIMIT_VARIABLE, limitForPrograms } from "../../src/runtime/descriptors.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";
import { relaunchCommand } from "../programs/job_command.ts";

declare const process: {
  env: Record<string, string | undefined>;
  stderr: { write(text: string | Uint8Array): boolean; on(event: "error", handler: () => void): void };
  stdout: { write(text: string): boolean; on(event: "error", handler: () => void): void };
  getBuiltinModule(name: "node:child_process"): typeof import("node:child_process");
};

/** Variable that marks the child in the background, so that it does not start a child itself. */
const BACKGROUND = "BRINE_BACKGROUND";

/** The line that the child prints once it runs. */
const STARTED = "started\n";

/** True in the child. Also removes the mark, so that programs started later do not inherit it. */
export function takeBackground(runtime: Pick<Runtime, "process">): boolean {
  const found = runtime.process.env(BACKGROUND) !== undefined;
  if (found) runtime.process.setEnv(BACKGROUND, undefined);
  return found;
}

/**
 * Starts this program again in a new session, and waits until it runs. Its output until then goes to stderr.
 *
 * @returns the exit code for this process: 0 once the daemon runs, otherwise the daemon's exit code
 */
export function goToBackground(runtime: Runtime): Promise<number> {
  const { spawn } = process.getBuiltinModule("node:child_process");
  const [program = "", ...words] = relaunchCommand(runtime);
  const limit = limitForPrograms(runtime);
  const child = spawn(program, words, {
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, ...(limit === undefined ? {} : { [LIMIT_VARIABLE]: String(limit) }), [BACKGROUND]: "1" },
  });
  return new Promise((resolve, reject) => {
    let said = "";
    child.stdout.on("data", (chunk: Uint8Array) => {
      said = (said + new TextDecoder().decode(chunk)).slice(-STARTED.length);
      if (said === STARTED) resolve(0);
    });
    child.stderr.on("data", (chunk: Uint8Array) => void process.stderr.write(chunk));
    child.on("error", reject);
    // `close` instead of `exit`, so that all output has been read.
    child.on("close", (code, signal) => resolve(code ?? (signal === null ? 1 : 128)));
  });
}

/** In the child: tells the waiting program that the daemon runs. After that nobody reads the child's output. */
export function tellStarted(): void {
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});
  process.stdout.write(STARTED);
}
