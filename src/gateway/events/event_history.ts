import type { StreamEvent } from "./stream_event.ts";

/** Bytes of all events that are kept. */
const MAX_BYTES = 16 * 1024 * 1024;

/** The latest events, for listeners that reconnect and want what they missed. */
export class EventHistory {
  readonly #most: number;
  readonly #boot: string;
  #events: StreamEvent[] = [];
  #bytes = 0;
  #latest = 0;

  /**
   * @param most events that are kept
   * @param boot distinguishes this process's ids from those of the process before it
   */
  constructor(most: number, boot: string) {
    this.#most = most;
    this.#boot = boot;
  }

  add(event: StreamEvent): void {
    this.#latest = event.seq;
    this.#events.push(event);
    this.#bytes += event.size;
    let surplus = 0;
    while (
      this.#events.length - surplus > this.#most || (this.#bytes > MAX_BYTES && surplus < this.#events.length)
    ) {
      this.#bytes -= this.#events[surplus++]!.size;
    }
    // Not shift() for each: moving all the other events takes time in proportion to their number.
    if (surplus > 0) this.#events.splice(0, surplus);
  }

  /** The id under which a listener gets an event, and can resume after it. */
  idOf(event: StreamEvent): string {
    return `${this.#boot}-${event.seq}`;
  }

  /** The events after that id, as far as they are kept; `lost` if some in between may be gone. */
  since(id: string): { events: StreamEvent[]; lost: boolean } {
    const [boot, number] = id.split("-");
    const seq = Number(number);
    if (boot !== this.#boot || !Number.isInteger(seq)) return { events: [...this.#events], lost: true };
    const events = this.#events.filter((event) => event.seq > seq);
    const first = this.#events[0]?.seq ?? this.#latest + 1;
    return { events, lost: seq + 1 < first };
  }
}
