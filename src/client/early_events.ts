import type { BusEvent } from "../model/event/bus.ts";

/** Events that are kept at most, of a source that can be asked for what is on record instead. */
const MOST = 10_000;
/**
 * Characters that these have come in at most. An event takes up to 25 bytes of memory for each: `[]` is one object for two characters
 * and a comma. What returns usually are takes two to ten.
 */
const MOST_SIZE = 16 * 1024 * 1024;

/**
 * Events that come before it is known which job they are to be of. Of a server that may send what it likes they are bounded, in number
 * and in size: what is beyond is not kept, and {@link EarlyEvents.lost} says that the record has to be read.
 */
export class EarlyEvents {
  readonly #bounded: boolean;
  readonly #events: { event: BusEvent; size: number }[] = [];
  #size = 0;
  lost = false;

  /** @param bounded whether the source can be asked for what is not kept */
  constructor(bounded: boolean) {
    this.#bounded = bounded;
  }

  /** @param size characters that the event has come in */
  take(event: BusEvent, size = 0): void {
    if (this.#bounded && (this.#events.length >= MOST || this.#size + size > MOST_SIZE)) {
      this.lost = true;
      return;
    }
    this.#events.push({ event, size });
    this.#size += size;
  }

  /** All that were kept, each handed out once. */
  *[Symbol.iterator](): Generator<{ event: BusEvent; size: number }> {
    this.#size = 0;
    yield* this.#events.splice(0);
  }
}
