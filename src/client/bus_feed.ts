import { AsyncQueue } from "../base/async/queue.ts";
import type { BusEvent } from "../model/event/bus.ts";
import { fnmatch } from "../model/event/tag.ts";
import { refuseUnknownKeys } from "../base/nearest_name.ts";
import type { EventFeed, EventsOptions, SaltEvent } from "./salt.ts";

/** The source of a feed: events as they are fired, without ids. */
interface EventSource {
  /** Rejects once no more events can come. */
  readonly lost: Promise<never>;
  onEvent(listener: (event: BusEvent) => void): () => void;
}

const KEYS: readonly (keyof Required<EventsOptions>)[] = ["tag", "after", "onMissed", "buffer", "signal"];
/** The most events that wait for a slow reader. */
const BUFFER = 10_000;

/** Checks the options of `events()`. @throws {TypeError | RangeError} for an unknown option or an invalid value */
export function checkEventsOptions(options: EventsOptions): { buffer: number } {
  refuseUnknownKeys("the options of events()", options, KEYS);
  const { buffer = BUFFER } = options;
  if (!Number.isInteger(buffer) || buffer < 1) {
    throw new RangeError(`Cannot keep ${buffer} events: buffer is a whole number from 1 on`);
  }
  return { buffer };
}

/** Adds the method `ready` of {@link EventFeed} to a generator of events. */
export function eventFeed(
  events: AsyncGenerator<SaltEvent, void, void>,
  { ready, stop }: { ready(): Promise<void>; stop(): void },
): EventFeed {
  // A generator that waits for an event cannot be left before the next one comes.
  const leave = () => {
    stop();
    return events.return();
  };
  const feed: EventFeed = {
    next: () => events.next(),
    return: leave,
    throw: (error) => events.throw(error),
    ready,
    [Symbol.asyncIterator]: () => feed,
    async [Symbol.asyncDispose]() {
      await leave();
    },
  };
  return feed;
}

/** The events of a connected bus. If the reader is too slow, the oldest events are dropped. */
export function busFeed(source: EventSource, options: EventsOptions = {}): EventFeed {
  const { buffer } = checkEventsOptions(options);
  const { tag, after, onMissed, signal } = options;
  const wants = tag === undefined ? () => true : fnmatch(tag);
  const queue = new AsyncQueue<SaltEvent>({ limit: buffer, whenFull: "drop-oldest" });
  let off: (() => void) | undefined;
  const stop = () => queue.close(signal!.reason);
  const start = () => {
    if (off !== undefined) return;
    signal?.throwIfAborted();
    signal?.addEventListener("abort", stop, { once: true });
    off = source.onEvent((event) => {
      if (wants(event.tag)) queue.offer({ tag: event.tag, data: event.data, id: "" });
    });
    source.lost.catch((error) => queue.close(error));
  };
  async function* events(): AsyncGenerator<SaltEvent, void, void> {
    try {
      start();
      // Events of the bus have no ids, so it is unknown which events were fired after `after`.
      if (after !== undefined) onMissed?.(undefined);
      let dropped = 0;
      for (;;) {
        const { done, value } = await queue.next();
        if (queue.dropped > dropped) onMissed?.(queue.dropped - dropped);
        dropped = queue.dropped;
        if (done === true) return;
        yield value;
      }
    } finally {
      off?.();
      signal?.removeEventListener("abort", stop);
    }
  }
  return eventFeed(events(), { ready: async () => start(), stop: () => queue.close() });
}

/** The connection through which functions of a master are called, such as {@link LocalClient}. */
export interface MasterLink {
  /** Rejects once the connection to the master is lost. */
  readonly lost: Promise<never>;
  /** Sends one clear command and returns the reply unchanged. */
  send(load: Record<string, unknown>, options?: { timeoutMs?: number }): Promise<unknown>;
  /** Calls `listener` with every event of the master's bus from now on; the returned function removes the listener. */
  onEvent(listener: (event: BusEvent) => void): () => void;
}
