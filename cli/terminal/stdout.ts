/** What a program has yet to get rid of before it may end. */

interface Stream {
  write(text: string, done: () => void): unknown;
}

/**
 * Writes to stdout and knows when all of it is out. To end the stream would tell as much, and shut down the socket behind it: under
 * systemd, and below any program that starts others on its own, the next program of a script writes to the same one.
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
