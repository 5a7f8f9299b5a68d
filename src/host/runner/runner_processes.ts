/** The processes of runners: one each, started before it is needed. */
import { Pool } from "../../base/async/pool.ts";
import { messageOf } from "../../base/errors.ts";
import type { MasterOpts } from "../../model/config/master_opts.ts";
import type { MasterRunnerJob, RunnerEnd, Runners } from "../master/jobs/runners.ts";
import type { Part, PartStatus } from "../../feature/supervise/restarts.ts";
import { type ProcessOwner, StartError, SupervisedProcess } from "../../feature/supervise/supervised_process.ts";
import { encode } from "../../protocol/wire/msgpack.ts";

/** The data that the process of a runner gets (the request `run`). */
export type RunnerWork = MasterRunnerJob & { opts: MasterOpts };

/** Runners that run at once; more wait. */
const AT_ONCE = 64;
/** How long a process waits for a runner before it is ended. */
const IDLE_MS = 600_000;

/** A process that has everything loaded, or soon has, and waits for what to run. */
interface Spare {
  starting: Promise<SupervisedProcess>;
  process?: SupervisedProcess;
}

/**
 * A part without heartbeats: a runner may be busy for hours. It is reported and stopped with the others, and one that was killed is
 * not run again: nobody knows how far it came.
 */
export class RunnerProcesses implements Runners, Part {
  readonly name = "runners";
  readonly #owner: ProcessOwner;
  readonly #opts: () => MasterOpts;
  readonly #argv: readonly string[];
  readonly #pool = new Pool(AT_ONCE);
  readonly #running = new Map<SupervisedProcess, { job: MasterRunnerJob; sinceMs: number }>();
  #spare: Spare | undefined;
  #failed = 0;
  #last: PartStatus["last_words"] = null;
  #cancelIdle = () => {};
  #closed = false;

  /**
   * @param opts the master's configuration as it is now, which runners are given
   * @param argv the command that is started for a runner
   */
  constructor(owner: ProcessOwner, opts: () => MasterOpts, argv: readonly string[]) {
    this.#owner = owner;
    this.#opts = opts;
    this.#argv = argv;
  }

  run(job: MasterRunnerJob): Promise<RunnerEnd> {
    return this.#pool.run(() => this.#run(job));
  }

  async #run(job: MasterRunnerJob): Promise<RunnerEnd> {
    const { runtime: { clock }, partLog } = this.#owner;
    const spare = this.#spare?.starting ?? this.#start();
    this.#spare = undefined;
    const { how: status, words: printed } = await spare.then(async (process) => {
      this.#running.set(process, { job, sinceMs: clock.now() });
      this.#keepSpare();
      await process.request("run", encode({ ...job, opts: this.#opts() }, "bin"));
      process.retire();
      const end = await process.ended;
      this.#running.delete(process);
      return end;
    }).catch((error) => {
      if (error instanceof StartError) return error.end;
      throw error;
    });
    if (status !== "exit code 0") {
      this.#failed++;
      this.#last = { how: status, words: printed };
    }
    if (printed !== "") {
      partLog.child("runner").warning("a runner printed something", { jid: job.jid, fun: job.fun, printed });
    }
    return { status, printed };
  }

  #start(): Promise<SupervisedProcess> {
    return SupervisedProcess.start(this.#owner, {
      name: "runner",
      argv: this.#argv,
      config: () => null,
      health: { hungMs: Infinity, maxMemory: Infinity },
      sparesChildren: true,
      outlives: true,
    });
  }

  #keepSpare(): void {
    this.#cancelIdle();
    if (this.#closed) return;
    if (this.#spare === undefined) {
      const spare: Spare = { starting: this.#start() };
      this.#spare = spare;
      const gone = () => {
        if (this.#spare === spare) this.#spare = undefined;
      };
      spare.starting.then((process) => {
        spare.process = process;
        return process.ended.then(gone);
      }, (error) => {
        this.#owner.log.warning("cannot start a process for runners", { error: messageOf(error) });
        gone();
      });
    }
    this.#cancelIdle = this.#owner.runtime.clock.after(IDLE_MS, () => this.#letGo());
  }

  #letGo(): void {
    void this.#spare?.starting.then((process) => process.retire(), () => {});
    this.#spare = undefined;
  }

  status(): PartStatus {
    const now = this.#owner.runtime.clock.now();
    const running = [...this.#running].map(([{ pid }, { job, sinceMs }]) => ({
      pid,
      state: "busy",
      request: job.fun,
      jid: job.jid,
      seconds: Math.round((now - sinceMs) / 100) / 10,
    }));
    const spare = this.#spare?.process;
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
