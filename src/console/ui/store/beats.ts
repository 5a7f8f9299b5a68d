import type { Signal } from "@preact/signals";
import type { BrowserEnvironment } from "./environment.ts";

// The time between two redraws of values that change many times a second, in milliseconds.
const BEAT_MS = 100;

/** Collects changes of large mutable values, so that a burst of events causes one redraw. */
export class Beats {
  readonly #later: BrowserEnvironment["later"];
  readonly #dirty = new Set<Signal<number>>();
  #scheduled = false;

  constructor(later: BrowserEnvironment["later"]) {
    this.#later = later;
  }

  /** Increments a signal at the next beat, once for all calls until then. */
  mark(signal: Signal<number>): void {
    this.#dirty.add(signal);
    if (this.#scheduled) return;
    this.#scheduled = true;
    this.#later(() => {
      this.#scheduled = false;
      const dirty = [...this.#dirty];
      this.#dirty.clear();
      for (const one of dirty) one.value++;
    }, BEAT_MS);
  }
}
