import type { Runtime } from "../../runtime/runtime.ts";

/** Sends a signal to process groups: to the processes and all that they started. */
export function killGroups(process: Runtime["process"], pids: Iterable<number>, signal: "SIGTERM" | "SIGKILL"): void {
  for (const pid of pids) {
    try {
      process.kill(-pid, signal) || process.kill(pid, signal);
    } catch {
      // The process has ended, and its number belongs to a process of another user by now.
    }
  }
}
