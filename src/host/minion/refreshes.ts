import type { Clock } from "../../base/async/clock.ts";
import { within } from "../../base/async/within.ts";

/** How long a job waits for a refresh: a master can take minutes to compile a pillar. */
const PATIENCE_MS = 3000;

/**
 * The refreshes of grains, modules and pillar that are under way. A job that comes after one was asked for finds what it brings:
 * `salt '*' saltutil.refresh_pillar; salt '*' pillar.get x`. Real Salt gathers grains in the same thread that takes jobs.
 */
export class Refreshes {
  readonly #clock: Pick<Clock, "sleep">;
  readonly #running = new Set<Promise<void>>();

  constructor(clock: Pick<Clock, "sleep">) {
    this.#clock = clock;
  }

  /** Runs a refresh, and gives its error to the caller alone. */
  async run(refresh: () => Promise<void>): Promise<void> {
    const running = refresh();
    const over = running.catch(() => {}).finally(() => this.#running.delete(over));
    this.#running.add(over);
    await running;
  }

  /** Resolves when the refreshes that run now are over, but after three seconds at the latest; undefined if none runs. */
  over(): Promise<void> | undefined {
    if (this.#running.size === 0) return undefined;
    return within(this.#clock, PATIENCE_MS, undefined, Promise.all(this.#running).then(() => {}));
  }
}
