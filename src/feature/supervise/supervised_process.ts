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
import { killGroups } from "./kill_groups.ts";
import { LastWords, readSlowly, statusText } from "./last_words.ts";
import type { PartDoor } from "./part_door.ts";
import { type FromPart, PART_VARIABLE, PROTOCOL_VERSION, type ToPart } from "./part_protocol.ts";
import { type PartReply, replyFrame, Requests } from "./requests.ts";

/** When a process counts as healthy. All times in milliseconds. */
export interface Health {
  /** Between two heartbeats. @default 1000 */
  beatMs?: number;
  /** A process that has not answered for so long hangs, and is killed. Infinity: it may block, and gets no heartbeats. @default 30000 */
  hungMs?: number;
  /** From its start to its first request. @default 60000 */
  startMs?: number;
  /** Bytes of resident memory from which on it is killed, where the system shows them. Infinity: no limit. @default 1 GiB */
  maxMemory?: number;
  /** From being asked to end to being killed. @default 2000 */
  graceMs?: number;
}

/** What a part is: the contract between it and its supervisor. */
export interface PartOptions {
  /** Unique among the parts of a master; for the log and the status report. */
  name: string;
  /** What its process is told that it is. @default its name */
  program?: string;
  /** A program that calls `servePart` (`serve_part.ts`), and its arguments. */
  argv: readonly string[];
  /** What each of its processes is given; called as one starts. */
  config(): unknown;
  /** Answers what its process asks (`PartHost`, `serve_part.ts`). @default every question is an error */
  answers?(kind: string, args: readonly unknown[]): unknown;
  health?: Health;
  /** What its process has started goes on when it has ended. @default false */
  sparesChildren?: boolean;
  /** Its process finishes its work when this one has ended or died. @default false */
  outlives?: boolean;
  /** Of a part that is kept running: how long a process that has failed waits for its next start. @default from 0.1 to 30 s */
  backoff?: BackoffOptions;
  /** Of a part that is kept running: a process takes requests now, or has failed. */
  onChange?(change: PartChange): void;
}

/** What has become of the process of a part that is kept running. */
export type PartChange = { kind: "started"; pid: number } | { kind: "failed"; end: PartEnd };

/** What processes need of their supervisor. */
export interface ProcessOwner {
  runtime: Runtime;
  /** The supervisor's own. */
  log: Logger;
  /** What a process logs goes there. */
  partLog: Logger;
  door: PartDoor;
}

/** How a process ended. */
export interface PartEnd {
  /** `exit code 1`, `signal SIGKILL`, or why it was killed. */
  how: string;
  /** The last that it printed. */
  words: string;
}

/** How long to wait for the exit status of a process after its connection is closed. */
const STATUS_MS = 2000;

/** Bytes of a process that are resident; undefined where the system does not show them. */
function residentBytes({ fs }: Runtime, pid: number): number | undefined {
  try {
    const found = /^VmRSS:\s+(\d+) kB/m.exec(fs.readText(`/proc/${pid}/status`));
    return found === null ? undefined : Number(found[1]) * 1024;
  } catch {
    return undefined;
  }
}

/** A process ended, or was killed, before it took requests. */
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
  #level: LogLevel | undefined;
  /** Heartbeats sent since the last answer. */
  #unanswered = 0;
  #cancelBeat = () => {};
  #isOver = false;
  #why: string | undefined;
  /** True once it was asked to end. */
  retired = false;
  /** Bytes of memory that it was killed for; undefined if it was not. */
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
   * @throws {SystemError} if it cannot be started
   * @throws {StartError} with its last words, if it ends early or is not ready in time
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
        // Ctrl-C in the terminal must not end it: its supervisor does that, in order.
        detached: true,
        onStdout: print,
        onStderr: print,
      });
      if (part.outlives !== true) door.guard(child);
      const { startMs = 60_000 } = part.health ?? {};
      const early = child.exited.then(statusText).then((how) => fail(`it exited with ${how}`, how));
      const ready = async () => {
        const process = await Promise.race([started.promise, early]);
        if (!isVersion) fail("its program has another version than this daemon: restart the daemon");
        await Promise.race([process.#ready.promise, early]);
        return process;
      };
      const late = () => fail(`not ready within ${startMs / 1000} s`);
      const process = await within(runtime.clock, startMs, undefined, ready(), late);
      process.#watch();
      return process;
    } catch (error) {
      if (child !== undefined) killGroups(runtime.process, [child.pid], "SIGKILL");
      throw error;
    } finally {
      cancel();
    }
  }

  /** Resolves once it has ended, for whatever reason. */
  get ended(): Promise<PartEnd> {
    return this.#ended.promise;
  }

  /** Bytes of resident memory; undefined where the system does not show them. */
  get memory(): number | undefined {
    return residentBytes(this.#owner.runtime, this.pid);
  }

  #open(): void {
    const { name, program = name, config } = this.#part;
    this.#level = levelOf(this.#owner.partLog);
    this.#send({ type: "start", part: program, level: this.#level, config: encode(config(), "bin") });
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
        return this.#ready.resolve();
      case "beat":
        this.#unanswered = 0;
        return;
      case "log": {
        const { level, name, message: text, fields } = message;
        const part = name === "" ? partLog : partLog.child(name);
        // A logger has no method for `quiet` and the like.
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
   * Looks whether it is healthy. What counts is how many heartbeats were not answered, and not the time: when this process or the whole
   * host was held up, the answers wait to be read.
   */
  #watch(): void {
    const { runtime } = this.#owner;
    const { beatMs = 1000, hungMs = 30_000, maxMemory = 2 ** 30 } = this.#part.health ?? {};
    if (this.#isOver || (hungMs === Infinity && maxMemory === Infinity)) return;
    if (this.#unanswered * beatMs >= hungMs) return this.kill(`killed: it did not answer for ${hungMs / 1000} s`);
    const memory = maxMemory === Infinity ? 0 : this.memory ?? 0;
    if (memory > maxMemory) {
      this.excess = memory;
      return this.kill(`killed: it used ${memory} bytes of memory, more than the limit of ${maxMemory}`);
    }
    if (hungMs !== Infinity && this.#unanswered++ === 0) this.#send({ type: "beat" });
    this.#cancelBeat = runtime.clock.after(beatMs, () => this.#watch());
  }

  /** The connection is closed: the process ends, or is of no use any more. */
  #closed(): void {
    if (this.#isOver) return;
    const { clock } = this.#owner.runtime;
    // Those that it started may hold its pipes open, and its exit status back.
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

  /** Kills it, with all that it has started. */
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
      // The number belongs to a process of another user by now.
    }
  }

  /** Closes the connection so that the process exits; kills it if it does not. */
  retire(): void {
    if (this.retired) return;
    this.retired = true;
    this.#connection.end();
    this.#killLater();
  }

  /** Asks the process to end, and not its group: it may still be waiting for members of the group. Kills it if it does not. */
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

/** What went wrong with a part, for a log. */
export function endFields({ how, words }: PartEnd): Record<string, unknown> {
  return words === "" ? { how } : { how, words };
}

/** The text of an error that a start ended with. */
export function startFailure(error: unknown): PartEnd {
  return { how: `could not be started: ${messageOf(error)}`, words: "" };
}
