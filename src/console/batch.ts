import { batchSize } from "./run_options.ts";

/** One part of a batch: a job on some of its minions. */
export interface BatchPart {
  jid: string;
  ids: readonly string[];
  /** Minions with an outcome, and those of them that are no success. */
  ended: number;
  bad: number;
}

/** `running`: a part is under way; `waiting`: between two parts; `failed`: a part could not be started. */
export type BatchState = "running" | "waiting" | "done" | "stopped" | "failed";

export interface BatchPlan {
  ids: readonly string[];
  /** `10` or `25%`. */
  size: string;
  waitMs: number;
  /** Failures after which no more minions are started; undefined for any number. */
  failures: number | undefined;
}

/** Starts a part, and tells of it until all of its minions have an outcome. */
export type StartPart = (
  ids: readonly string[],
  onChange: (counts: { jid: string; ended: number; bad: number }) => void,
) => Promise<void>;

/**
 * A job on some minions at a time: the next part is started once all minions of the one before have an outcome. The page drives
 * it, so that it works with any master, and ends with the page.
 */
export class Batch {
  readonly parts: BatchPart[] = [];
  state: BatchState = "running";
  error: unknown;
  readonly #plan: BatchPlan;
  readonly #onChange: () => void;
  #stopped = false;
  #wake = () => {};

  constructor(plan: BatchPlan, onChange: () => void) {
    this.#plan = plan;
    this.#onChange = onChange;
  }

  get total(): number {
    return this.#plan.ids.length;
  }

  get started(): number {
    return this.parts.reduce((sum, { ids }) => sum + ids.length, 0);
  }

  get ended(): number {
    return this.parts.reduce((sum, { ended }) => sum + ended, 0);
  }

  get bad(): number {
    return this.parts.reduce((sum, { bad }) => sum + bad, 0);
  }

  /** True while there is more to start, or a part is under way. */
  get isOpen(): boolean {
    return this.state === "running" || this.state === "waiting";
  }

  /** Starts no further part; the one that runs goes on. */
  stop(): void {
    this.#stopped = true;
    this.#wake();
  }

  /** @param later resolves after so many milliseconds */
  async run(start: StartPart, later: (ms: number) => Promise<void>): Promise<void> {
    const { ids, size, waitMs, failures = Infinity } = this.#plan;
    const count = batchSize(size, ids.length);
    try {
      for (let at = 0; at < ids.length && !this.#stopped; at += count) {
        if (at > 0 && waitMs > 0) {
          this.#move("waiting");
          await Promise.race([later(waitMs), new Promise<void>((resolve) => this.#wake = resolve)]);
          if (this.#stopped) break;
        }
        this.#move("running");
        const some = ids.slice(at, at + count);
        const place = this.parts.length;
        await start(some, (counts) => {
          this.parts[place] = { ids: some, ...counts };
          this.#onChange();
        });
        if (this.bad >= failures) this.#stopped = true;
      }
      this.#move(this.started < ids.length ? "stopped" : "done");
    } catch (error) {
      this.error = error;
      this.#move("failed");
    }
  }

  #move(state: BatchState): void {
    this.state = state;
    this.#onChange();
  }
}
