import { type Deferred, deferred } from "../../../base/async/deferred.ts";
import { messageOf, SaltError } from "../../../base/errors.ts";
import { programGone } from "../../../runtime/process.ts";
import type { Execution, ExecutionRequest } from "./execution.ts";
import { failure, type JobOutcome } from "./execute_job.ts";
import { PartDoor } from "../../../feature/supervise/part_door.ts";
import type { SocketAddress } from "../../../runtime/net.ts";
import { type PooledJobOwner, PooledProcess } from "./pooled_process.ts";

export interface ProcessPoolOptions extends PooledJobOwner {
  /** The socket that the processes report to; it is made when the first process is started. */
  socket: SocketAddress;
  /** Processes kept ready. @default 1 */
  spares?: number;
  /** After how many milliseconds without a job the spares end; 0 keeps them always, from the start on. @default 600000 */
  idleMs?: number;
}

/** Time that processes have for an orderly end when the minion has died. */
const ORPHAN_MS = 10_000;

/** The pause before a spare is started: the job that took the last one has the processor first. */
const SPARE_DELAY_MS = 50;

/** No process could be started; the job has not begun. */
class StartError extends SaltError {
  constructor(message: string, options: { cause?: unknown } = {}) {
    super("JOB_PROCESS", message, options);
  }
}

/**
 * Runs each job in a process of its own. A process is started before it is needed, waits with everything loaded, runs one
 * job and ends. So nothing of one job is left for the next, and what a function does to its process affects that job alone.
 */
export class ProcessPool implements Execution {
  readonly #options: ProcessPoolOptions;
  readonly #door: PartDoor;
  readonly #ready: PooledProcess[] = [];
  /** Jobs that wait for a process, oldest first. */
  readonly #waiting: Deferred<PooledProcess>[] = [];
  #starting = 0;
  /** Counts the calls of {@link ProcessPool.renew}: a process that was started before the last one is not used. */
  #generation = 0;
  #running = 0;
  /** Spares to keep at present. */
  #wanted = 0;
  #cancelIdle = () => {};
  #cancelRefill = () => {};
  #closed = false;
  /** The program of the minion was removed, which was logged. */
  #isGone = false;

  constructor(options: ProcessPoolOptions) {
    this.#options = options;
    this.#door = new PartDoor({ ...options, orphanMs: ORPHAN_MS });
    if (options.idleMs === 0) {
      this.#wanted = this.#spares;
      this.#refill();
    }
  }

  get #spares(): number {
    return this.#options.spares ?? 1;
  }

  /** Processes that wait for a job. */
  get ready(): number {
    return this.#ready.length;
  }

  /** Processes that have not exited. */
  get size(): number {
    return this.#door.size;
  }

  async run(request: ExecutionRequest): Promise<JobOutcome> {
    request.signal.throwIfAborted();
    const { log, runtime: { clock } } = this.#options;
    this.#running++;
    this.#cancelIdle();
    this.#wanted = this.#spares;
    try {
      const process = await this.#take();
      try {
        request.signal.throwIfAborted();
        await request.begin?.();
        request.signal.throwIfAborted();
      } catch (error) {
        this.#offer(process);
        throw error;
      }
      this.#cancelRefill();
      this.#cancelRefill = clock.after(SPARE_DELAY_MS, () => this.#refill());
      return await process.run(request);
    } catch (error) {
      if (!(error instanceof StartError)) throw error;
      // The missing program was already logged, and it is missing for every job.
      if (!this.#isGone) {
        log.error("job failed: its process could not be started", { jid: request.load.jid, error: error.message });
      }
      return failure(error.message);
    } finally {
      this.#running--;
      if (this.#running === 0) this.#retireSparesLater();
      this.#refill();
    }
  }

  #retireSparesLater(): void {
    const { idleMs = 600_000, runtime } = this.#options;
    if (idleMs === 0) return;
    this.#cancelIdle();
    this.#cancelIdle = runtime.clock.after(idleMs, () => {
      this.#wanted = 0;
      for (const process of this.#ready.splice(0)) process.retire();
    });
  }

  #take(): Promise<PooledProcess> {
    const process = this.#ready.shift();
    if (process !== undefined) return Promise.resolve(process);
    const waiting = deferred<PooledProcess>();
    this.#waiting.push(waiting);
    this.#start(this.#waiting.length);
    return waiting.promise;
  }

  #refill(): void {
    this.#cancelRefill();
    this.#start(this.#waiting.length + Math.max(0, this.#wanted - this.#ready.length));
  }

  /** Starts processes until `needed` are being started, or as many as the processors allow. */
  #start(needed: number): void {
    const atOnce = 2 * Math.max(1, this.#options.runtime.host.cpus().length);
    while (!this.#closed && this.#starting < Math.min(needed, atOnce)) {
      this.#starting++;
      void this.#startOne();
    }
  }

  async #startOne(): Promise<void> {
    let process: PooledProcess | undefined;
    const generation = this.#generation;
    try {
      const { runtime, log } = this.#options;
      const partLog = this.#options.context().log;
      process = await PooledProcess.start(this.#options, { runtime, log, partLog, door: this.#door });
    } catch (error) {
      const gone = programGone(error, "salt-minion");
      if (gone !== undefined && !this.#isGone) this.#options.log.error("no job can run", { reason: gone });
      this.#isGone = gone !== undefined;
      const text = `The process of the job could not be started: ${gone ?? messageOf(error)}`;
      const waiting = this.#waiting.shift();
      if (waiting === undefined && gone === undefined) {
        this.#options.log.warning("spare process for jobs not started: the next job tries again", {
          error: messageOf(error),
        });
      } else waiting?.reject(new StartError(text, { cause: error }));
    } finally {
      if (process !== undefined) this.#isGone = false;
      this.#starting--;
    }
    if (generation !== this.#generation) {
      process?.retire();
      this.#refill();
    } else if (process !== undefined) this.#offer(process);
    // A spare that cannot be started now is tried again with the next job.
    this.#start(this.#waiting.length);
  }

  renew(): void {
    this.#generation++;
    for (const process of this.#ready.splice(0)) process.retire();
    this.#refill();
  }

  /** Hands a process to the job that has waited longest, or keeps it as a spare. */
  #offer(process: PooledProcess): void {
    const waiting = this.#waiting.shift();
    if (waiting !== undefined) waiting.resolve(process);
    else if (this.#closed || this.#ready.length >= this.#wanted) process.retire();
    else {
      this.#ready.push(process);
      process.wait();
      void process.ended.then(() => {
        const at = this.#ready.indexOf(process);
        if (at < 0) return;
        this.#ready.splice(at, 1);
        if (this.#closed) return;
        this.#options.log.warning("a spare process for jobs has ended: the next job starts another", {
          pid: process.pid,
        });
      });
    }
  }

  /** Ends every process. Jobs that were aborted have the grace time to clean up. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#cancelIdle();
    this.#cancelRefill();
    for (const waiting of this.#waiting.splice(0)) waiting.reject(new StartError("The minion is stopping"));
    for (const process of this.#ready.splice(0)) process.retire();
    await this.#door.close(this.#options.graceMs ?? 2000);
  }
}
