/** The processes of runners: one each, started before it is needed. */
import { Pool } from "../../base/async/pool.ts";
import { type Deferred, deferred } from "../../base/async/deferred.ts";
import { messageOf } from "../../base/errors.ts";
import type { Logger } from "../../base/log.ts";
import type { RunnerEnd, RunnerJob, Runners } from "../master/services.ts";
import type { Part, PartStatus } from "../../feature/supervise/part.ts";
import type { Child } from "../../runtime/process.ts";
import type { Runtime } from "../../runtime/runtime.ts";
import { LastWords, statusText } from "../../feature/supervise/last_words.ts";
import { encode } from "../../protocol/wire/msgpack.ts";

/** Runners that run at once; more wait. */
const AT_ONCE = 64;
/** How long a process waits for a runner before it is ended. */
const IDLE_MS = 600_000;

/** A process that has everything loaded and waits for what to run. */
interface Waiting {
  child: Promise<Child>;
  work: Deferred<Uint8Array>;
  printed: LastWords;
}

/** The one that no runner has taken yet. */
interface Spare {
  waiting: Waiting;
  /** Once it has started. */
  child?: Child;
}

/**
 * A part without heartbeats: a runner may be busy for hours. It is reported and stopped with the others, and one that was killed is
 * not run again: nobody knows how far it came.
 */
export class RunnerProcesses implements Runners, Part {
  readonly name = "runners";
  readonly #runtime: Runtime;
  readonly #log: Logger;
  readonly #opts: () => Record<string, unknown>;
  readonly #argv: readonly string[];
  readonly #pool = new Pool(AT_ONCE);
  readonly #running = new Map<Child, { job: RunnerJob; sinceMs: number }>();
  #spare: Spare | undefined;
  #failed = 0;
  #last: PartStatus["last_words"] = null;
  #cancelIdle = () => {};
  #closed = false;

  /**
   * @param opts the master's configuration as it is now, which runners are given
   * @param argv the command that is started for a runner
   */
  constructor(runtime: Runtime, log: Logger, opts: () => Record<string, unknown>, argv: readonly string[]) {
    this.#runtime = runtime;
    this.#log = log;
    this.#opts = opts;
    this.#argv = argv;
  }

  run(job: RunnerJob): Promise<RunnerEnd> {
    return this.#pool.run(() => this.#run(job));
  }

  async #run(job: RunnerJob): Promise<RunnerEnd> {
    const waiting = this.#spare?.waiting ?? this.#start();
    this.#spare = undefined;
    waiting.work.resolve(encode({ ...job, opts: this.#opts() }, "bin"));
    const child = await waiting.child;
    this.#running.set(child, { job, sinceMs: this.#runtime.clock.now() });
    this.#keepSpare();
    const exit = await child.exited;
    this.#running.delete(child);
    const status = statusText(exit);
    const printed = waiting.printed.text;
    if (exit.code !== 0) {
      this.#failed++;
      this.#last = { how: status, words: printed };
    }
    if (printed !== "") this.#log.warning("a runner printed something", { jid: job.jid, fun: job.fun, printed });
    return { status, printed };
  }

  #start(): Waiting {
    const { process } = this.#runtime;
    const work = deferred<Uint8Array>();
    const printed = new LastWords();
    const keep = (chunk: Uint8Array) => printed.add(chunk);
    const child = process.spawn({
      argv: this.#argv,
      env: process.environment(),
      stdin: work.promise,
      onStdout: keep,
      onStderr: keep,
    });
    return { child, work, printed };
  }

  #keepSpare(): void {
    this.#cancelIdle();
    if (this.#closed) return;
    if (this.#spare === undefined) {
      const spare: Spare = { waiting: this.#start() };
      this.#spare = spare;
      const gone = () => {
        if (this.#spare === spare) this.#spare = undefined;
      };
      spare.waiting.child.then((child) => {
        spare.child = child;
        return child.exited.then(gone);
      }, (error) => {
        this.#log.warning("cannot start a process for runners", { error: messageOf(error) });
        gone();
      });
    }
    this.#cancelIdle = this.#runtime.clock.after(IDLE_MS, () => this.#letGo());
  }

  #letGo(): void {
    // Empty work makes the spare process exit.
    this.#spare?.waiting.work.resolve(new Uint8Array(0));
    this.#spare = undefined;
  }

  status(): PartStatus {
    const now = this.#runtime.clock.now();
    const running = [...this.#running].map(([{ pid }, { job, sinceMs }]) => ({
      pid,
      state: "busy",
      request: job.fun,
      jid: job.jid,
      seconds: Math.round((now - sinceMs) / 100) / 10,
    }));
    const spare = this.#spare?.child;
    return {
      name: this.name,
      state: this.#closed ? "stopped" : "running",
      limit: AT_ONCE,
      processes: [...running, ...spare === undefined ? [] : [{ pid: spare.pid, state: "idle" }]],
      restarts: this.#failed,
      queue: this.#pool.waiting,
      last_words: this.#last,
    };
  }

  /** Lets the process that waits end; runners that run go on. */
  close(): void {
    this.#closed = true;
    this.#cancelIdle();
    this.#letGo();
  }
}
