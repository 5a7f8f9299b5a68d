/** The processes of runners: one each, started before it is needed. */
import { Pool } from "../src/async/pool.ts";
import { type Deferred, deferred } from "../src/async/deferred.ts";
import { messageOf } from "../src/errors.ts";
import type { Logger } from "../src/log.ts";
import type { RunnerEnd, RunnerJob, Runners } from "../src/master/mod.ts";
import type { Child } from "../src/runtime/process.ts";
import type { Runtime } from "../src/runtime/mod.ts";
import { encode } from "../src/wire/msgpack.ts";
import { ownCommand } from "./programs/job_command.ts";

/** Runners that run at once; more wait. */
const AT_ONCE = 64;
/** The time that a process waits for a runner before it is let go. */
const IDLE_MS = 600_000;
/** The end of what a process said is kept; that much of it. */
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
   * @param opts the master's configuration, as the runners are to have it
   * @param argv what is started for a runner; by default this program itself
   */
  constructor(runtime: Runtime, log: Logger, opts: Record<string, unknown>, argv?: readonly string[]) {
    this.#runtime = runtime;
    this.#log = log;
    this.#opts = opts;
    this.#argv = argv ?? ownCommand(runtime, "--runner-process");
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
    if (printed !== "") this.#log.warning("a runner said something", { jid: job.jid, fun: job.fun, printed });
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
        this.#log.warning("no process for runners", { error: messageOf(error) });
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
