import { type Signal, signal } from "@preact/signals";
import { type BusEvent, EventStream, type LinkState } from "../../event_stream.ts";
import type { Environment } from "./environment.ts";

/** How often the server is asked whether it has a master, and how often while it has none. */
const READY_MS = 5000;
const READY_AGAIN_MS = 2000;

export interface ServerLinkHooks {
  onEvent(event: BusEvent): void;
  /** The stream or the master is back: events in between were missed. */
  onGap(): void;
  /** The server refused the stream: perhaps the session has expired. */
  onRefused(): void;
}

/** The connection to the server: its event stream, and whether the server has a master behind it. */
export class ServerLink {
  readonly state: Signal<LinkState> = signal("connecting");
  /** False while the server has no master. */
  readonly master: Signal<boolean> = signal(true);
  readonly #env: Environment;
  readonly #stream: EventStream;
  readonly #onGap: () => void;
  #readyMs = 0;

  constructor(env: Environment, { onEvent, onGap, onRefused }: ServerLinkHooks) {
    this.#env = env;
    this.#onGap = onGap;
    env.api.onMaster = (up) => this.#setMaster(up);
    this.#stream = new EventStream({
      open: env.openEvents,
      later: env.later,
      random: env.random,
      onState: (state) => this.state.value = state,
      onEvent,
      onGap,
      onRefused,
    });
  }

  get live(): boolean {
    return this.state.value === "live";
  }

  start(): void {
    this.#stream.start();
  }

  stop(): void {
    this.#stream.stop();
    this.state.value = "connecting";
  }

  /** Asks from time to time whether the server has a master: the event stream stays open when the master stops. */
  poll(): void {
    const again = this.master.value ? READY_MS : READY_AGAIN_MS;
    if (!this.live || this.#env.now() - this.#readyMs < again) return;
    this.#readyMs = this.#env.now();
    this.#env.api.ready().then((up) => {
      if (up !== undefined) this.#setMaster(up);
    }, () => {
      // The server is gone, which the event stream shows.
    });
  }

  #setMaster(up: boolean): void {
    if (this.master.value === up) return;
    this.master.value = up;
    // No events came while there was no master.
    if (up) this.#onGap();
  }
}
