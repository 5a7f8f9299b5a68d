/** Output that has to be written before a program may end. */

interface Stream {
  write(text: string, done: () => void): unknown;
}

/**
 * Writes to stdout and reports when all of it is written. Ending the stream would report that too, but shuts down the socket
 * behind it: under systemd, and below other programs that start programs, the next program of a script writes to the same one.
 */
export class Stdout {
  readonly #stream: Stream;
  #pending = 0;
  #empty = () => {};

  constructor(stream: Stream) {
    this.#stream = stream;
  }

  write(text: string): void {
    // Bun calls back for an empty text while others still wait.
    if (text === "") return;
    this.#pending++;
    this.#stream.write(text, () => {
      if (--this.#pending === 0) this.#empty();
    });
  }

  /** Resolves once everything was handed to the system. */
  async written(): Promise<void> {
    if (this.#pending > 0) await new Promise<void>((resolve) => this.#empty = resolve);
  }
}
