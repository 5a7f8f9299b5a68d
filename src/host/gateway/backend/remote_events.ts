import { backoffDelay } from "../../../base/async/backoff.ts";
import type { Clock } from "../../../base/async/clock.ts";
import { messageOf } from "../../../base/errors.ts";
import { BusEvent } from "../../../model/event/bus.ts";
import type { Logger } from "../../../base/log.ts";
import { serverSentEvents } from "../../../client/http/server_sent_events.ts";

/** The waits between two attempts to connect, in milliseconds. */
const RETRY = { initialMs: 500, maxMs: 30_000 };

/** The most characters of one event. */
const MAX_CHARACTERS = 64 * 1024 * 1024;

function busEvent({ data = "null" }: { data: string | undefined }): BusEvent[] {
  const { tag, data: carried } = (JSON.parse(data) ?? {}) as { tag?: unknown; data?: Record<string, unknown> };
  return typeof tag === "string" && typeof carried === "object" ? [BusEvent.fromData(tag, carried)] : [];
}

interface RemoteEventsOptions {
  clock: Clock;
  log: Logger;
  /** A random number in [0, 1). */
  random(): number;
  /** Requests the stream of events. Called again each time the stream ends or fails. */
  open(signal: AbortSignal): Promise<Response>;
}

/** The events of a salt-api, from the first listener until the close; the stream survives interruptions. */
export class RemoteEvents {
  readonly #options: RemoteEventsOptions;
  readonly #listeners = new Set<(event: BusEvent) => void>();
  readonly #stop = new AbortController();
  #running: Promise<void> | undefined;

  constructor(options: RemoteEventsOptions) {
    this.#options = options;
  }

  /** Calls a listener with every event; the returned function removes the listener. */
  listen(listener: (event: BusEvent) => void): () => void {
    this.#listeners.add(listener);
    if (!this.#stop.signal.aborted) this.#running ??= this.#run();
    return () => void this.#listeners.delete(listener);
  }

  async close(): Promise<void> {
    this.#stop.abort();
    this.#listeners.clear();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { clock, log, random, open } = this.#options;
    const { signal } = this.#stop;
    for (let attempt = 0; !signal.aborted; attempt++) {
      try {
        const response = await open(signal);
        for await (const messages of serverSentEvents(response.body!, MAX_CHARACTERS, signal)) {
          for (const event of messages.flatMap(busEvent)) {
            attempt = 0;
            for (const listener of this.#listeners) listener(event);
          }
        }
      } catch (error) {
        if (!signal.aborted) log.warning("cannot listen to the salt-api's events", { error: messageOf(error) });
      }
      await clock.sleep(backoffDelay(attempt, RETRY, random()), signal).catch(() => {});
    }
  }
}
