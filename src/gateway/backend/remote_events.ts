import { backoffDelay } from "../../async/backoff.ts";
import type { Clock } from "../../async/clock.ts";
import { messageOf } from "../../errors.ts";
import { BusEvent } from "../../event/bus.ts";
import type { Logger } from "../../log.ts";
import type { Json } from "./salt_api_client.ts";

/** Waits between two attempts to listen. */
const RETRY = { initialMs: 500, maxMs: 30_000 };

export interface RemoteEventsOptions {
  clock: Clock;
  log: Logger;
  /** In [0, 1). */
  random(): number;
  /** Requests the stream of events. Called again after each time that it ends or fails. */
  open(signal: AbortSignal): Promise<Response>;
}

/** The events of a salt-api, from the first listener until it is closed, across interruptions. */
export class RemoteEvents {
  readonly #options: RemoteEventsOptions;
  readonly #listeners = new Set<(event: BusEvent) => void>();
  readonly #stop = new AbortController();
  #running: Promise<void> | undefined;

  constructor(options: RemoteEventsOptions) {
    this.#options = options;
  }

  /** Calls a listener with every event; the returned function ends that. */
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
        if (!response.ok || response.body === null) throw new Error(`the salt-api answered ${response.status}`);
        for await (const { tag, data } of serverSentEvents(response.body, signal)) {
          attempt = 0;
          const event = BusEvent.fromData(tag, data);
          for (const listener of this.#listeners) listener(event);
        }
      } catch (error) {
        if (!signal.aborted) log.warning("cannot listen to the salt-api's events", { error: messageOf(error) });
      }
      await clock.sleep(backoffDelay(attempt, RETRY, random()), signal).catch(() => {});
    }
  }
}

/** The events of a stream as they arrive, until the signal aborts. */
async function* serverSentEvents(
  body: ReadableStream<Uint8Array>,
  signal: AbortSignal,
): AsyncGenerator<{ tag: string; data: Json }> {
  const decoder = new TextDecoder();
  const reader = body.getReader();
  const cancel = () => void reader.cancel().catch(() => {});
  signal.addEventListener("abort", cancel, { once: true });
  try {
    let text = "";
    for (;;) {
      const { done, value } = await reader.read();
      if (done || signal.aborted) return;
      text += decoder.decode(value, { stream: true });
      const blocks = text.split("\n\n");
      text = blocks.pop()!;
      for (const block of blocks) {
        const line = block.split("\n").find((line) => line.startsWith("data: "));
        if (line !== undefined) yield JSON.parse(line.slice("data: ".length));
      }
    }
  } finally {
    signal.removeEventListener("abort", cancel);
  }
}
