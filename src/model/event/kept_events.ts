import { messageOf } from "../../base/errors.ts";
import type { Logger } from "../../base/log.ts";
import type { FileSystem } from "../../runtime/fs.ts";
import { EventLog, type EventLogReader } from "./event_log.ts";

/** Where a bus keeps its latest events for listeners that come back, and how many. */
export interface KeepOptions {
  fs: FileSystem;
  /** A directory of its own. */
  directory: string;
  /** How long at least, unless they take too much room; some stay for an eighth longer. */
  ms: number;
  /** Bytes on the disk. */
  maxBytes: number;
  clock: { elapsed(): number; after(ms: number, callback: () => void): () => void };
}

/** Parts of the time for which events are kept: what is old goes in such steps. */
const STEPS = 8;

/** The latest events of a bus by their numbers, on the disk: a burst of events takes no memory of the process that serves it. */
export class KeptEvents {
  readonly boot: string;
  readonly #log: Logger;
  readonly #options: KeepOptions | undefined;
  #events: EventLog | undefined;
  #latest = 0;
  #cancel: (() => void) | undefined;
  #failed = false;

  /** @param options undefined: none are kept */
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

  /** The number of the latest event; 0 if there was none. */
  get latest(): number {
    return this.#latest;
  }

  /** False if nothing is kept. */
  get keeps(): boolean {
    return this.#events !== undefined;
  }

  /** The number of the next event. */
  number(): number {
    return ++this.#latest;
  }

  /** Keeps the event with the latest number. @param frame as it is sent to listeners with numbers; MUST NOT change */
  add(frame: Uint8Array): void {
    this.#events?.append(frame);
  }

  /** Writes what was added: once per turn of the loop. */
  flush(): void {
    const { clock, ms } = this.#options ?? {};
    if (this.#events === undefined || clock === undefined) return;
    try {
      if (this.#events.flush(clock.elapsed()) > 0) this.#cancel ??= clock.after(ms! / STEPS, () => this.#look());
      this.#failed = false;
    } catch (error) {
      // A listener that comes back must not take what is left for all that there was.
      this.#events.clear(this.#latest + 1);
      if (!this.#failed) {
        this.#log.error("events cannot be kept for listeners that reconnect", { error: messageOf(error) });
      }
      this.#failed = true;
    }
  }

  /** Removes what is old. Nothing is timed while there is nothing kept. */
  #look(): void {
    const { clock, ms } = this.#options!;
    this.#cancel = undefined;
    this.#events!.removeOlder(clock.elapsed() - ms);
    this.#events!.cut();
    if (this.#events!.first < this.#events!.next) this.#cancel = clock.after(ms / STEPS, () => this.#look());
  }

  /** Reads the events after that id, as far as they are kept; `lost` if some in between are gone. */
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
