import { SaltError } from "../../base/errors.ts";
import { type Part, type PartStatus, Restarts } from "./restarts.ts";
import { Quarantine } from "./quarantine.ts";
import type { QueuedRequest, WorkerQueueOptions, WorkerRequest } from "./worker_queue.ts";
import { NotTakenError, requestOwner, WorkerQueue } from "./worker_queue.ts";
import type { PartEnd, PartOptions, ProcessOwner } from "./supervised_process.ts";
import { endFields, startFailure, SupervisedProcess } from "./supervised_process.ts";
import type { PartReply } from "./requests.ts";

export interface WorkerPoolOptions extends PartOptions {
  /** The most processes. */
  size: number;
  /** How long a process stays without a request, in milliseconds. @default 60000 */
  idleMs?: number;
  /** How long one request may take before its worker is killed, in milliseconds. @default 300000 */
  limitMs?: number;
  queue?: WorkerQueueOptions;
}

/** The most workers that a request may kill. */
const TRIES = 2;
/** The number of failed starts in a row after which waiting requests are refused. */
const START_TRIES = 5;

/** A worker could not answer a request; the message, which the caller gets, has the reason. */
export class WorkerError extends SaltError {
  constructor(message: string, options: { cause?: unknown } & Record<string, unknown> = {}) {
    super("WORKER", message, options);
  }
}

/**
 * Processes that answer requests, one at a time each. They are started when there is work and end when there is none. A request
 * whose process dies is given to another one, once.
 */
export class WorkerPool implements Part {
  readonly name: string;
  readonly #owner: ProcessOwner;
  readonly #options: WorkerPoolOptions;
  readonly #queue: WorkerQueue;
  readonly #quarantine: Quarantine;
  readonly #restarts: Restarts;
  /** Each process with the request that it works on; undefined while it waits. */
  readonly #processes = new Map<SupervisedProcess, { entry: QueuedRequest; sinceMs: number } | undefined>();
  /** Processes to end once they have answered. */
  readonly #outdated = new WeakSet<SupervisedProcess>();
  readonly #idle: { process: SupervisedProcess; cancel(): void }[] = [];
  #starting = 0;
  #restarted = 0;
  #last: PartEnd | undefined;
  #refused = 0;
  #closed = false;

  constructor(owner: ProcessOwner, options: WorkerPoolOptions) {
    const { clock } = owner.runtime;
    this.name = options.name;
    this.#owner = owner;
    this.#options = options;
    this.#queue = new WorkerQueue(options.queue);
    this.#quarantine = new Quarantine(() => clock.now());
    this.#restarts = new Restarts(owner.runtime);
  }

  /**
   * Lets a worker answer a request.
   *
   * @throws {WorkerError} if the request cannot be answered: the caller has to be told
   * @throws {NotTakenError} if too many requests wait, or the callers have disconnected: there is no answer
   * @throws {Error} the error of the handler
   */
  async call(request: WorkerRequest): Promise<unknown> {
    if (this.#closed) throw new NotTakenError();
    const seconds = this.#quarantine.secondsLeft(requestOwner(request));
    if (seconds > 0) {
      this.#refused++;
      throw new WorkerError(
        `Cannot make ${request.label}: its worker process crashed each time. It is refused for ${seconds} s more; see the master's log`,
      );
    }
    const answer = this.#queue.add(request);
    if (answer === undefined) {
      this.#refused++;
      this.#owner.log.warning("request refused: too many requests wait for a worker", {
        request: request.label,
        waiting: this.#queue.size,
      });
      throw new NotTakenError();
    }
    this.#work();
    const { value, error } = await answer as { value?: unknown; error?: string };
    if (error !== undefined) throw new Error(error);
    return value;
  }

  /** Gives requests to workers that wait, and starts more if need be. */
  #work(): void {
    while (this.#idle.length > 0) {
      const entry = this.#queue.take();
      if (entry === undefined) return;
      const { process, cancel } = this.#idle.pop()!;
      cancel();
      void this.#serve(process, entry);
    }
    const room = this.#options.size - this.#processes.size - this.#starting;
    for (let more = Math.min(this.#queue.size - this.#starting, room); more > 0; more--) {
      if (this.#closed || this.#restarts.waiting) return;
      this.#starting++;
      void this.#start();
    }
  }

  async #start(): Promise<void> {
    const { log } = this.#owner;
    try {
      const process = await SupervisedProcess.start(this.#owner, this.#options);
      this.#processes.set(process, undefined);
      void process.ended.then((end) => this.#gone(process, end));
      log.debug("worker process started", { part: this.name, pid: process.pid });
      this.#rest(process);
    } catch (error) {
      this.#last = startFailure(error);
      log.error("worker process could not be started", { part: this.name, error: this.#last.how });
      this.#restarts.failed(() => this.#work());
      if (this.#restarts.failures >= START_TRIES) this.#refuseAll();
    } finally {
      this.#starting--;
    }
    this.#work();
  }

  #refuseAll(): void {
    for (const { request, callers } of this.#queue.takeAll()) {
      this.#refused++;
      const error = new WorkerError(
        `Cannot make ${request.label}: no worker process can be started; see the master's log`,
      );
      for (const { answer } of callers) answer.reject(error);
    }
  }

  /** Handles an idle process: it waits for requests, or ends if it is outdated. */
  #rest(process: SupervisedProcess): void {
    const { clock } = this.#owner.runtime;
    if (this.#closed || this.#outdated.has(process)) return process.retire();
    const waiting = { process, cancel: clock.after(this.#options.idleMs ?? 60_000, () => this.#retire(process)) };
    this.#idle.push(waiting);
  }

  #retire(process: SupervisedProcess): void {
    const at = this.#idle.findIndex((one) => one.process === process);
    if (at >= 0) this.#idle.splice(at, 1)[0]!.cancel();
    process.retire();
  }

  async #serve(process: SupervisedProcess, entry: QueuedRequest): Promise<void> {
    const { runtime: { clock } } = this.#owner;
    const { limitMs = 300_000 } = this.#options;
    const { request: { kind, body } } = entry;
    this.#processes.set(process, { entry, sinceMs: clock.now() });
    const cancel = clock.after(limitMs, () => process.kill(`killed: a request took longer than ${limitMs / 1000} s`));
    const reply = await process.request(kind, body);
    cancel();
    if (reply === undefined) this.#died(entry, await process.ended);
    else {
      this.#answered(entry, reply);
      this.#processes.set(process, undefined);
      this.#rest(process);
    }
    this.#work();
  }

  #answered(entry: QueuedRequest, reply: NonNullable<PartReply>): void {
    this.#restarts.worked();
    this.#quarantine.worked(requestOwner(entry.request));
    this.#queue.done(entry);
    for (const { answer } of entry.callers) answer.resolve(reply);
  }

  /** Handles the death of a request's worker: another worker tries, once. */
  #died(entry: QueuedRequest, end: PartEnd): void {
    const { log } = this.#owner;
    const { request } = entry;
    if (this.#closed) {
      this.#queue.done(entry);
      for (const { answer } of entry.callers) answer.reject(new NotTakenError());
      return;
    }
    entry.deaths++;
    const isQuarantined = this.#quarantine.died(requestOwner(request));
    if (!isQuarantined && entry.deaths < TRIES) {
      log.error("worker process crashed during a request: trying another one", {
        request: request.label,
        ...endFields(end),
      });
      return this.#queue.putBack(entry);
    }
    const seconds = this.#quarantine.secondsLeft(requestOwner(request));
    log.error("worker process crashed again during a request: the request is refused for a while", {
      request: request.label,
      seconds,
      ...endFields(end),
    });
    this.#refused++;
    this.#queue.done(entry);
    const error = new WorkerError(
      `Cannot make ${request.label}: its worker process crashed twice (${end.how}). It is refused for ${seconds} s`,
    );
    for (const { answer } of entry.callers) answer.reject(error);
  }

  #gone(process: SupervisedProcess, end: PartEnd): void {
    this.#retire(process);
    const wasIdle = this.#processes.get(process) === undefined;
    this.#processes.delete(process);
    if (this.#closed) return;
    // A request may wait for the place of the ended process.
    if (process.retired && end.how === "exit code 0") return this.#work();
    this.#restarted++;
    this.#last = end;
    if (wasIdle) {
      this.#owner.log.warning("worker process ended", { part: this.name, pid: process.pid, ...endFields(end) });
    }
    this.#restarts.failed(() => this.#work());
  }

  /** Replaces the running processes, whose configuration is outdated. */
  renew(): void {
    for (const { process } of [...this.#idle]) this.#retire(process);
    for (const process of this.#processes.keys()) this.#outdated.add(process);
  }

  status(): PartStatus {
    const now = this.#owner.runtime.clock.now();
    const processes = [...this.#processes].map(([process, work]) => ({
      pid: process.pid,
      state: work === undefined ? "idle" : "busy",
      memory: process.memory ?? null,
      ...(work === undefined
        ? {}
        : { request: work.entry.request.label, seconds: Math.round((now - work.sinceMs) / 100) / 10 }),
    }));
    const state = this.#closed
      ? "stopped"
      : this.#restarts.waiting
      ? "waiting"
      : this.#starting > 0
      ? "starting"
      : "running";
    return {
      name: this.name,
      state,
      limit: this.#options.size,
      processes,
      restarts: this.#restarted,
      queue: this.#queue.size,
      refused: this.#refused,
      poisoned: this.#quarantine.list(),
      last_words: this.#last ?? null,
    };
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#restarts.stop();
    for (const { callers } of this.#queue.takeAll()) {
      for (const { answer } of callers) answer.reject(new NotTakenError());
    }
    const all = [...this.#processes.keys()];
    for (const process of all) process.retire();
    await Promise.all(all.map((process) => process.ended));
  }
}
