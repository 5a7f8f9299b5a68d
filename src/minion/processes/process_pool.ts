import { type Deferred, deferred } from "../../async/deferred.ts";
import { hex } from "../../crypto/hex.ts";
import { messageOf, SaltError } from "../../errors.ts";
import type { Context, MasterRequestOptions } from "../../loader/context.ts";
import { customStamp } from "../../loader/custom_files.ts";
import { LOG_LEVELS, type Logger, type LogLevel } from "../../log.ts";
import type { Runtime } from "../../runtime/mod.ts";
import type { Connection, Listener, SocketAddress } from "../../runtime/net.ts";
import type { Child, ExitStatus } from "../../runtime/process.ts";
import { encode, Packed } from "../../wire/msgpack.ts";
import type { JobSession } from "./bulk_requests.ts";
import type { Execution, ExecutionRequest } from "./execution.ts";
import { failure, type JobOutcome } from "./executor.ts";
import {
  frame,
  FrameReader,
  type FromJob,
  JOB_VARIABLE,
  PROTOCOL_VERSION,
  type RequestName,
  type ToJob,
} from "./job_protocol.ts";
import { killGroups, packable } from "./job_process.ts";

/** How a process for a job is started. */
export interface JobCommand {
  /** A program that calls {@link runJobProcess}, and its words. */
  argv: readonly string[];
  /** Variables beside those of our own environment. */
  env?: Record<string, string>;
}

export interface ProcessPoolOptions {
  runtime: Runtime;
  log: Logger;
  command: JobCommand;
  /** Where the processes report; made when the first one is started. */
  socket: SocketAddress;
  /** The state of the minion as a job begins. @param master address of the master that the job is of */
  context(master?: string): Context;
  /**
   * The session with the master from which files come, for a job that fetches much; another than that of the key `stale`.
   * The master is that of the job.
   *
   * @default none: all that it fetches passes through this process
   */
  session?(stale?: string, master?: string): Promise<JobSession>;
  /** Processes that are kept ready. @default 1 */
  spares?: number;
  /** Time without a job after which the spares end; 0: they are kept from the start on, always. @default 600000 */
  idleMs?: number;
  /** Time that a job which is ended from outside has to clean up before it is killed. @default 2000 */
  graceMs?: number;
  /** Time that a process may take to start. @default 60000 */
  startMs?: number;
}

/** The pause before a spare is started: the job that took the last one has the processor first. */
const SPARE_DELAY_MS = 50;
/** Time for the exit status of a process to arrive once its socket is closed. */
const STATUS_MS = 2000;
/** Bytes of the first message, from somebody who has not yet said who it is. */
const HELLO_BYTES = 1024;
/** The end of what a process printed is kept, for the log; that much of it. */
const PRINTED = 4096;

/** The process could not be had; the job has not begun. */
class StartError extends SaltError {
  constructor(message: string, options: { cause?: unknown } = {}) {
    super("JOB_PROCESS", message, options);
  }
}

function statusText({ code, signal }: ExitStatus): string {
  return signal === null ? `exit code ${code}` : `signal ${signal}`;
}

/** The quietest level that a logger takes. */
function levelOf(log: Logger): LogLevel {
  return LOG_LEVELS.find((level) => log.enabled(level)) ?? "quiet";
}

/** Packed: see {@link MinionState}. */
function stateOf({ runtime, opts, grains, pillar, log, master }: Context): Uint8Array {
  const customModules = customStamp(runtime.fs, opts, "modules");
  const rest = { level: levelOf(log), master: master !== undefined, customModules };
  try {
    return encode({ opts, grains, pillar, ...rest }, "bin");
  } catch {
    return encode({ opts: packable(opts), grains: packable(grains), pillar: packable(pillar), ...rest }, "bin");
  }
}

function isSame(one: Uint8Array, other: Uint8Array): boolean {
  if (one.length !== other.length) return false;
  for (let at = 0; at < one.length; at++) if (one[at] !== other[at]) return false;
  return true;
}

/** One process, from its first word to its end. */
class Worker {
  readonly child: Child;
  readonly connection: Connection;
  readonly #owner: ProcessPoolOptions;
  readonly #own = new Set<number>();
  readonly #closed = deferred<void>();
  #printed = "";
  /** What it was told of the minion while it waits. */
  #state: Uint8Array | undefined;
  #job: { request: ExecutionRequest; done: Deferred<JobOutcome> } | undefined;

  constructor(child: Child, connection: Connection, owner: ProcessPoolOptions) {
    this.child = child;
    this.connection = connection;
    this.#owner = owner;
  }

  get #graceMs(): number {
    return this.#owner.graceMs ?? 2000;
  }

  /** Resolves once it is gone. */
  get ended(): Promise<void> {
    return Promise.race([this.child.exited.then(() => {}), this.#closed.promise]);
  }

  printed(text: string): void {
    this.#printed = (this.#printed + text).slice(-PRINTED);
  }

  send(message: ToJob): void {
    this.connection.write(frame(message));
  }

  /** There is no job for it yet. */
  wait(): void {
    this.#state = stateOf(this.#owner.context());
    this.send({ type: "wait", state: this.#state });
  }

  onClose(): void {
    this.#closed.resolve();
  }

  /** Its status; undefined if it does not arrive in time, for somebody else may hold its pipes. */
  async #status(): Promise<ExitStatus | undefined> {
    const over = new AbortController();
    const late = this.#owner.runtime.clock.sleep(STATUS_MS, over.signal).then(() => undefined, () => undefined);
    const status = await Promise.race([this.child.exited, late]);
    over.abort();
    return status;
  }

  async run(request: ExecutionRequest): Promise<JobOutcome> {
    const { context, log } = this.#owner;
    const done = deferred<JobOutcome>();
    const onAbort = () => this.#terminate();
    this.#job = { request, done };
    request.ownProcess(this.child.pid);
    try {
      request.signal.addEventListener("abort", onAbort, { once: true });
      if (request.signal.aborted) onAbort();
      const state = stateOf(context());
      const known = this.#state !== undefined && isSame(this.#state, state);
      this.#state = undefined;
      this.send({
        type: "job",
        load: request.load,
        streams: request.output !== undefined,
        ...(known ? {} : { state }),
      });
      const outcome = await Promise.race([done.promise, this.ended.then(() => undefined)]);
      if (outcome !== undefined && !request.signal.aborted) {
        this.retire();
        return outcome;
      }
      await this.ended;
      request.signal.throwIfAborted();
      const status = await this.#status();
      log.warning("the process of a job ended before it returned", {
        jid: request.load.jid,
        fun: request.load.fun,
        how: status === undefined ? "unknown" : statusText(status),
        printed: this.#printed.trim(),
      });
      // Nobody is left to look after what it started.
      this.#killOwn();
      return failure(
        `The process of the job ended before it returned${status === undefined ? "" : `: ${statusText(status)}`}`,
      );
    } finally {
      request.signal.removeEventListener("abort", onAbort);
    }
  }

  receive(message: FromJob): void {
    const { context } = this.#owner;
    const { log, master, grains } = context();
    const job = this.#job;
    switch (message.type) {
      case "log": {
        const { level, name, message: text, fields } = message;
        // No logger has a method for the levels that nothing is logged at.
        const part = name === "" ? log : log.child(name);
        if (level in part) part[level as "warning"](text, fields);
        break;
      }
      case "own":
        this.#own.add(message.pid);
        job?.request.ownProcess(message.pid);
        break;
      case "output": {
        const { stream, chunk } = message;
        const taken = () => this.send({ type: "taken", bytes: chunk.length });
        const taking = job?.request.output?.(stream, chunk);
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
      case "outcome": {
        // What a function changes of the grains is known to the next job at once, as it is without a process between.
        for (const name of message.lostGrains) delete grains[name];
        for (const [name, value] of Object.entries(message.grains)) {
          Object.defineProperty(grains, name, { value, enumerable: true, writable: true, configurable: true });
        }
        const { return: value, retcode, success, out } = message.outcome;
        job?.done.resolve({
          return: new Packed(value),
          retcode,
          success,
          ...(out === undefined ? {} : { out }),
        });
        break;
      }
    }
  }

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
          compilePillar === undefined ? Promise.reject(new Error("Nobody compiles it")) : compilePillar(load),
        session: () => session?.(typeof args[0] === "string" ? args[0] : undefined, sender),
        askLocal: () => master?.askLocal?.(String(args[0]), args[1] as typeof load, String(args[2]), Number(args[3])),
      };
      const value = await answers[name]();
      this.send({ type: "reply", id, value });
    } catch (error) {
      this.send({ type: "reply", id, error: messageOf(error) });
    }
  }

  /** Lets it end by itself, as it does when nobody listens any more. */
  retire(): void {
    this.connection.end();
    const cancel = this.#owner.runtime.clock.after(this.#graceMs, () => this.kill());
    void this.child.exited.then(cancel);
  }

  kill(): void {
    killGroups(this.#owner.runtime.process, [this.child.pid], "SIGKILL");
  }

  /** Asks the job to end, with all that works for it; what is still there after a while is killed. */
  #terminate(): void {
    const { clock, process } = this.#owner.runtime;
    // The process itself and not its group, whose members it may still be waiting for.
    try {
      process.kill(this.child.pid, "SIGTERM");
    } catch {
      // It is gone.
    }
    this.#killOwn();
    const cancel = clock.after(this.#graceMs, () => this.kill());
    void this.child.exited.then(cancel);
  }

  #killOwn(): void {
    const { clock, process } = this.#owner.runtime;
    const own = [...this.#own];
    if (own.length === 0) return;
    killGroups(process, own, "SIGTERM");
    // Members of a group may outlive its leader: it is the groups that are looked at again.
    clock.after(this.#graceMs, () => killGroups(process, own, "SIGKILL"));
  }
}

/**
 * Runs each job in a process of its own. A process is started before it is needed, waits with everything loaded, runs one
 * job and ends: nothing of a job is left for the next, and what a function does to its process it does to that job alone.
 */
export class ProcessPool implements Execution {
  readonly #options: ProcessPoolOptions;
  readonly #log: Logger;
  /** Started by us and not gone yet, ready or not. */
  readonly #children = new Set<Child>();
  readonly #ready: Worker[] = [];
  /** Jobs that have no process yet, the first come first. */
  readonly #waiting: Deferred<Worker>[] = [];
  /** Those that were started and have not said so, by token. */
  readonly #expected = new Map<string, (connection: Connection, hello: FromJob & { type: "hello" }) => Receiver>();
  #starting = 0;
  /** How often the processes were to be made anew. */
  #generation = 0;
  #running = 0;
  /** Spares to keep at present. */
  #wanted = 0;
  #cancelIdle = () => {};
  #cancelRefill = () => {};
  #listening: Promise<Listener> | undefined;
  #closed = false;

  constructor(options: ProcessPoolOptions) {
    this.#options = options;
    this.#log = options.log;
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

  /** Processes that are there. */
  get size(): number {
    return this.#children.size;
  }

  async run(request: ExecutionRequest): Promise<JobOutcome> {
    request.signal.throwIfAborted();
    const { clock } = this.#options.runtime;
    this.#running++;
    this.#cancelIdle();
    this.#wanted = this.#spares;
    try {
      const worker = await this.#take();
      try {
        request.signal.throwIfAborted();
        await request.begin?.();
        request.signal.throwIfAborted();
      } catch (error) {
        this.#offer(worker);
        throw error;
      }
      this.#cancelRefill();
      this.#cancelRefill = clock.after(SPARE_DELAY_MS, () => this.#refill());
      return await worker.run(request);
    } catch (error) {
      if (!(error instanceof StartError)) throw error;
      this.#log.error("no process for a job", { jid: request.load.jid, error: error.message });
      return failure(error.message);
    } finally {
      this.#running--;
      if (this.#running === 0) this.#rest();
      this.#refill();
    }
  }

  /** No job runs: the spares have some time left. */
  #rest(): void {
    const { idleMs = 600_000, runtime } = this.#options;
    if (idleMs === 0) return;
    this.#cancelIdle();
    this.#cancelIdle = runtime.clock.after(idleMs, () => {
      this.#wanted = 0;
      for (const worker of this.#ready.splice(0)) worker.retire();
    });
  }

  #take(): Promise<Worker> {
    const worker = this.#ready.shift();
    if (worker !== undefined) return Promise.resolve(worker);
    const waiting = deferred<Worker>();
    this.#waiting.push(waiting);
    this.#start(this.#waiting.length);
    return waiting.promise;
  }

  #refill(): void {
    this.#cancelRefill();
    this.#start(this.#waiting.length + Math.max(0, this.#wanted - this.#ready.length));
  }

  /** Sees to it that so many are being started, as far as the processors allow. */
  #start(needed: number): void {
    const atOnce = 2 * Math.max(1, this.#options.runtime.host.cpus().length);
    while (!this.#closed && this.#starting < Math.min(needed, atOnce)) {
      this.#starting++;
      void this.#startOne();
    }
  }

  async #startOne(): Promise<void> {
    let worker: Worker | undefined;
    const generation = this.#generation;
    try {
      worker = await this.#open();
    } catch (error) {
      const text = `The process of the job could not be started: ${messageOf(error)}`;
      const waiting = this.#waiting.shift();
      if (waiting === undefined) this.#log.warning("no spare process for jobs", { error: messageOf(error) });
      else waiting.reject(new StartError(text, { cause: error }));
    } finally {
      this.#starting--;
    }
    if (generation !== this.#generation) {
      worker?.retire();
      this.#refill();
    } else if (worker !== undefined) this.#offer(worker);
    // One that cannot be started now is tried again with the next job.
    this.#start(this.#waiting.length);
  }

  renew(): void {
    this.#generation++;
    for (const worker of this.#ready.splice(0)) worker.retire();
    this.#refill();
  }

  /** Gives a process to the job that has waited longest, or keeps it. */
  #offer(worker: Worker): void {
    const waiting = this.#waiting.shift();
    if (waiting !== undefined) waiting.resolve(worker);
    else if (this.#closed || this.#ready.length >= this.#wanted) worker.retire();
    else {
      this.#ready.push(worker);
      worker.wait();
      void worker.ended.then(() => {
        const at = this.#ready.indexOf(worker);
        if (at < 0) return;
        this.#ready.splice(at, 1);
        if (!this.#closed) this.#log.warning("a spare process for jobs has ended", { pid: worker.child.pid });
      });
    }
  }

  /** Starts a process and waits until it has reported. */
  async #open(): Promise<Worker> {
    const { runtime, command, socket, startMs = 60_000 } = this.#options;
    this.#listening ??= this.#listen();
    await this.#listening;
    const token = hex(runtime.crypto.randomBytes(16));
    const path = socket.kind === "unix" ? socket.path : "";
    const decoder = new TextDecoder();
    let printed = "";
    let worker: Worker | undefined;
    const print = (chunk: Uint8Array) => {
      const text = decoder.decode(chunk);
      if (worker === undefined) printed = (printed + text).slice(-PRINTED);
      else worker.printed(text);
    };
    const child = await runtime.process.spawn({
      argv: command.argv,
      env: { ...runtime.process.environment(), ...command.env, [JOB_VARIABLE]: `${token} ${path}` },
      // Whoever ends the minion at a terminal does not mean to end its jobs by the same key.
      detached: true,
      onStdout: print,
      onStderr: print,
    });
    this.#children.add(child);
    void child.exited.then(() => this.#children.delete(child));
    const reported = deferred<Worker>();
    this.#expected.set(token, (connection, { version }) => {
      const made = new Worker(child, connection, this.#options);
      if (version === PROTOCOL_VERSION) reported.resolve(made);
      else reported.reject(new Error("its program is of another version than the minion: restart the minion"));
      return made;
    });
    const over = new AbortController();
    const failed = (text: string) => {
      throw new Error(printed.trim() === "" ? text : `${text}: ${printed.trim()}`);
    };
    try {
      worker = await Promise.race([
        reported.promise,
        child.exited.then((status) => failed(`it ended with ${statusText(status)}`)),
        runtime.clock.sleep(startMs, over.signal).then(() => failed(`it did not report within ${startMs / 1000} s`)),
      ]);
      return worker!;
    } catch (error) {
      killGroups(runtime.process, [child.pid], "SIGKILL");
      throw error;
    } finally {
      over.abort();
      this.#expected.delete(token);
    }
  }

  async #listen(): Promise<Listener> {
    const { runtime, socket } = this.#options;
    try {
      return await runtime.net.listen(socket, (connection) => this.#accept(connection), { mode: 0o600 });
    } catch (error) {
      // The next job tries again.
      this.#listening = undefined;
      throw error;
    }
  }

  #accept(connection: Connection): void {
    const reader = new FrameReader(HELLO_BYTES);
    let receiver: Receiver | undefined;
    const { clock } = this.#options.runtime;
    const cancel = clock.after(10_000, () => receiver ?? connection.destroy());
    connection.start({
      onData: (chunk) => {
        try {
          reader.push(chunk);
          for (let message = reader.next(); message !== undefined; message = reader.next()) {
            if (receiver === undefined) {
              receiver = this.#welcome(connection, message);
              reader.maxBytes = 2 ** 30;
            } else receiver.receive(message as FromJob);
          }
        } catch (error) {
          this.#log.warning("connection of a job closed", { error: messageOf(error) });
          connection.destroy();
        }
      },
      onClose: () => {
        cancel();
        receiver?.onClose();
      },
    });
  }

  /** @throws {SaltError} unless it is somebody whom we have started and who comes for the first time */
  #welcome(connection: Connection, message: unknown): Receiver {
    const hello = message as Partial<FromJob & { type: "hello" }> | null;
    const token = typeof hello === "object" && hello?.type === "hello" ? hello.token : undefined;
    const welcome = typeof token === "string" ? this.#expected.get(token) : undefined;
    if (welcome === undefined) throw new SaltError("JOB_PROCESS", "Nobody of that token was started");
    this.#expected.delete(token!);
    return welcome(connection, hello as FromJob & { type: "hello" });
  }

  /** Ends every process, whatever it does. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#cancelIdle();
    this.#cancelRefill();
    for (const waiting of this.#waiting.splice(0)) waiting.reject(new StartError("The minion is stopping"));
    for (const worker of this.#ready.splice(0)) worker.retire();
    const { clock, process } = this.#options.runtime;
    const gone = Promise.all([...this.#children].map((child) => child.exited));
    const over = new AbortController();
    const pause = (ms: number) => clock.sleep(ms, over.signal).catch(() => {});
    // Jobs that were ended have their time to clean up; who hangs is not waited for.
    await Promise.race([gone, pause(this.#options.graceMs ?? 2000)]);
    killGroups(process, [...this.#children].map(({ pid }) => pid), "SIGKILL");
    await Promise.race([gone, pause(STATUS_MS)]);
    over.abort();
    await (await this.#listening?.catch(() => undefined))?.close();
  }
}

/** What takes the messages of one connection. */
type Receiver = Pick<Worker, "receive" | "onClose">;
