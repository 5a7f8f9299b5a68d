/** An event that is kept: its number, from 1 on, and the bytes that it holds at least. */
export interface NumberedEvent {
  readonly seq: number;
  readonly size: number;
}

export interface EventHistoryOptions {
  /** Events that are kept. @default as many as fit */
  most?: number;
  /** Bytes of all events that are kept, with what keeping one takes. @default 16 MiB */
  maxBytes?: number;
  /** Distinguishes the ids of this process from those of the process before it. */
  boot: string;
}

/** What keeping one event takes beside its bytes: the objects around them. */
const OVERHEAD = 200;

/** The latest events, for listeners that reconnect and want what they missed. */
export class EventHistory<E extends NumberedEvent> {
  readonly boot: string;
  readonly #most: number;
  readonly #maxBytes: number;
  #events: E[] = [];
  /** How many at the beginning of the list are kept no longer. */
  #gone = 0;
  #bytes = 0;
  #latest = 0;

  constructor({ most = Infinity, maxBytes = 16 * 1024 * 1024, boot }: EventHistoryOptions) {
    this.#most = most;
    this.#maxBytes = maxBytes;
    this.boot = boot;
  }

  /** The number of the latest event; 0 if there was none. */
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

  /** Not one by one: moving all the others takes time in proportion to their number. */
  #shrink(): void {
    if (this.#gone < this.#events.length && (this.#gone <= 100 || this.#gone * 2 <= this.#events.length)) return;
    this.#events = this.#events.slice(this.#gone);
    this.#gone = 0;
  }

  get #length(): number {
    return this.#events.length - this.#gone;
  }

  /** The id under which a listener gets an event, and can resume after it. */
  idOf(event: NumberedEvent): string {
    return `${this.boot}-${event.seq}`;
  }

  /**
   * The events after that id, as far as they are kept; `lost` if some in between may be gone, `missed` how many, if the id is
   * of this process.
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
