import { type Signal, signal } from "@preact/signals";
import { type BusEvent, EventStream, type LinkState } from "../../event_stream.ts";
import type { Environment } from "./environment.ts";

/** How often the server is asked whether it has a master. */
const READY_MS = 2000;

export interface ServerLinkHooks {
  onEvent(event: BusEvent): void;
  /** The stream or the master is back: events in between were missed. */
  onGap(): void;
  /** The stream or the master has gone: what pages show is not news any more. */
  onAway(): void;
  /** Both are there again, whether or not events were missed. */
  onBack(): void;
  /** The server refused the stream: perhaps the session has expired. */
  onRefused(): void;
}

/** The connection to the server: its event stream, and whether the server has a master behind it. */
export class ServerLink {
  readonly state: Signal<LinkState> = signal("connecting");
  /** False while the server has no master. */
  readonly master: Signal<boolean> = signal(true);
  /** Since when the stream or the master is gone; undefined while both are there. */
  readonly awaySinceMs: Signal<number | undefined> = signal(undefined);
  readonly #env: Environment;
  readonly #stream: EventStream;
  readonly #hooks: ServerLinkHooks;
  #readyMs = 0;

  constructor(env: Environment, hooks: ServerLinkHooks) {
    const { onEvent, onGap, onRefused } = hooks;
    this.#env = env;
    this.#hooks = hooks;
    env.api.onMaster = (up) => this.#setMaster(up);
    this.#stream = new EventStream({
      open: env.openEvents,
      later: env.later,
      random: env.random,
      onState: (state) => {
        this.state.value = state;
        this.#look();
      },
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
    this.awaySinceMs.value = undefined;
  }

  /** Asks from time to time whether the server has a master: the event stream stays open when the master stops. */
  poll(): void {
    if (!this.live || this.#env.now() - this.#readyMs < READY_MS) return;
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
    if (up) this.#hooks.onGap();
    this.#look();
  }

  /** Notes when the stream or the master goes and comes back. A stream that connects for the first time is no news. */
  #look(): void {
    const isAway = this.state.value === "lost" || !this.master.value;
    const wasAway = this.awaySinceMs.value !== undefined;
    if (isAway === wasAway || (!isAway && !this.live)) return;
    this.awaySinceMs.value = isAway ? this.#env.now() : undefined;
    if (isAway) this.#hooks.onAway();
    else this.#hooks.onBack();
  }
}
