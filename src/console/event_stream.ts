import { eventIn } from "../model/api_answer.ts";
import { backoffDelay } from "../base/async/backoff.ts";

export interface StreamedEvent {
  tag: string;
  data: Record<string, unknown>;
  /** The number of characters in which the event was received. */
  size?: number;
}

/** The state of the stream. `connecting`: for the first time; `live`: connected; `lost`: disconnected, reconnecting. */
export type LinkState = "connecting" | "live" | "lost";

export interface EventSourceLike {
  onopen: ((event: never) => unknown) | null;
  onerror: ((event: never) => unknown) | null;
  onmessage: ((event: never) => unknown) | null;
  readonly readyState: number;
  close(): void;
}

export interface EventStreamOptions {
  open(): EventSourceLike;
  /** Calls back after `ms` milliseconds; returns a function that cancels the call. */
  later(call: () => void, ms: number): () => void;
  random(): number;
  onState(state: LinkState): void;
  onEvent(event: StreamedEvent): void;
  /** Called when the stream is connected again: events in between were missed. */
  onGap(): void;
  /** Called when the server has refused the stream: perhaps the session has expired. */
  onRefused(): void;
}

const CLOSED = 2;

/**
 * Follows `GET /events`. The browser reconnects after a network failure; after an HTTP error it does not, and this
 * class reconnects with growing delays.
 */
export class EventStream {
  readonly #options: EventStreamOptions;
  #source: EventSourceLike | undefined;
  #undo: (() => void) | undefined;
  #opened = false;
  #failures = 0;

  constructor(options: EventStreamOptions) {
    this.#options = options;
  }

  /** Connects at once, without waiting for a pending retry. */
  start(): void {
    this.stop();
    const { onEvent, onState, onGap } = this.#options;
    const source = this.#source = this.#options.open();
    source.onopen = () => {
      this.#failures = 0;
      onState("live");
      if (this.#opened) onGap();
      this.#opened = true;
    };
    source.onmessage = (message: { data: string }) => {
      const event = eventIn(message.data);
      if (event !== undefined) onEvent({ ...event, size: message.data.length });
    };
    source.onerror = () => {
      onState(this.#opened || this.#failures > 0 ? "lost" : "connecting");
      if (source.readyState !== CLOSED) return;
      this.#options.onRefused();
      // onRefused() may have stopped the stream.
      if (this.#source !== source) return;
      const wait = backoffDelay(this.#failures++, { initialMs: 1000, maxMs: 30_000 }, this.#options.random());
      onState("lost");
      this.#undo = this.#options.later(() => this.start(), wait);
    };
  }

  stop(): void {
    this.#undo?.();
    this.#undo = undefined;
    if (this.#source !== undefined) {
      this.#source.onopen = this.#source.onmessage = this.#source.onerror = null;
      this.#source.close();
    }
    this.#source = undefined;
  }
}
