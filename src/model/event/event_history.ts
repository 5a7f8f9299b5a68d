/** A kept event: its number, counted from 1, and its size in bytes. */
interface NumberedEvent {
  readonly seq: number;
  readonly size: number;
}

interface EventHistoryOptions {
  /** Number of kept events, at most. @default limited only by `maxBytes` */
  most?: number;
  /** Bytes of all kept events with their overhead, at most. @default 16 MiB */
  maxBytes?: number;
  /** Distinguishes the ids of this process from those of the process before it. */
  boot: string;
}

/** Bytes of overhead for one kept event: the objects around its data. */
const OVERHEAD = 200;

/** The latest events, for listeners that reconnect and want what they missed. */
export class EventHistory<E extends NumberedEvent> {
  readonly boot: string;
  readonly #most: number;
  readonly #maxBytes: number;
  #events: E[] = [];
  /** Number of events at the beginning of the list that are dropped already. */
  #gone = 0;
  #bytes = 0;
  #latest = 0;

  constructor({ most = Infinity, maxBytes = 16 * 1024 * 1024, boot }: EventHistoryOptions) {
    this.#most = most;
    this.#maxBytes = maxBytes;
    this.boot = boot;
  }

  /** Number of the latest event; 0 before the first one. */
  get latest(): number {
    return this.#latest;
  }

  add(event: E): void {
    this.#latest = event.seq;
    this.#events.push(event);
    this.#bytes += event.size + OVERHEAD;
    while (this.#length > this.#most || (this.#bytes > this.#maxBytes && this.#length > 0)) {
      this.#bytes -= this.#events[this.#gone++]!.size + OVERHEAD;
    }
    this.#shrink();
  }

  /** Frees dropped events, but only many at once: each time all remaining events have to be moved. */
  #shrink(): void {
    if (this.#gone < this.#events.length && (this.#gone <= 100 || this.#gone * 2 <= this.#events.length)) return;
    this.#events = this.#events.slice(this.#gone);
    this.#gone = 0;
  }

  get #length(): number {
    return this.#events.length - this.#gone;
  }

  /** The id of an event, after which a listener can resume. */
  idOf(event: NumberedEvent): string {
    return `${this.boot}-${event.seq}`;
  }

  /**
   * The kept events after an id. `lost` is true if some of them may be dropped; `missed` is their number, if the id is of this
   * process.
   */
  since(id: string): { events: E[]; lost: boolean; missed?: number } {
    const at = id.lastIndexOf("-");
    const text = id.slice(at + 1);
    const seq = Number(text);
    const kept = this.#events.slice(this.#gone);
    if (id.slice(0, at) !== this.boot || !/^\d+$/.test(text)) return { events: kept, lost: true };
    const first = kept[0]?.seq ?? this.#latest + 1;
    const missed = Math.max(0, first - seq - 1);
    return { events: kept.filter((event) => event.seq > seq), lost: missed > 0, missed };
  }
}
