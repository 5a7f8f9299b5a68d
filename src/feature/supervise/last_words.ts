import type { Clock } from "../../base/async/clock.ts";
import type { ExitStatus } from "../../runtime/process.ts";

/** The most characters that are kept. */
const MAX_KEPT_CHARACTERS = 4096;

/** The last output of a process, which often names the cause of a crash. */
export class LastWords {
  readonly #decoder = new TextDecoder();
  #text = "";

  add(chunk: Uint8Array): void {
    this.#text = (this.#text + this.#decoder.decode(chunk)).slice(-MAX_KEPT_CHARACTERS);
  }

  get text(): string {
    return this.#text.trim();
  }
}

/** The most bytes a second that are read of a process's output. */
const READ_BYTES = 1024 * 1024;

/**
 * Reads the output of a process no faster than {@link READ_BYTES}: a process that prints without end then blocks at its pipe, and takes
 * no time of the process that started it.
 */
export function readSlowly(
  clock: Pick<Clock, "elapsed" | "sleep">,
  take: (chunk: Uint8Array) => void,
): (chunk: Uint8Array) => void | Promise<void> {
  let since = -Infinity;
  let bytes = 0;
  return (chunk) => {
    take(chunk);
    const now = clock.elapsed();
    if (now - since >= 1000) [since, bytes] = [now, 0];
    bytes += chunk.length;
    if (bytes < READ_BYTES) return;
    return clock.sleep(since + 1000 - now);
  };
}

/** The text of an exit status: `exit code 1` or `signal SIGKILL`. */
export function statusText({ code, signal }: ExitStatus): string {
  return signal === null ? `exit code ${code}` : `signal ${signal}`;
}
