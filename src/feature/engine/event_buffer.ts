import { type Deferred, deferred } from "../../base/async/deferred.ts";
import type { BusEvent } from "../../model/event/bus.ts";
import type { EngineEvent, EngineEvents } from "../../model/loader/engines.ts";

/** The most events, and the most bytes of events, that wait for an engine that does not read. */
const MAX_EVENTS = 10_000;
const MAX_BYTES = 32 * 1024 * 1024;

/** The events that one loop of an engine has not read yet. Events that do not fit are left out, and counted. */
export class EventBuffer implements EngineEvents {
  readonly #wants: (tag: string) => boolean;
  readonly #ended: () => void;
  #events: BusEvent[] = [];
  #head = 0;
  #bytes = 0;
  #reader: Deferred<IteratorResult<EngineEvent>> | undefined;
  #closed = false;
  missed = 0;

  /** @param ended called when the loop was left */
  constructor(wants: (tag: string) => boolean, ended: () => void) {
    this.#wants = wants;
    this.#ended = ended;
  }

  /** Adds an event. @returns false if the event was left out */
  take(event: BusEvent): boolean {
    if (this.#closed || !this.#wants(event.tag)) return true;
    const size = event.bytes.length;
    if (this.#events.length - this.#head >= MAX_EVENTS || this.#bytes + size > MAX_BYTES && this.#bytes > 0) {
      this.missed++;
      return false;
    }
    this.#events.push(event);
    this.#bytes += size;
    const reader = this.#reader;
    if (reader !== undefined) {
      this.#reader = undefined;
      reader.resolve(this.#next());
    }
    return true;
  }

  close(): void {
    this.#closed = true;
    this.#reader?.resolve({ value: undefined, done: true });
    this.#reader = undefined;
  }

  #next(): IteratorResult<EngineEvent> {
    const event = this.#events[this.#head]!;
    this.#events[this.#head++] = undefined as never;
    if (this.#head > 32 && this.#head * 2 > this.#events.length) {
      this.#events = this.#events.slice(this.#head);
      this.#head = 0;
    }
    this.#bytes -= event.bytes.length;
    return { value: { tag: event.tag, data: dataOf(event) }, done: false };
  }

  [Symbol.asyncIterator](): AsyncIterator<EngineEvent> {
    return {
      next: () => {
        if (this.#head < this.#events.length) return Promise.resolve(this.#next());
        if (this.#closed) return Promise.resolve({ value: undefined, done: true });
        this.#reader = deferred();
        return this.#reader.promise;
      },
      return: () => {
        this.close();
        this.#ended();
        return Promise.resolve({ value: undefined, done: true });
      },
    };
  }
}

/** The data of an event; any program of this host may send bytes that are not an event. */
function dataOf(event: BusEvent): Record<string, unknown> {
  try {
    return event.data;
  } catch {
    return {};
  }
}
