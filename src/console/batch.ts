import { batchSizeText } from "./run_options.ts";

/** One part of a batch: a job on some of its minions. */
interface BatchPart {
  jid: string;
  ids: readonly string[];
  /** The number of minions with an outcome, and of those without success. */
  ended: number;
  bad: number;
}

/** The state of a batch. `running`: a part runs; `waiting`: between two parts; `failed`: a part could not be started. */
export type BatchState = "running" | "waiting" | "done" | "stopped" | "failed";

export interface BatchPlan {
  ids: readonly string[];
  /** The size of a part: `10` or `25%`. */
  size: string;
  waitMs: number;
  /** The number of failures after which no more minions are started; undefined for no limit. */
  failures: number | undefined;
}

/** Starts a part, and reports its progress until all of its minions have an outcome. */
type StartPart = (
  ids: readonly string[],
  onChange: (counts: { jid: string; ended: number; bad: number }) => void,
) => Promise<void>;

/**
 * A job on some minions at a time: the next part is started once all minions of the previous part have an outcome. The page runs
 * the batch, so it works with any master, and ends when the page is closed.
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

  /** True while there is more to start, or a part runs. */
  get isOpen(): boolean {
    return this.state === "running" || this.state === "waiting";
  }

  /** Starts no further part; a running part continues. */
  stop(): void {
    this.#stopped = true;
    this.#wake();
  }

  /** Runs the batch. @param later resolves after `ms` milliseconds */
  async run(start: StartPart, later: (ms: number) => Promise<void>): Promise<void> {
    const { ids, size, waitMs, failures = Infinity } = this.#plan;
    const count = batchSizeText(size, ids.length);
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
