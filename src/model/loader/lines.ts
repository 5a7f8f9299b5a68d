/** Characters of one line, at most. */
const MAX_CHARACTERS = 1024 * 1024;

/**
 * Splits the output of a program into lines, and passes them on one by one. `push` resolves when the lines of its chunk were
 * handled, so that a faster program has to wait. A line that is too long is dropped.
 */
export class Lines {
  readonly #take: (line: string) => void | Promise<void>;
  readonly #tooLong: (length: number) => void;
  readonly #decoder = new TextDecoder();
  #rest = "";
  /** Characters so far of a line that is too long. */
  #skipped = 0;
  #last: Promise<void> = Promise.resolve();

  /** @param tooLong called with the length of a dropped line, in characters */
  constructor(take: (line: string) => void | Promise<void>, tooLong: (length: number) => void = () => {}) {
    this.#take = take;
    this.#tooLong = tooLong;
  }

  push(chunk: Uint8Array): Promise<void> {
    const text = this.#decoder.decode(chunk, { stream: true });
    return this.#last = this.#last.then(() => this.#split(text));
  }

  /** Passes on a last line without a line feed; resolves when all lines were handled. */
  end(): Promise<void> {
    return this.#last = this.#last.then(async () => {
      const line = this.#rest;
      this.#rest = "";
      if (line !== "") await this.#take(line);
    });
  }

  async #split(text: string): Promise<void> {
    const lines = text.split("\n");
    for (const [at, piece] of lines.entries()) {
      const ends = at < lines.length - 1;
      if (this.#skipped > 0 || this.#rest.length + piece.length > MAX_CHARACTERS) {
        this.#skipped += this.#rest.length + piece.length;
        this.#rest = "";
        if (ends) {
          this.#tooLong(this.#skipped);
          this.#skipped = 0;
        }
      } else {
        this.#rest += piece;
        if (!ends) continue;
        const line = this.#rest;
        this.#rest = "";
        if (line.trim() !== "") await this.#take(line);
      }
    }
  }
}
