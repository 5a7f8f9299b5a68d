import type { Clock } from "../../base/async/clock.ts";
import { type Deferred, deferred } from "../../base/async/deferred.ts";
import { BusEvent } from "../../model/event/bus.ts";
import { abortable } from "../../base/async/within.ts";
import type { HeardEvent } from "./resuming_events.ts";

interface SharedEventsOptions {
  clock: Clock;
  open(how: {
    signal: AbortSignal;
    onOpen(): void;
    onMissed(): void;
  }): AsyncGenerator<HeardEvent, void, void>;
}

/** How long the stream is kept without listeners, in milliseconds. */
const LINGER_MS = 3000;

/** One running stream, which survives interruptions. */
interface Running {
  stop: AbortController;
  ready: Deferred<void>;
  lost: Deferred<never>;
}

/** One stream of events for all jobs of a client: a browser has few connections, and Salt's salt-api has no filter. */
export class SharedEvents {
  readonly #options: SharedEventsOptions;
  readonly #listeners = new Set<(event: BusEvent, size?: number) => void>();
  readonly #gaps = new Set<() => void>();
  #running: Running | undefined;
  #cancelLinger = () => {};
  #closed = false;

  constructor(options: SharedEventsOptions) {
    this.#options = options;
  }

  /** Rejects once the stream has failed for good. */
  get lost(): Promise<never> {
    return this.#start().lost.promise;
  }

  /** Calls a listener with every event and its received number of characters; the returned function removes the listener. */
  onEvent(listener: (event: BusEvent, size?: number) => void): () => void {
    this.#cancelLinger();
    this.#listeners.add(listener);
    return () => {
      if (!this.#listeners.delete(listener) || this.#listeners.size > 0) return;
      this.#cancelLinger = this.#options.clock.after(LINGER_MS, () => this.#end());
    };
  }

  /** Calls a listener each time that events were lost. */
  onGap(listener: () => void): () => void {
    this.#gaps.add(listener);
    return () => void this.#gaps.delete(listener);
  }

  /** Resolves once the stream has started: later events are not missed. */
  async listening(signal?: AbortSignal): Promise<void> {
    const { ready, lost } = this.#start();
    await abortable(Promise.race([ready.promise, lost.promise]), signal);
  }

  /** Calls all listeners with an event, which was received or read from the record. */
  fire(tag: string, data: Record<string, unknown>, size?: number): void {
    const event = BusEvent.fromData(tag, data);
    for (const listener of [...this.#listeners]) listener(event, size);
  }

  close(): void {
    this.#closed = true;
    this.#cancelLinger();
    this.#end();
  }

  #start(): Running {
    if (this.#running !== undefined) return this.#running;
    const running: Running = { stop: new AbortController(), ready: deferred<void>(), lost: deferred<never>() };
    this.#running = running;
    if (this.#closed) running.stop.abort();
    void this.#follow(running);
    return running;
  }

  async #follow(running: Running): Promise<void> {
    const { stop: { signal }, ready, lost } = running;
    try {
      const events = this.#options.open({
        signal,
        onOpen: () => ready.resolve(),
        onMissed: () => {
          for (const listener of [...this.#gaps]) listener();
        },
      });
      for await (const { event, size } of events) this.fire(event.tag, event.data, size);
      throw signal.reason;
    } catch (error) {
      if (this.#running === running) this.#running = undefined;
      lost.reject(error);
    }
  }

  #end(): void {
    this.#running?.stop.abort(new DOMException("The client is closed", "AbortError"));
    this.#running = undefined;
  }
}
