import { concat } from "../../../runtime/bytes.ts";

/**
 * The chunks that wait for one reader, with a limit. They are kept here and not in the stream's own queue, which cannot
 * be emptied from outside: once a reader is dropped, its chunks must not stay in memory.
 */
export class OutgoingChunks {
  readonly body: ReadableStream<Uint8Array<ArrayBuffer>>;
  readonly #limit: number;
  readonly #onEnd: () => void;
  #controller!: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>>;
  #chunks: Uint8Array<ArrayBuffer>[];
  #bytes = 0;
  #wanted = false;
  #over = false;

  /**
   * @param first the start of the stream, which does not count
   * @param limit the most bytes that wait, in addition to one chunk of any size; beyond that the stream ends
   * @param onEnd called once, whichever side ended it
   */
  constructor(first: Uint8Array<ArrayBuffer>, limit: number, onEnd: () => void) {
    this.#chunks = [first];
    this.#limit = limit;
    this.#onEnd = onEnd;
    this.body = new ReadableStream<Uint8Array<ArrayBuffer>>({
      start: (controller) => void (this.#controller = controller),
      pull: () => this.#pull(),
      cancel: () => this.#finish(),
    }, { highWaterMark: 0 });
  }

  #pull(): void {
    if (this.#chunks.length === 0) {
      this.#wanted = true;
      return;
    }
    const [chunk] = this.#chunks;
    const whole = this.#chunks.length === 1 ? chunk! : concat(this.#chunks);
    this.#chunks = [];
    this.#bytes = 0;
    this.#controller.enqueue(whole);
  }

  push(chunk: Uint8Array<ArrayBuffer>): void {
    if (this.#over) return;
    if (this.#wanted) {
      this.#wanted = false;
      this.#controller.enqueue(chunk);
      return;
    }
    const before = this.#bytes;
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    if (before > 0 && this.#bytes > this.#limit) {
      this.#chunks = [];
      this.end();
    }
  }

  /** Ends the stream after the waiting chunks. */
  end(): void {
    if (this.#over) return;
    if (this.#chunks.length > 0) this.#controller.enqueue(concat(this.#chunks));
    this.#finish();
    this.#controller.close();
  }

  #finish(): void {
    if (this.#over) return;
    this.#over = true;
    this.#chunks = [];
    this.#onEnd();
  }
}
