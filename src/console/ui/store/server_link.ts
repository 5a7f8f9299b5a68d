import { type Signal, signal } from "@preact/signals";
import { EventStream, type LinkState, type StreamedEvent } from "../../event_stream.ts";
import type { BrowserEnvironment } from "./environment.ts";

/** How often the server is asked whether it has a master, in milliseconds. */
const READY_MS = 2000;

interface ServerLinkHooks {
  onEvent(event: StreamedEvent): void;
  /** Called when the stream or the master is back: events in between were missed. */
  onGap(): void;
  /** Called when the stream or the master is lost: the data on pages is outdated from now on. */
  onAway(): void;
  /** Called when both are back, whether or not events were missed. */
  onBack(): void;
  /** Called when the server has refused the stream: perhaps the session has expired. */
  onRefused(): void;
}

/** The connection to the server: its event stream, and whether the server has a master behind it. */
export class ServerLink {
  readonly state: Signal<LinkState> = signal("connecting");
  /** False while the server has no master. */
  readonly master: Signal<boolean> = signal(true);
  /** Since when the stream or the master is lost, in milliseconds since the epoch; undefined while both are available. */
  readonly awaySinceMs: Signal<number | undefined> = signal(undefined);
  readonly #env: BrowserEnvironment;
  readonly #stream: EventStream;
  readonly #hooks: ServerLinkHooks;
  #readyMs = 0;

  constructor(env: BrowserEnvironment, hooks: ServerLinkHooks) {
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
      // The server cannot be reached, which the event stream shows.
    });
  }

  #setMaster(up: boolean): void {
    if (this.master.value === up) return;
    this.master.value = up;
    // Without a master there were no events, so some were missed.
    if (up) this.#hooks.onGap();
    this.#look();
  }

  /** Notes when the stream or the master is lost or back. The first connection of a stream does not count. */
  #look(): void {
    const isAway = this.state.value === "lost" || !this.master.value;
    const wasAway = this.awaySinceMs.value !== undefined;
    if (isAway === wasAway || (!isAway && !this.live)) return;
    this.awaySinceMs.value = isAway ? this.#env.now() : undefined;
    if (isAway) this.#hooks.onAway();
    else this.#hooks.onBack();
  }
}
