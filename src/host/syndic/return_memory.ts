import type { HeldReturn, ReturnFields } from "./forwarded_job.ts";

/** The most bytes of returns that are held in memory for all higher masters; other returns are read from the local job cache. */
const MAX_HELD_BYTES = 16 * 1024 * 1024;

/** Counts the returns that are held in memory. */
export class ReturnMemory {
  #bytes = 0;

  hold(result: ReturnFields, size: number): HeldReturn {
    if (this.#bytes + size > MAX_HELD_BYTES) return { result: undefined, size: 0 };
    this.#bytes += size;
    return { result, size };
  }

  release(held: HeldReturn): void {
    this.#bytes -= held.size;
    held.size = 0;
  }
}
