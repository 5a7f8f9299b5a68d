import { SaltError, SystemError } from "../../errors.ts";

/**
 * Writes to a store that is elsewhere: kept until they are flushed, and then sent together, or all lost. Reads settle first
 * what waits, so that they see it.
 */
export class WriteBuffer<Write> {
  readonly #send: (writes: Write[]) => Promise<void>;
  readonly #onLoss: () => void;
  #pending: Write[] = [];
  #last: Promise<void> = Promise.resolve();
  #lost: unknown;

  /**
   * @param send sends all or none
   * @param onLoss hears that writes are lost, and with them what was remembered of them
   */
  constructor(send: (writes: Write[]) => Promise<void>, onLoss: () => void) {
    this.#send = send;
    this.#onLoss = onLoss;
  }

  push(write: Write): void {
    // The flush to come will tell that this is lost, too: what was saved before it is.
    if (this.#lost !== undefined) throw this.#lost;
    this.#pending.push(write);
  }

  /** @throws what was in the way, of this flush or of a read since the one before */
  async flush(): Promise<void> {
    await this.#drain();
    const lost = this.#lost;
    this.#lost = undefined;
    if (lost !== undefined) throw lost;
  }

  /** Before a read. */
  async settle(): Promise<void> {
    await this.#drain();
    if (this.#lost !== undefined) throw this.#lost;
  }

  /** One at a time: what was saved first is sent first. */
  #drain(): Promise<void> {
    return this.#last = this.#last.then(async () => {
      if (this.#pending.length === 0) return;
      const writes = this.#pending;
      this.#pending = [];
      try {
        await this.#send(writes);
      } catch (error) {
        // What was saved meanwhile builds on what is lost.
        this.#pending = [];
        this.#lost = error;
        this.#onLoss();
      }
    });
  }
}

/** What a server's texts and codes mean: an errno, and what to do. */
export type Remedy = readonly [pattern: RegExp, errno: string, remedy: string];

/** What went wrong with a server, and what can be done about it. */
export function serverFailure(place: string, error: unknown, remedies: readonly Remedy[]): SaltError {
  if (error instanceof SaltError) return error;
  const { message, code } = (error ?? {}) as { message?: unknown; code?: unknown };
  const text = [code, message || String(error)].filter((part) => typeof part === "string" && part !== "").join(": ");
  const [, errno, remedy] = remedies.find(([pattern]) => pattern.test(text)) ??
    [undefined, "EIO", "see the server's log"];
  return new SystemError(errno, `Cannot use the job cache at ${place}: ${text}; ${remedy}`, { place, cause: error });
}
