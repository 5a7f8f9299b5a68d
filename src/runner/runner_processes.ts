/** The processes of runners: one each, started before it is needed. */
import { Pool } from "../async/pool.ts";
import { type Deferred, deferred } from "../async/deferred.ts";
import { messageOf } from "../errors.ts";
import type { Logger } from "../log.ts";
import type { RunnerEnd, RunnerJob, Runners } from "../master/mod.ts";
import type { Child } from "../runtime/process.ts";
import type { Runtime } from "../runtime/mod.ts";
import { encode } from "../wire/msgpack.ts";

/** Runners that run at once; more wait. */
const AT_ONCE = 64;
/** How long a process waits for a runner before it is ended. */
const IDLE_MS = 600_000;
/** Characters kept of what a process printed: the last ones. */
const PRINTED = 4096;

/** A process that has everything loaded and waits for what to run. */
interface Waiting {
  child: Promise<Child>;
  work: Deferred<Uint8Array>;
  printed: string;
}

export class RunnerProcesses implements Runners {
  readonly #runtime: Runtime;
  readonly #log: Logger;
  readonly #opts: Record<string, unknown>;
  readonly #argv: readonly string[];
  readonly #pool = new Pool(AT_ONCE);
  #spare: Waiting | undefined;
  #cancelIdle = () => {};
  #closed = false;

  /**
   * @param opts the master's configuration, which runners are given
   * @param argv the command that is started for a runner
   */
  constructor(runtime: Runtime, log: Logger, opts: Record<string, unknown>, argv: readonly string[]) {
    this.#runtime = runtime;
    this.#log = log;
    this.#opts = opts;
    this.#argv = argv;
  }

  run(job: RunnerJob): Promise<RunnerEnd> {
    return this.#pool.run(() => this.#run(job));
  }

  async #run(job: RunnerJob): Promise<RunnerEnd> {
    const waiting = this.#spare ?? this.#start();
    this.#spare = undefined;
    waiting.work.resolve(encode({ ...job, opts: this.#opts }, "bin"));
    const child = await waiting.child;
    this.#keepSpare();
    const { code, signal } = await child.exited;
    const printed = waiting.printed.trim();
    if (printed !== "") this.#log.warning("a runner printed something", { jid: job.jid, fun: job.fun, printed });
    return { status: signal === null ? `exit code ${code}` : `signal ${signal}`, printed };
  }

  #start(): Waiting {
    const { process } = this.#runtime;
    const work = deferred<Uint8Array>();
    const waiting: Waiting = { work, printed: "", child: undefined! };
    const keep = (chunk: Uint8Array) => {
      waiting.printed = (waiting.printed + new TextDecoder().decode(chunk)).slice(-PRINTED);
    };
    waiting.child = process.spawn({
      argv: this.#argv,
      env: process.environment(),
      stdin: work.promise,
      onStdout: keep,
      onStderr: keep,
    });
    return waiting;
  }

  #keepSpare(): void {
    this.#cancelIdle();
    if (this.#closed) return;
    if (this.#spare === undefined) {
      const spare = this.#start();
      this.#spare = spare;
      const gone = () => {
        if (this.#spare === spare) this.#spare = undefined;
      };
      spare.child.then((child) => child.exited.then(gone), (error) => {
        this.#log.warning("cannot start a process for runners", { error: messageOf(error) });
        gone();
      });
    }
    this.#cancelIdle = this.#runtime.clock.after(IDLE_MS, () => this.#letGo());
  }

  #letGo(): void {
    // Nothing to run: it ends.
    this.#spare?.work.resolve(new Uint8Array(0));
    this.#spare = undefined;
  }

  /** Lets the process that waits end; runners that run go on. */
  close(): void {
    this.#closed = true;
    this.#cancelIdle();
    this.#letGo();
  }
}
