import type { Clock } from "../../base/async/clock.ts";
import type { Logger } from "../../base/log.ts";

/** Events that one store, or all stores, did not get. */
export interface Loss {
  /** The name of the store; empty for all stores. */
  returner: string;
  reason: string;
  count: number;
  /** The tag of one lost event. */
  tag?: string;
}

/** The least time between two reports with the same reason, in milliseconds. */
const AGAIN_MS = 10_000;

/** Reports lost events in the log and as an event: the first loss at once, then the sum every ten seconds. */
export class LossReport {
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #fire: (data: Record<string, unknown>) => void;
  /** The losses since the last report, by returner and reason. */
  readonly #open = new Map<string, Loss>();

  constructor(options: { clock: Clock; log: Logger; fire(data: Record<string, unknown>): void }) {
    this.#clock = options.clock;
    this.#log = options.log;
    this.#fire = options.fire;
  }

  add(loss: Loss): void {
    const key = JSON.stringify([loss.returner, loss.reason]);
    const open = this.#open.get(key);
    if (open !== undefined) {
      open.count += loss.count;
      return;
    }
    this.#say(loss);
    this.#open.set(key, { ...loss, count: 0 });
    this.#clock.after(AGAIN_MS, () => this.#again(key));
  }

  #again(key: string): void {
    const loss = this.#open.get(key)!;
    this.#open.delete(key);
    if (loss.count > 0) this.add(loss);
  }

  #say({ returner, reason, count, tag }: Loss): void {
    const of = returner === "" ? {} : { returner };
    this.#log.error("events not stored", { ...of, lost: count, reason, ...tag === undefined ? {} : { tag } });
    this.#fire({ ...of, lost: count, reason });
  }
}
