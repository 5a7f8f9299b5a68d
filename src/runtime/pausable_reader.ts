/** Reads what arrives in chunks cut anywhere, one chunk after the other, and keeps them while it is paused. */
export abstract class PausableReader {
  /** What arrived while paused, or while a chunk was being read. */
  #rest: Uint8Array[] = [];
  #busy = false;
  #stopped = false;

  /** Messages delivered so far. */
  finished = 0;
  /** While true, nothing is delivered; what arrives is kept. Call {@link PausableReader.push} without a chunk to continue. */
  paused = false;

  /** Reads on until {@link PausableReader.pauseAt} or {@link PausableReader.stopped} says otherwise. @returns whether nothing refers to the chunk */
  protected abstract read(chunk: Uint8Array): boolean;

  /** Bytes held: those of incomplete messages, and those not read yet. */
  get pendingBytes(): number {
    return this.#rest.reduce((sum, chunk) => sum + chunk.length, 0);
  }

  protected get stopped(): boolean {
    return this.#stopped;
  }

  /** Stops for good: nothing is delivered any more, not even of the rest of the chunk being read. */
  stop(): void {
    this.#stopped = true;
    this.#rest = [];
  }

  /**
   * Reads a chunk. Returns true if all of it was copied: its memory may be used again.
   *
   * @throws {ProtocolError} for bytes that break the protocol; the reader cannot be used after that
   */
  push(chunk?: Uint8Array): boolean {
    if (chunk !== undefined && (this.#busy || this.paused || this.#rest.length > 0)) {
      this.#rest.push(chunk);
      chunk = undefined;
    }
    if (this.#busy) return false;
    this.#busy = true;
    try {
      const copied = chunk !== undefined && this.read(chunk);
      while (this.#rest.length > 0 && !this.paused && !this.#stopped) this.read(this.#rest.shift()!);
      return copied;
    } finally {
      this.#busy = false;
    }
  }

  /** True while paused: the rest of the chunk is kept then. */
  protected pauseAt(chunk: Uint8Array, at: number): boolean {
    if (this.paused) this.#rest.unshift(chunk.subarray(at));
    return this.paused;
  }
}
