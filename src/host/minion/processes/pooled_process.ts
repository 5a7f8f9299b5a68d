import { type Deferred, deferred } from "../../../base/async/deferred.ts";
import { messageOf } from "../../../base/errors.ts";
import type { Context, MasterRequestOptions } from "../../../model/loader/context.ts";
import type { Logger } from "../../../base/log.ts";
import { sameBytes } from "../../../runtime/bytes.ts";
import type { Runtime } from "../../../runtime/runtime.ts";
import type { Connection } from "../../../runtime/net.ts";
import type { Child, ExitStatus } from "../../../runtime/process.ts";
import { killGroups } from "../../../feature/supervise/kill_groups.ts";
import { type LastWords, statusText } from "../../../feature/supervise/last_words.ts";
import { frame } from "../../../protocol/wire/frames.ts";
import { Packed } from "../../../protocol/wire/msgpack.ts";
import type { JobSession } from "./bulk_requests.ts";
import type { ExecutionRequest } from "./execution.ts";
import { failure, type JobOutcome } from "./executor.ts";
import type { FromJob, RequestName, ToJob } from "./job_protocol.ts";
import { packMinionState } from "./minion_state.ts";

/** What the processes of jobs use of their minion. */
export interface ProcessOwner {
  runtime: Runtime;
  log: Logger;
  /** The state of the minion as a job begins. @param master address of the master that sent the job */
  context(master?: string): Context;
  /**
   * The session with the master that files come from, for a job that fetches many bytes. Never the session of the key `stale`.
   * The master is that of the job.
   *
   * @default none: all that the job fetches passes through this process
   */
  session?(stale?: string, master?: string): Promise<JobSession>;
  /** Time that an aborted job has to clean up before it is killed, in milliseconds. @default 2000 */
  graceMs?: number;
}

/** How long to wait for the exit status of a process after its socket is closed. */
const STATUS_MS = 2000;

/**
 * The process of one job as the minion sees it, from its first message to its end. The other side is `JobProcess`
 * (`job_process.ts`), and they exchange the messages of `job_protocol.ts`.
 */
export class PooledProcess {
  readonly child: Child;
  readonly #connection: Connection;
  readonly #printed: LastWords;
  readonly #owner: ProcessOwner;
  /** Processes that the job has started. */
  readonly #started = new Set<number>();
  readonly #closed = deferred<void>();
  /** The state of the minion that was sent while the process waits. */
  #state: Uint8Array | undefined;
  #job: { request: ExecutionRequest; done: Deferred<JobOutcome> } | undefined;

  constructor(child: Child, connection: Connection, printed: LastWords, owner: ProcessOwner) {
    this.child = child;
    this.#connection = connection;
    this.#printed = printed;
    this.#owner = owner;
  }

  get #graceMs(): number {
    return this.#owner.graceMs ?? 2000;
  }

  /** Resolves when the process has exited, or has closed its connection. */
  get ended(): Promise<void> {
    return Promise.race([this.child.exited.then(() => {}), this.#closed.promise]);
  }

  #send(message: ToJob): void {
    this.#connection.write(frame(message));
  }

  /** Tells the process that it has no job yet: it prepares for one. */
  wait(): void {
    this.#state = packMinionState(this.#owner.context());
    this.#send({ type: "wait", state: this.#state });
  }

  onClose(): void {
    this.#closed.resolve();
  }

  /** Runs the job of this process. Rejects with the signal's reason when the job is aborted. */
  async run(request: ExecutionRequest): Promise<JobOutcome> {
    const done = deferred<JobOutcome>();
    const onAbort = () => this.#terminate();
    this.#job = { request, done };
    request.ownProcess(this.child.pid);
    try {
      request.signal.addEventListener("abort", onAbort, { once: true });
      if (request.signal.aborted) onAbort();
      this.#sendJob(request);
      const outcome = await Promise.race([done.promise, this.ended.then(() => undefined)]);
      if (outcome !== undefined && !request.signal.aborted) {
        this.retire();
        return outcome;
      }
      await this.ended;
      request.signal.throwIfAborted();
      return await this.#crashed(request.load);
    } finally {
      request.signal.removeEventListener("abort", onAbort);
    }
  }

  #sendJob({ load, output, master }: ExecutionRequest): void {
    const state = packMinionState(this.#owner.context(master));
    const known = this.#state !== undefined && sameBytes(this.#state, state);
    this.#state = undefined;
    this.#send({ type: "job", load, streams: output !== undefined, ...(known ? {} : { state }) });
  }

  /** The outcome of a job whose process ended without one. */
  async #crashed({ jid, fun }: Record<string, unknown>): Promise<JobOutcome> {
    const status = await this.#status();
    this.#owner.log.warning("the process of a job ended before it returned", {
      jid,
      fun,
      how: status === undefined ? "unknown" : statusText(status),
      printed: this.#printed.text,
    });
    // Its parent is gone, so no other process would end what it started.
    this.#killStarted();
    return failure(
      `The process of the job ended before it returned${status === undefined ? "" : `: ${statusText(status)}`}`,
    );
  }

  /** The exit status; undefined if it does not arrive in time, because another process may hold its pipes open. */
  async #status(): Promise<ExitStatus | undefined> {
    const over = new AbortController();
    const late = this.#owner.runtime.clock.sleep(STATUS_MS, over.signal).then(() => undefined, () => undefined);
    const status = await Promise.race([this.child.exited, late]);
    over.abort();
    return status;
  }

  /** Handles one message of the process. */
  receive(message: FromJob): void {
    const { log, master } = this.#owner.context();
    const request = this.#job?.request;
    switch (message.type) {
      case "log": {
        const { level, name, message: text, fields } = message;
        const part = name === "" ? log : log.child(name);
        // A logger has no method for `quiet` and the like.
        if (level in part) part[level as "warning"](text, fields);
        break;
      }
      case "own":
        this.#started.add(message.pid);
        request?.ownProcess(message.pid);
        break;
      case "output": {
        const { stream, chunk } = message;
        const taken = () => this.#send({ type: "taken", bytes: chunk.length });
        const taking = request?.output?.(stream, chunk);
        if (taking === undefined) taken();
        else taking.then(taken, taken);
        break;
      }
      case "fireLocal":
        master?.fireLocal(message.tag, message.data);
        break;
      case "request":
        void this.#answer(message);
        break;
      case "outcome":
        this.#receiveOutcome(message);
        break;
    }
  }

  #receiveOutcome(message: FromJob & { type: "outcome" }): void {
    const { grains } = this.#owner.context();
    // The next job sees at once what this one changed in the grains, as it does when jobs run in the minion's process.
    for (const name of message.lostGrains) delete grains[name];
    for (const [name, value] of Object.entries(message.grains)) {
      Object.defineProperty(grains, name, { value, enumerable: true, writable: true, configurable: true });
    }
    const { return: value, retcode, success, out } = message.outcome;
    this.#job?.done.resolve({
      return: new Packed(value),
      retcode,
      success,
      ...(out === undefined ? {} : { out }),
    });
  }

  /** Replies to a request of the job. */
  async #answer({ id, name, args }: FromJob & { type: "request" }): Promise<void> {
    const { session } = this.#owner;
    const sender = this.#job?.request.master;
    const { jobs, master, compilePillar } = this.#owner.context(sender);
    try {
      const load = args[0] as Record<string, unknown>;
      const answers: Record<RequestName, () => unknown> = {
        running: () => jobs.running(),
        signal: () => jobs.signal(String(args[0]), Number(args[1])),
        fireEvent: () => master?.fireEvent(String(args[0]), args[1] as Record<string, unknown>),
        master: () => master?.request(load, args[1] as MasterRequestOptions | undefined),
        pillar: () =>
          compilePillar === undefined
            ? Promise.reject(new Error("Cannot compile a pillar: this host has no pillar compiler"))
            : compilePillar(load),
        session: () => session?.(typeof args[0] === "string" ? args[0] : undefined, sender),
        askLocal: () => master?.askLocal?.(String(args[0]), args[1] as typeof load, String(args[2]), Number(args[3])),
      };
      const value = await answers[name]();
      this.#send({ type: "reply", id, value });
    } catch (error) {
      this.#send({ type: "reply", id, error: messageOf(error) });
    }
  }

  /** Closes the connection so that the process exits; kills it if it does not. */
  retire(): void {
    this.#connection.end();
    this.#killAfterGrace();
  }

  kill(): void {
    killGroups(this.#owner.runtime.process, [this.child.pid], "SIGKILL");
  }

  /** Asks the job to end, with all processes that it started, and kills what is left after the grace time. */
  #terminate(): void {
    // The process alone and not its group: it may still be waiting for members of the group.
    try {
      this.#owner.runtime.process.kill(this.child.pid, "SIGTERM");
    } catch {
      // The process has already exited.
    }
    this.#killStarted();
    this.#killAfterGrace();
  }

  #killAfterGrace(): void {
    const cancel = this.#owner.runtime.clock.after(this.#graceMs, () => this.kill());
    void this.child.exited.then(cancel);
  }

  #killStarted(): void {
    const { clock, process } = this.#owner.runtime;
    const started = [...this.#started];
    if (started.length === 0) return;
    killGroups(process, started, "SIGTERM");
    // Members of a group may outlive its leader, so the groups are signalled again, whether their leaders live or not.
    clock.after(this.#graceMs, () => killGroups(process, started, "SIGKILL"));
  }
}
