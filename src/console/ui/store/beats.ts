import type { Signal } from "@preact/signals";
import type { Environment } from "./environment.ts";

// What changes several times a second is redrawn ten times a second.
const BEAT_MS = 100;

/** Collects changes of large mutable values, so that a burst of events causes one redraw. */
export class Beats {
  readonly #later: Environment["later"];
  readonly #dirty = new Set<Signal<number>>();
  #scheduled = false;

  constructor(later: Environment["later"]) {
    this.#later = later;
  }

  /** Increments a signal soon: once, however often it is called until then. */
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
