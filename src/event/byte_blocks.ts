/** Bytes of one block. */
const BLOCK = 2 ** 20;

/**
 * Copies small pieces of memory into large blocks. Thousands of pieces that are kept for a while and then freed leave holes between others
 * that an allocator does not give back to the system; a block goes as a whole.
 */
export class ByteBlocks {
  #block = new Uint8Array(0);
  #used = 0;

  /** The same bytes in a block; large ones as they are. */
  copy(bytes: Uint8Array): Uint8Array {
    if (bytes.length > BLOCK / 16) return bytes;
    if (this.#used + bytes.length > this.#block.length) {
      this.#block = new Uint8Array(BLOCK);
      this.#used = 0;
    }
    const at = this.#used;
    this.#used += bytes.length;
    this.#block.set(bytes, at);
    return this.#block.subarray(at, this.#used);
  }

  /** Holds on to no block: none of the copies is used any more. */
  clear(): void {
    this.#block = new Uint8Array(0);
    this.#used = 0;
  }
}
