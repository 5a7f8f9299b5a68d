import { deferred } from "../../base/async/deferred.ts";
import type { Runtime } from "../../runtime/runtime.ts";

/** Waits for a line; when its input ends without one, its parent has died, and the process group goes as well. */
const SCRIPT = 'read -r _ && exit 0; kill -s KILL -- "-$0"';

/**
 * Starts a shell that kills a process group once this process has died, however it died: a process that hangs or is stopped
 * cannot notice that by itself.
 *
 * @returns ends the guard; without a shell on this host there is none
 */
export async function guardAgainstOrphans({ process }: Pick<Runtime, "process">, group: number): Promise<() => void> {
  const released = deferred<Uint8Array>();
  try {
    await process.spawn({
      argv: ["sh", "-c", SCRIPT, String(group)],
      env: process.environment(),
      stdin: released.promise,
      // Ctrl-C in the master's terminal must not end it.
      detached: true,
    });
  } catch {
    // A process that works still notices that its connection is closed.
  }
  return () => released.resolve(new TextEncoder().encode("\n"));
}
