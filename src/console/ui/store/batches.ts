import { type Signal, signal } from "@preact/signals";
import { ApiError } from "../../api.ts";
import { Batch, type BatchPlan } from "../../batch.ts";
import type { StreamedEvent } from "../../event_stream.ts";
import type { BrowserEnvironment } from "./environment.ts";
import type { FollowedJobs, FollowRequest } from "./followed_jobs.ts";

/** The most batches that are kept. */
const MAX_KEPT = 20;

interface RunningBatch {
  name: string;
  request: FollowRequest;
  batch: Batch;
  startedMs: number;
}

/** The batches that were started in this browser page, which end when the page is closed. */
export class Batches {
  /** Increments when a batch changes. */
  readonly beat: Signal<number> = signal(0);
  readonly #jobs: FollowedJobs;
  readonly #env: BrowserEnvironment;
  readonly #seen: () => readonly StreamedEvent[];
  readonly #all = new Map<string, RunningBatch>();
  #next = 1;

  constructor(env: BrowserEnvironment, jobs: FollowedJobs, seen: () => readonly StreamedEvent[]) {
    this.#env = env;
    this.#jobs = jobs;
    this.#seen = seen;
  }

  get(name: string): RunningBatch | undefined {
    return this.#all.get(name);
  }

  /** True while a batch would end if the page was closed. */
  get isRunning(): boolean {
    return [...this.#all.values()].some(({ batch }) => batch.isOpen);
  }

  /** Starts a batch. @returns the name of the batch, for the address of its page */
  start(request: FollowRequest, plan: BatchPlan): string {
    const name = String(this.#next++);
    const batch = new Batch(plan, () => this.beat.value++);
    this.#all.set(name, { name, request, batch, startedMs: this.#env.now() });
    for (const oldest of this.#all.keys()) {
      if (this.#all.size <= MAX_KEPT) break;
      this.#all.delete(oldest);
    }
    const later = (ms: number) => new Promise<void>((resolve) => void this.#env.later(resolve, ms));
    void batch.run(
      (ids, onChange) => this.#part({ ...request, tgt: ids.join(","), tgt_type: "list" }, onChange),
      later,
    );
    return name;
  }

  async #part(
    request: FollowRequest,
    onChange: (counts: { jid: string; ended: number; bad: number }) => void,
  ): Promise<void> {
    const jid = await this.#jobs.start(request, this.#seen);
    if (jid === undefined) {
      throw new ApiError("refused", 200, "No minions match any more", "Check the keys of the target.");
    }
    const job = this.#jobs.get(jid);
    let end = () => {};
    await new Promise<void>((resolve) => {
      end = this.#jobs.beat.subscribe(() => {
        onChange({ jid, ended: job.size - job.open, bad: job.bad });
        if (job.done) resolve();
      });
    });
    end();
  }

  forget(): void {
    for (const { batch } of this.#all.values()) batch.stop();
    this.#all.clear();
  }
}
