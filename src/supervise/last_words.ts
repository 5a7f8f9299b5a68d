import type { ExitStatus } from "../runtime/process.ts";

/** Characters that are kept. */
const KEPT = 4096;

/** The end of what a process has printed: what it says of its own death. */
export class LastWords {
  readonly #decoder = new TextDecoder();
  #text = "";

  add(chunk: Uint8Array): void {
    this.#text = (this.#text + this.#decoder.decode(chunk)).slice(-KEPT);
  }

  get text(): string {
    return this.#text.trim();
  }
}

/** `exit code 1` or `signal SIGKILL`. */
export function statusText({ code, signal }: ExitStatus): string {
  return signal === null ? `exit code ${code}` : `signal ${signal}`;
}
