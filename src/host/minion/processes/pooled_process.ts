import type { Context, MasterRequestOptions, OutputStream } from "../../../model/loader/family.ts";
import type { Logger } from "../../../base/log.ts";
import { sameBytes } from "../../../runtime/bytes.ts";
import type { Runtime } from "../../../runtime/runtime.ts";
import { killGroups } from "../../../feature/supervise/part_door.ts";
import { type PartEnd, type ProcessOwner, SupervisedProcess } from "../../../feature/supervise/supervised_process.ts";
import { encode, Packed } from "../../../protocol/wire/msgpack.ts";
import type { JobSession } from "./bulk_requests.ts";
import type { ExecutionRequest } from "./execution.ts";
import { failure, type JobOutcome } from "./execute_job.ts";
import type { JobQuestion, JobResult, JobWork } from "./job_protocol.ts";
import { packMinionState } from "./minion_state.ts";

export interface JobCommand {
  /** A program that calls `runJobProcess` (`job_process.ts`), and its arguments. */
  argv: readonly string[];
}

/** The parts of a minion that the processes of its jobs use. */
export interface PooledJobOwner {
  runtime: Runtime;
  command: JobCommand;
  log: Logger;
  /** The state of the minion as a job begins. @param master address of the master that sent the job */
  context(master?: string): Context;
  /**
   * The session with the master that files come from, for a job that fetches many bytes. Never the session of the key `stale`.
   * The master is that of the job.
   *
   * @default none: all that the job fetches passes through this process
   */
  session?: ((stale?: string, master?: string) => Promise<JobSession>) | undefined;
  /** The most memory that the process of a job may use, in bytes. @default any amount */
  maxMemory?: number;
  /** Time that a process may take to start, in milliseconds. @default 60000 */
  startMs?: number;
  /** Time that an aborted job has to clean up before it is killed, in milliseconds. @default 2000 */
  graceMs?: number;
}

/** The return code of a job whose process used too much memory: that of a process which the system kills for it. */
const OUT_OF_MEMORY = 137;

/**
 * The process of one job as the minion sees it. The other side is `JobProcess` (`job_process.ts`), and `job_protocol.ts` has what they say.
 */
export class PooledProcess {
  readonly #owner: PooledJobOwner;
  readonly #process: SupervisedProcess;
  readonly #started = new Set<number>();
  /** The state of the minion that was sent while the process waits. */
  #state: Uint8Array | undefined;
  #request: ExecutionRequest | undefined;

  private constructor(owner: PooledJobOwner, process: SupervisedProcess) {
    this.#owner = owner;
    this.#process = process;
  }

  /** @throws {Error} if it cannot be started, ends early, or does not report in time */
  static async start(owner: PooledJobOwner, processes: ProcessOwner): Promise<PooledProcess> {
    const { command: { argv }, maxMemory = Infinity, startMs, graceMs } = owner;
    // Asks only once it has a job, or prepares for one.
    let pooled: PooledProcess;
    const process = await SupervisedProcess.start(processes, {
      name: "job",
      argv,
      config: () => null,
      answers: (kind, args) => pooled.#answer(kind as JobQuestion, args),
      // A job may block for any time, and a program that it has started may be a daemon.
      health: { hungMs: Infinity, maxMemory, startMs, graceMs },
      sparesChildren: true,
    });
    return pooled = new PooledProcess(owner, process);
  }

  get pid(): number {
    return this.#process.pid;
  }

  /** Resolves when the process has ended. */
  get ended(): Promise<PartEnd> {
    return this.#process.ended;
  }

  /** Tells the process that it has no job yet: it prepares for one. */
  wait(): void {
    this.#state = packMinionState(this.#owner.context());
    void this.#process.request("prepare", this.#state);
  }

  /** Runs the job of this process. Rejects with the signal's reason when the job is aborted. */
  async run(request: ExecutionRequest): Promise<JobOutcome> {
    const { load, signal, ownProcess, output, master } = request;
    const onAbort = () => {
      this.#process.terminate();
      this.#killStarted();
    };
    this.#request = request;
    ownProcess(this.pid);
    try {
      signal.addEventListener("abort", onAbort, { once: true });
      if (signal.aborted) onAbort();
      const state = packMinionState(this.#owner.context(master));
      const known = this.#state !== undefined && sameBytes(this.#state, state);
      const work: JobWork = { load, streams: output !== undefined, ...(known ? {} : { state }) };
      const reply = await this.#process.request("job", encode(work, "bin"));
      if (reply !== undefined && !signal.aborted) {
        this.retire();
        return "error" in reply ? failure(reply.error) : this.#outcome(reply.value as JobResult);
      }
      const end = await this.ended;
      signal.throwIfAborted();
      return this.#crashed(load, end);
    } finally {
      signal.removeEventListener("abort", onAbort);
    }
  }

  /** The outcome of a job whose process ended without one. */
  #crashed({ jid, fun }: Record<string, unknown>, { how, words: printed }: PartEnd): JobOutcome {
    const { log, maxMemory } = this.#owner;
    log.warning("the process of a job ended before it returned", { jid, fun, how, printed });
    // Its parent is gone, so no other process would end what it started.
    this.#killStarted();
    const { excess } = this.#process;
    if (excess === undefined) return failure(`The process of the job ended before it returned: ${how}`);
    const text =
      `The job was ended: its process used ${excess} bytes of memory, more than ${maxMemory} (job_max_memory)`;
    return { ...failure(text), retcode: OUT_OF_MEMORY };
  }

  #outcome({ grains: changed, lostGrains, return: value, ...rest }: JobResult): JobOutcome {
    const { grains } = this.#owner.context();
    // The next job sees at once what this one changed in the grains, as it does when jobs run in the minion's process.
    for (const name of lostGrains) delete grains[name];
    for (const [name, value] of Object.entries(changed)) {
      Object.defineProperty(grains, name, { value, enumerable: true, writable: true, configurable: true });
    }
    return { return: new Packed(value), ...rest };
  }

  #answer(kind: JobQuestion, args: readonly unknown[]): unknown {
    const { session } = this.#owner;
    const sender = this.#request?.master;
    const { jobs, master, compilePillar } = this.#owner.context(sender);
    const [text, load] = [String(args[0]), args[0] as Record<string, unknown>];
    const answers: Record<JobQuestion, () => unknown> = {
      own: () => {
        this.#started.add(Number(args[0]));
        this.#request?.ownProcess(Number(args[0]));
      },
      output: () => this.#request?.output?.(args[0] as OutputStream, args[1] as Uint8Array),
      fireLocal: () => master?.fireLocal(text, args[1] as typeof load),
      running: () => jobs.running(),
      signal: () => jobs.signal(text, Number(args[1])),
      fireEvent: () => master?.fireEvent(text, args[1] as typeof load),
      master: () => master?.request(load, args[1] as MasterRequestOptions | undefined),
      pillar: () => {
        if (compilePillar !== undefined) return compilePillar(load);
        throw new Error("Cannot compile a pillar: this host has no pillar compiler");
      },
      session: () => session?.(typeof args[0] === "string" ? args[0] : undefined, sender),
      askLocal: () => master?.askLocal?.(text, args[1] as typeof load, String(args[2]), Number(args[3])),
    };
    return answers[kind]();
  }

  /** Lets the process exit; kills it if it does not. */
  retire(): void {
    this.#process.retire();
  }

  #killStarted(): void {
    const { runtime: { clock, process }, graceMs = 2000 } = this.#owner;
    const started = [...this.#started];
    if (started.length === 0) return;
    killGroups(process, started, "SIGTERM");
    // Members of a group may outlive its leader, so the groups are signalled again, whether their leaders live or not.
    clock.after(graceMs, () => killGroups(process, started, "SIGKILL"));
  }
}
