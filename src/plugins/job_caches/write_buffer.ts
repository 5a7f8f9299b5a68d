/**
 * Writes to a store on another host: buffered until a flush, then sent together; all succeed or all are lost. Reads send
 * what is buffered first, so that they see it.
 *
 * What is saved while earlier writes are being sent builds on them, and is lost with them. Each flush answers for everything
 * saved before it was called, and for nothing else: every flush that a loss concerns throws it.
 */
export class WriteBuffer<Write> {
  readonly #send: (writes: Write[]) => Promise<void>;
  readonly #onLoss: () => void;
  #pending: Write[] = [];
  #last: Promise<void> = Promise.resolve();
  /** How many writes were saved, or found to be saved already, up to now. */
  #saved = 0;
  /** How many of those a flush has answered for. */
  #answered = 0;
  /** Why all writes up to a number are lost, until every flush that this concerns has thrown it. */
  #lost: { error: unknown; upTo: number } | undefined;
  /** Names that {@link WriteBuffer.once} has saved: buffered, and being sent. */
  #waiting = new Set<string>();
  #sending = new Set<string>();
  /** Names that the store is being asked about. */
  readonly #asking = new Map<string, Promise<boolean>>();

  /**
   * @param send sends all or none
   * @param onLoss called when writes are lost: what was remembered about them is no longer true
   */
  constructor(send: (writes: Write[]) => Promise<void>, onLoss: () => void) {
    this.#send = send;
    this.#onLoss = onLoss;
  }

  push(write: Write): void {
    // The next flush throws for this write, too: what it builds on is lost.
    if (this.#lost !== undefined) throw this.#lost.error;
    this.#saved++;
    this.#pending.push(write);
  }

  /**
   * Saves what must not be saved twice. False if it is stored, buffered or being sent already; the next flush answers for
   * that, too.
   *
   * @param isKnown asks the store
   * @param save pushes it
   */
  async once(name: string, isKnown: () => Promise<boolean>, save: () => void): Promise<boolean> {
    for (;;) {
      if (this.#waiting.has(name) || this.#sending.has(name)) {
        // The caller relies on the earlier write, so the caller's flush must throw if that is lost.
        this.#saved++;
        return false;
      }
      const other = this.#asking.get(name);
      if (other === undefined) break;
      // A failure is thrown to the caller that asked; this one asks again.
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

  /** @throws the failure of this flush, or of a read since the previous one */
  async flush(): Promise<void> {
    const upTo = this.#saved;
    await this.#drain();
    this.#answered = Math.max(this.#answered, upTo);
    const lost = this.#lost;
    if (lost === undefined) return;
    if (this.#answered >= lost.upTo) this.#lost = undefined;
    throw lost.error;
  }

  /** Sends what is buffered, before a read. */
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
        // What was saved while this was being sent builds on what is lost.
        this.#pending = [];
        this.#waiting.clear();
        this.#onLoss();
      }
      this.#sending.clear();
    });
  }
}
