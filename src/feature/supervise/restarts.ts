import { backoffDelay, type BackoffOptions } from "../../base/async/backoff.ts";
import type { Runtime } from "../../runtime/runtime.ts";

/** The waits before a restart, in milliseconds, half of each random. */
const DELAYS: BackoffOptions = { initialMs: 100, maxMs: 30_000 };

/** Decides when a part's process is started again: soon after a process that worked, with growing waits while it keeps failing. */
export class Restarts {
  readonly #runtime: Pick<Runtime, "clock" | "random">;
  readonly #delays: BackoffOptions;
  #failures = 0;
  #cancel = () => {};
  /** True while a start has to wait. */
  waiting = false;

  /** @param delays the waits @default from 0.1 to 30 seconds */
  constructor(runtime: Pick<Runtime, "clock" | "random">, delays: BackoffOptions = DELAYS) {
    this.#runtime = runtime;
    this.#delays = delays;
  }

  get failures(): number {
    return this.#failures;
  }

  /** Notes a failure. @param again called once the next start is due */
  failed(again: () => void): void {
    const { clock, random } = this.#runtime;
    this.#cancel();
    this.waiting = true;
    this.#cancel = clock.after(backoffDelay(this.#failures++, this.#delays, random()), () => {
      this.waiting = false;
      again();
    });
  }

  /** Notes that the part works: the failures are counted from 0 again. */
  worked(): void {
    this.#failures = 0;
  }

  stop(): void {
    this.#cancel();
  }
}

export interface PartStatus {
  name: string;
  /** The state of the part. `waiting`: it has failed, and waits for its next start. */
  state: "running" | "starting" | "waiting" | "stopped";
  /** How often a process exited, or was killed because it hung. */
  restarts: number;
  processes: { pid: number; state: string; [more: string]: unknown }[];
  /** How the last failed process ended, and its last output. */
  last_words: { how: string; words: string } | null;
  /** The number of requests that wait. */
  queue?: number;
  [more: string]: unknown;
}

/** One part of a master that runs in separate processes. */
export interface Part {
  readonly name: string;
  status(): PartStatus;
  /** Applies a new configuration: processes are replaced by new ones when they are idle. */
  renew?(): void;
  /** Ends the processes of the part; a second call does nothing. */
  close(): Promise<void> | void;
}
