import { SaltError, SystemError } from "../../errors.ts";

/**
 * Writes to a store that is elsewhere: kept until they are flushed, and then sent together, or all lost. Reads settle first
 * what waits, so that they see it.
 *
 * What is saved while others are on their way builds on them, and is lost with them. Each flush answers for all that was
 * saved before it was called, and for nothing else: a loss is told to every flush that it concerns.
 */
export class WriteBuffer<Write> {
  readonly #send: (writes: Write[]) => Promise<void>;
  readonly #onLoss: () => void;
  #pending: Write[] = [];
  #last: Promise<void> = Promise.resolve();
  /** How much was saved, or found to be saved already, up to now. */
  #saved = 0;
  /** The part of that for which a flush has answered. */
  #answered = 0;
  /** Why all up to there is lost, as long as a flush has yet to tell of it. */
  #lost: { error: unknown; upTo: number } | undefined;
  /** What {@link WriteBuffer.once} has saved: what waits, and what is on its way. */
  #waiting = new Set<string>();
  #sending = new Set<string>();
  /** Names of which the store is being asked. */
  readonly #asking = new Map<string, Promise<boolean>>();

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
    if (this.#lost !== undefined) throw this.#lost.error;
    this.#saved++;
    this.#pending.push(write);
  }

  /**
   * Saves what must not be saved twice. False if it is there, waits here or is on its way; the flush to come answers for
   * that, too.
   *
   * @param isKnown asks the store
   * @param save pushes it
   */
  async once(name: string, isKnown: () => Promise<boolean>, save: () => void): Promise<boolean> {
    for (;;) {
      if (this.#waiting.has(name) || this.#sending.has(name)) {
        // Whoever is told so may count on it, and must hear if it is lost.
        this.#saved++;
        return false;
      }
      const other = this.#asking.get(name);
      if (other === undefined) break;
      // What is in its way is told to whoever asks; here it is asked anew then.
      await other.catch(() => {});
    }
    const asking = isKnown();
    this.#asking.set(name, asking);
    try {
      if (await asking) return false;
    } finally {
      this.#asking.delete(name);
    }
    save();
    this.#waiting.add(name);
    return true;
  }

  /** @throws what was in the way, of this flush or of a read since the one before */
  async flush(): Promise<void> {
    const upTo = this.#saved;
    await this.#drain();
    this.#answered = Math.max(this.#answered, upTo);
    const lost = this.#lost;
    if (lost === undefined) return;
    if (this.#answered >= lost.upTo) this.#lost = undefined;
    throw lost.error;
  }

  /** Before a read. */
  async settle(): Promise<void> {
    await this.#drain();
    if (this.#lost !== undefined) throw this.#lost.error;
  }

  /** One at a time: what was saved first is sent first. */
  #drain(): Promise<void> {
    return this.#last = this.#last.then(async () => {
      if (this.#pending.length === 0) return;
      const writes = this.#pending;
      this.#pending = [];
      this.#sending = this.#waiting;
      this.#waiting = new Set();
      try {
        await this.#send(writes);
      } catch (error) {
        this.#lost = { error, upTo: this.#saved };
        // What was saved meanwhile builds on what is lost.
        this.#pending = [];
        this.#waiting.clear();
        this.#onLoss();
      }
      this.#sending.clear();
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
