import type { BusEvent } from "../model/event/bus.ts";

/** The most events that are kept, of a source that can be asked for its record instead. */
const MAX_EVENTS = 10_000;
/**
 * The most characters of these events, as received. An event takes up to 25 bytes of memory for each character: `[]` is one object for
 * two characters and a comma. Usual returns take two to ten.
 */
const MAX_CHARACTERS = 16 * 1024 * 1024;

/**
 * Events that arrive before the jid of the job is known. From an untrusted server they are bounded, in number and in size: further
 * events are not kept, and {@link EarlyEvents.lost} is true, which means that the record has to be read.
 */
export class EarlyEvents {
  readonly #bounded: boolean;
  readonly #events: { event: BusEvent; size: number }[] = [];
  #size = 0;
  lost = false;

  /** @param bounded true if the source can be asked for lost events, so that the number of events is bounded */
  constructor(bounded: boolean) {
    this.#bounded = bounded;
  }

  /** Keeps an event. @param size the number of characters in which the event was received */
  take(event: BusEvent, size = 0): void {
    if (this.#bounded && (this.#events.length >= MAX_EVENTS || this.#size + size > MAX_CHARACTERS)) {
      this.lost = true;
      return;
    }
    this.#events.push({ event, size });
    this.#size += size;
  }

  /** The kept events; each is returned once. */
  *[Symbol.iterator](): Generator<{ event: BusEvent; size: number }> {
    this.#size = 0;
    yield* this.#events.splice(0);
  }
}
