/** Waits until output is written, before a program may end. */

interface Stream {
  write(text: string, done: () => void): unknown;
}

/**
 * Writes to stdout, and reports when everything is written. To end the stream would report that, too, but shuts down its
 * socket: under systemd and other programs, the next program of a script writes to the same socket.
 */
export class Stdout {
  readonly #stream: Stream;
  #pending = 0;
  #empty = () => {};

  constructor(stream: Stream) {
    this.#stream = stream;
  }

  write(text: string): void {
    // For an empty text Bun calls back while other texts still wait.
    if (text === "") return;
    this.#pending++;
    this.#stream.write(text, () => {
      if (--this.#pending === 0) this.#empty();
    });
  }

  /** Resolves when the system has accepted everything. */
  async written(): Promise<void> {
    if (this.#pending > 0) await new Promise<void>((resolve) => this.#empty = resolve);
  }
}
