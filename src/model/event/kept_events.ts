import { messageOf } from "../../base/errors.ts";
import type { Logger } from "../../base/log.ts";
import type { FileSystem } from "../../runtime/fs.ts";
import { EventLog, type EventLogReader } from "./event_log.ts";

/** How a bus keeps its latest events for listeners that reconnect. */
export interface KeepOptions {
  fs: FileSystem;
  /** A directory for these events only. */
  directory: string;
  /** Minimum time, in milliseconds, to keep an event unless space runs out; an event may stay an eighth longer. */
  ms: number;
  /** Bytes on disk, at most. */
  maxBytes: number;
  clock: { elapsed(): number; after(ms: number, callback: () => void): () => void };
}

/** Steps in which old events are removed: each is this fraction of `ms`. */
const STEPS = 8;

/** The latest events of a bus with their numbers, on disk: so a burst of events does not use the memory of this process. */
export class KeptEvents {
  readonly boot: string;
  readonly #log: Logger;
  readonly #options: KeepOptions | undefined;
  #events: EventLog | undefined;
  #latest = 0;
  #cancel: (() => void) | undefined;
  #failed = false;

  /** @param options undefined: no events are kept */
  constructor(boot: string, log: Logger, options: KeepOptions | undefined) {
    this.boot = boot;
    this.#log = log;
    this.#options = options;
    if (options !== undefined && options.ms > 0 && options.maxBytes > 0) this.#events = this.#open(options);
  }

  #open(options: KeepOptions): EventLog | undefined {
    try {
      return EventLog.empty(options, 1);
    } catch (error) {
      this.#log.error("events are not kept for listeners that reconnect", { error: messageOf(error) });
      return undefined;
    }
  }

  /** Number of the latest event; 0 before the first one. */
  get latest(): number {
    return this.#latest;
  }

  get keeps(): boolean {
    return this.#events !== undefined;
  }

  /** Takes the number for the next event. */
  number(): number {
    return ++this.#latest;
  }

  /** Keeps the event with the latest number. @param frame the bytes for listeners with numbers; they MUST NOT change */
  add(frame: Uint8Array): void {
    this.#events?.append(frame);
  }

  /** Writes the added events: once per turn of the event loop. */
  flush(): void {
    const { clock, ms } = this.#options ?? {};
    if (this.#events === undefined || clock === undefined) return;
    try {
      if (this.#events.flush(clock.elapsed()) > 0) this.#cancel ??= clock.after(ms! / STEPS, () => this.#look());
      this.#failed = false;
    } catch (error) {
      // Clear the log, or a listener that reconnects would take the rest for a complete history.
      this.#events.clear(this.#latest + 1);
      if (!this.#failed) {
        this.#log.error("events cannot be kept for listeners that reconnect", { error: messageOf(error) });
      }
      this.#failed = true;
    }
  }

  /** Removes old events. The timer runs only while events are kept. */
  #look(): void {
    const { clock, ms } = this.#options!;
    this.#cancel = undefined;
    this.#events!.removeOlder(clock.elapsed() - ms);
    this.#events!.cut();
    if (this.#events!.first < this.#events!.next) this.#cancel = clock.after(ms / STEPS, () => this.#look());
  }

  /** A reader for the kept events after an id; `lost` is true if some of them are removed already. */
  since(id: string): { reader: EventLogReader | undefined; lost: boolean } {
    this.flush();
    const at = id.lastIndexOf("-");
    const text = id.slice(at + 1);
    const isKnown = id.slice(0, at) === this.boot && /^\d+$/.test(text);
    const wanted = isKnown ? Number(text) + 1 : 1;
    const first = this.#events?.first ?? this.#latest + 1;
    const reader = this.#events !== undefined && wanted <= this.#latest
      ? this.#events.reader(Math.max(wanted, first))
      : undefined;
    return { reader, lost: !isKnown || wanted < first };
  }

  close(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    this.#events?.clear(this.#latest + 1);
  }
}
