/** Going to the background (`-d`): the program that was started ends once the daemon runs, or with its exit code. */
import { LIMIT_VARIABLE, limitForPrograms } from "../../src/runtime/descriptors.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";
import { relaunchCommand } from "../programs/job_command.ts";

declare const process: {
  env: Record<string, string | undefined>;
  stderr: { write(text: string | Uint8Array): boolean; on(event: "error", handler: () => void): void };
  stdout: { write(text: string): boolean; on(event: "error", handler: () => void): void };
  getBuiltinModule(name: "node:child_process"): typeof import("node:child_process");
};

/** Set in the child that runs in the background, so that it does not go there again. */
const BACKGROUND = "BRINE_BACKGROUND";

/** What the child writes to its stdout once it runs. */
const STARTED = "started\n";

/** True in the child; asked once: what this process starts later is not told. */
export function takeBackground(runtime: Pick<Runtime, "process">): boolean {
  const found = runtime.process.env(BACKGROUND) !== undefined;
  if (found) runtime.process.setEnv(BACKGROUND, undefined);
  return found;
}

/**
 * Starts this program again in a session of its own and waits until it runs. What it says until then is on stderr.
 *
 * @returns the exit code for this process: 0 once the daemon runs, else that of the daemon
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
    // `close` rather than `exit`: what it said last is read by then.
    child.on("close", (code, signal) => resolve(code ?? (signal === null ? 1 : 128)));
  });
}

/** In the child: tells the program that waits that the daemon runs. From then on nobody reads what is written. */
export function tellStarted(): void {
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});
  process.stdout.write(STARTED);
}
