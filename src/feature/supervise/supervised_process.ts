import { within } from "../../base/async/within.ts";
import { deferred } from "../../base/async/deferred.ts";
import { messageOf, SaltError } from "../../base/errors.ts";
import { LOG_LEVELS, type Logger, type LogLevel } from "../../base/log.ts";
import type { Runtime } from "../../runtime/runtime.ts";
import type { Connection } from "../../runtime/net.ts";
import type { Child } from "../../runtime/process.ts";
import type { BackoffOptions } from "../../base/async/backoff.ts";
import { frame } from "../../protocol/wire/frames.ts";
import { encode } from "../../protocol/wire/msgpack.ts";
import { killGroups, type PartDoor } from "./part_door.ts";
import { LastWords, readSlowly, statusText } from "./last_words.ts";
import { type FromPart, PART_VARIABLE, PROTOCOL_VERSION, type ToPart } from "./part_protocol.ts";
import { type PartReply, replyFrame, Requests } from "./requests.ts";

/** The limits within which a process counts as healthy. All times in milliseconds. */
interface Health {
  /** The time between two heartbeats. @default 1000 */
  beatMs?: number;
  /**
   * The time without an answer, or from the start to the first message, after which a process is killed. Infinity: the process may block,
   * and gets no heartbeats. @default 30000
   */
  hungMs?: number;
  /** The time from the start of a process until it takes requests. @default 60000 */
  startMs?: number | undefined;
  /** The most bytes of resident memory; above that a process is killed, if the system reports it. Infinity: no limit. @default 1 GiB */
  maxMemory?: number;
  /** The time from the request to end until a process is killed. @default 2000 */
  graceMs?: number | undefined;
}

/** The definition of a part: the contract with its supervisor. */
export interface PartOptions {
  /** The name of the part, unique within a master; for the log and the status report. */
  name: string;
  /** The name of the part that its process is told. @default the part's name */
  program?: string;
  /** The program, which calls `servePart` (`serve_part.ts`), and its arguments. */
  argv: readonly string[];
  /** Returns the configuration for a process; called when the process starts. */
  config(): unknown;
  /** Answers questions of the part's process (`PartHost`, `serve_part.ts`). @default every question is an error */
  answers?(kind: string, args: readonly unknown[]): unknown;
  health?: Health;
  /** True if the children of a process go on after it has ended. @default false */
  sparesChildren?: boolean;
  /** True if a process finishes its work after its supervisor has ended or died. @default false */
  outlives?: boolean;
  /** For a part that is kept running: the waits before a failed process is started again. @default from 0.1 to 30 s */
  backoff?: BackoffOptions;
  /** For a part that is kept running: called when a process takes requests, or has failed. */
  onChange?(change: PartChange): void;
}

/** A change of a process of a part that is kept running. */
export type PartChange = { kind: "started"; pid: number } | { kind: "failed"; end: PartEnd };

/** The functions of a supervisor that its processes use. */
export interface ProcessOwner {
  runtime: Runtime;
  log: Logger;
  partLog: Logger;
  door: PartDoor;
}

export interface PartEnd {
  /** The exit status (`exit code 1`, `signal SIGKILL`), or why the process was killed. */
  how: string;
  /** The last output of the process. */
  words: string;
}

/** The default of {@link Health.hungMs}. */
const HUNG_MS = 30_000;
/** How long to wait for the exit status of a process after its connection was closed, in milliseconds. */
const STATUS_MS = 2000;

/** The resident memory of a process in bytes; undefined if the system does not report it. */
function residentBytes({ fs }: Runtime, pid: number): number | undefined {
  try {
    const found = /^VmRSS:\s+(\d+) kB/m.exec(fs.readText(`/proc/${pid}/status`));
    return found === null ? undefined : Number(found[1]) * 1024;
  } catch {
    return undefined;
  }
}

/** The error of a process that ended, or was killed, before it took requests. */
export class StartError extends SaltError {
  readonly end: PartEnd;

  constructor(message: string, end: PartEnd) {
    super("PART", end.words === "" ? message : `${message}: ${end.words}`);
    this.end = end;
  }
}

/** One process of a part as its supervisor sees it, from its first message to its end. */
export class SupervisedProcess {
  readonly pid: number;
  readonly #owner: ProcessOwner;
  readonly #part: PartOptions;
  readonly #words: LastWords;
  readonly #connection: Connection;
  readonly #ready = deferred<void>();
  readonly #ended = deferred<PartEnd>();
  readonly #requests = new Requests();
  #isReady = false;
  #level: LogLevel | undefined;
  /** The number of checks since the last answer to a heartbeat. */
  #unanswered = 0;
  #cancelBeat = () => {};
  #isOver = false;
  #why: string | undefined;
  /** True once the process was asked to end. */
  retired = false;
  /** The memory in bytes for which the process was killed; undefined if it was not killed for its memory. */
  excess: number | undefined;

  private constructor(owner: ProcessOwner, part: PartOptions, child: Child, words: LastWords, connection: Connection) {
    this.#owner = owner;
    this.#part = part;
    this.#words = words;
    this.#connection = connection;
    this.pid = child.pid;
    void child.exited.then((status) => this.#over(statusText(status)));
  }

  /**
   * Starts a process and resolves once it takes requests.
   *
   * @throws {SystemError} if the process cannot be started
   * @throws {StartError} with the last output, if the process ends early or is not ready in time
   */
  static async start(owner: ProcessOwner, part: PartOptions): Promise<SupervisedProcess> {
    const { runtime, door } = owner;
    const words = new LastWords();
    const started = deferred<SupervisedProcess>();
    let child: Child | undefined;
    let isVersion = true;
    const { ticket, cancel } = await door.expect((connection, { version }) => {
      isVersion = version === PROTOCOL_VERSION;
      const process = new SupervisedProcess(owner, part, child!, words, connection);
      if (isVersion) process.#open();
      started.resolve(process);
      return { receive: (message) => process.#receive(message), onClose: () => process.#closed() };
    });
    const fail = (text: string, how = text) => {
      throw new StartError(text, { how, words: words.text });
    };
    try {
      const print = readSlowly(runtime.clock, (chunk) => words.add(chunk));
      child = await runtime.process.spawn({
        argv: part.argv,
        env: { ...runtime.process.environment(), [PART_VARIABLE]: ticket },
        // Ctrl-C in the terminal must not end the process: its supervisor ends it in order.
        detached: true,
        onStdout: print,
        onStderr: print,
      });
      if (part.outlives !== true) door.guard(child);
      const { startMs = 60_000, hungMs = HUNG_MS } = part.health ?? {};
      const early = child.exited.then(statusText).then((how) => fail(`it exited with ${how}`, how));
      const inTime = <T>(ms: number, work: Promise<T>) =>
        within(runtime.clock, ms, undefined, work, () => fail(`not ready within ${ms / 1000} s`));
      const ready = async () => {
        const process = await inTime(Math.min(startMs, hungMs), Promise.race([started.promise, early]));
        if (!isVersion) fail("its program has another version than this daemon: restart the daemon");
        const ended = process.ended.then(({ how }) => fail(`it ended: ${how}`, how));
        await Promise.race([process.#ready.promise, ended]);
        return process;
      };
      return await inTime(startMs, ready());
    } catch (error) {
      if (child !== undefined) killGroups(runtime.process, [child.pid], "SIGKILL");
      throw error;
    } finally {
      cancel();
    }
  }

  /** Resolves once the process has ended, for any reason. */
  get ended(): Promise<PartEnd> {
    return this.#ended.promise;
  }

  /** The resident memory in bytes; undefined if the system does not report it. */
  get memory(): number | undefined {
    return residentBytes(this.#owner.runtime, this.pid);
  }

  #open(): void {
    const { name, program = name, config } = this.#part;
    this.#level = levelOf(this.#owner.partLog);
    this.#send({ type: "start", part: program, level: this.#level, config: encode(config(), "bin") });
    this.#watch();
  }

  #send(message: ToPart): void {
    this.#connection.write(frame(message));
  }

  /** Sends a request; resolves with undefined if the process ends before it has answered. */
  request(kind: string, body: Uint8Array): Promise<PartReply> {
    if (this.#isOver) return Promise.resolve(undefined);
    const level = levelOf(this.#owner.partLog);
    if (level !== this.#level) this.#send({ type: "level", level: this.#level = level });
    const { id, reply } = this.#requests.add();
    this.#send({ type: "request", id, kind, body });
    return reply;
  }

  #receive(message: FromPart): void {
    const { partLog } = this.#owner;
    switch (message.type) {
      case "ready":
        this.#isReady = true;
        this.#ready.resolve();
        this.#cancelBeat();
        return this.#watch();
      case "beat":
        this.#unanswered = 0;
        return;
      case "log": {
        const { level, name, message: text, fields } = message;
        const part = name === "" ? partLog : partLog.child(name);
        // The check skips unknown levels, and those without a method, such as `quiet`.
        if (level in part) part[level as "warning"](text, fields);
        return;
      }
      case "ask": {
        const { id, kind, args } = message;
        const reply = replyFrame(id ?? 0, () => this.#answer(kind, args));
        if (id !== undefined) void reply.then((bytes) => this.#connection.write(bytes));
        return;
      }
      case "reply":
        return this.#requests.replied(message);
    }
  }

  #answer(kind: string, args: readonly unknown[]): unknown {
    const { name, answers } = this.#part;
    if (answers === undefined) throw new RangeError(`Unknown request "${kind}": "${name}" may ask nothing`);
    return answers(kind, args);
  }

  /**
   * Checks whether the process is healthy. The number of checks without an answer decides, and not the time: after this process or the
   * whole host was suspended, the answers wait to be read.
   */
  #watch(): void {
    const { runtime } = this.#owner;
    const { beatMs = 1000, hungMs = HUNG_MS, maxMemory = 2 ** 30 } = this.#part.health ?? {};
    if (this.#isOver || (hungMs === Infinity && maxMemory === Infinity)) return;
    if (this.#unanswered * beatMs >= hungMs) return this.kill(`killed: it did not answer for ${hungMs / 1000} s`);
    // What the start itself takes is not the work's.
    const memory = maxMemory === Infinity || !this.#isReady ? 0 : this.memory ?? 0;
    if (memory > maxMemory) {
      this.excess = memory;
      return this.kill(`killed: it used ${memory} bytes of memory, more than the limit of ${maxMemory}`);
    }
    if (hungMs !== Infinity && this.#unanswered++ === 0) this.#send({ type: "beat" });
    this.#cancelBeat = runtime.clock.after(beatMs, () => this.#watch());
  }

  /** Handles a closed connection: the process ends, or is killed after {@link STATUS_MS}. */
  #closed(): void {
    if (this.#isOver) return;
    const { clock } = this.#owner.runtime;
    // Children of the process may hold its pipes open, which delays its exit status.
    const cancel = clock.after(STATUS_MS, () => {
      this.kill("its connection was closed");
      this.#over("its connection was closed");
    });
    void this.ended.then(cancel);
  }

  #over(how: string): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#cancelBeat();
    this.#connection.destroy();
    if (this.#part.sparesChildren !== true) this.#signal(-this.pid, "SIGKILL");
    this.#ended.resolve({ how: this.#why ?? how, words: this.#words.text });
    this.#requests.end();
  }

  kill(why: string): void {
    if (this.#isOver) return;
    this.#why ??= why;
    killGroups(this.#owner.runtime.process, [this.pid], "SIGKILL");
    const { clock } = this.#owner.runtime;
    const cancel = clock.after(STATUS_MS, () => this.#over(why));
    void this.ended.then(cancel);
  }

  #signal(pid: number, signal: "SIGTERM" | "SIGKILL"): void {
    try {
      this.#owner.runtime.process.kill(pid, signal);
    } catch {
      // The process has ended, and its number belongs to a process of another user by now.
    }
  }

  /** Closes the connection so that the process exits; kills the process if it does not exit in time. */
  retire(): void {
    if (this.retired) return;
    this.retired = true;
    this.#connection.end();
    this.#killLater();
  }

  /** Asks only the process to end, since it may wait for other members of its group; kills the process if it does not exit in time. */
  terminate(): void {
    this.#signal(this.pid, "SIGTERM");
    this.#killLater();
  }

  #killLater(): void {
    const { graceMs = 2000 } = this.#part.health ?? {};
    const kill = () => this.kill("killed: it did not stop when requested");
    void this.ended.then(this.#owner.runtime.clock.after(graceMs, kill));
  }
}

/** The most detailed level that a logger records. */
function levelOf(log: Logger): LogLevel {
  return LOG_LEVELS.find((level) => log.enabled(level)) ?? "quiet";
}

/** The fields of a log message about the end of a process. */
export function endFields({ how, words }: PartEnd): Record<string, unknown> {
  return words === "" ? { how } : { how, words };
}

/** Describes a failed start as the end of a process. */
export function startFailure(error: unknown): PartEnd {
  return { how: `could not be started: ${messageOf(error)}`, words: "" };
}
