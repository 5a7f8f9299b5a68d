import { type Deferred, deferred } from "../../base/async/deferred.ts";
import { messageOf, SaltError } from "../../base/errors.ts";
import { LOG_LEVELS, type Logger } from "../../base/log.ts";
import type { Runtime } from "../../runtime/runtime.ts";
import type { Connection } from "../../runtime/net.ts";
import type { Child } from "../../runtime/process.ts";
import type { BackoffOptions } from "../../base/async/backoff.ts";
import { frame } from "../../protocol/wire/frames.ts";
import { encode } from "../../protocol/wire/msgpack.ts";
import { killGroups } from "./kill_groups.ts";
import { LastWords, readSlowly, statusText } from "./last_words.ts";
import { guardAgainstOrphans } from "./orphan_guard.ts";
import type { PartDoor } from "./part_door.ts";
import { type FromPart, PART_VARIABLE, PROTOCOL_VERSION, type ToPart } from "./part_protocol.ts";

/** When a process counts as healthy. All times in milliseconds. */
export interface Health {
  /** Between two heartbeats. @default 1000 */
  beatMs?: number;
  /** A process that has not answered for so long hangs, and is killed. @default 30000 */
  hungMs?: number;
  /** From its start to its first request. @default 60000 */
  startMs?: number;
  /** Bytes of resident memory from which on it is killed, where the system shows them. @default 1 GiB */
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
  health?: Health;
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

/** The answer to a request; undefined if the process ended before. */
export type PartReply = { value: unknown } | { error: string } | undefined;

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

/** One process of a part as its supervisor sees it, from its first message to its end. */
export class SupervisedProcess {
  readonly pid: number;
  readonly #owner: ProcessOwner;
  readonly #part: PartOptions;
  readonly #words: LastWords;
  readonly #connection: Connection;
  readonly #ready = deferred<void>();
  readonly #ended = deferred<PartEnd>();
  readonly #replies = new Map<number, Deferred<PartReply>>();
  #lastRequest = 0;
  /** Heartbeats sent since the last answer. */
  #unanswered = 0;
  #cancelBeat = () => {};
  #isOver = false;
  #why: string | undefined;
  /** True once it was asked to end. */
  retired = false;

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
   * @throws {Error} with its last words, if it cannot be started, ends early, or is not ready in time
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
    const over = new AbortController();
    const fail = (text: string) => {
      throw new SaltError("PART", words.text === "" ? text : `${text}: ${words.text}`);
    };
    try {
      const print = readSlowly(runtime.clock, (chunk) => words.add(chunk));
      child = await runtime.process.spawn({
        argv: part.argv,
        env: { ...runtime.process.environment(), [PART_VARIABLE]: ticket },
        // Ctrl-C in the master's terminal must not end it: the master does that, in order.
        detached: true,
        onStdout: print,
        onStderr: print,
      });
      const { startMs = 60_000 } = part.health ?? {};
      const early = child.exited.then((status) => fail(`it exited with ${statusText(status)}`));
      const late = runtime.clock.sleep(startMs, over.signal).then(() => fail(`not ready within ${startMs / 1000} s`));
      const process = await Promise.race([started.promise, early, late]);
      if (!isVersion) fail("its program is of another version than the master: restart the master");
      await Promise.race([process.#ready.promise, early, late]);
      process.#beat();
      return process;
    } catch (error) {
      if (child !== undefined) killGroups(runtime.process, [child.pid], "SIGKILL");
      throw error;
    } finally {
      over.abort();
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
    const { runtime, partLog } = this.#owner;
    const { name, program = name, config } = this.#part;
    void guardAgainstOrphans(runtime, this.pid).then((release) => this.ended.then(release));
    const level = LOG_LEVELS.find((one) => partLog.enabled(one)) ?? "quiet";
    this.#send({ type: "start", part: program, level, config: encode(config(), "bin") });
  }

  #send(message: ToPart): void {
    this.#connection.write(frame(message));
  }

  /** Sends a request; resolves with undefined if the process ends before it has answered. */
  request(kind: string, body: Uint8Array): Promise<PartReply> {
    if (this.#isOver) return Promise.resolve(undefined);
    const id = ++this.#lastRequest;
    const answer = deferred<PartReply>();
    this.#replies.set(id, answer);
    this.#send({ type: "request", id, kind, body });
    return answer.promise;
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
      case "reply": {
        const { id, value, error } = message;
        this.#replies.get(id)?.resolve(error === undefined ? { value } : { error });
        this.#replies.delete(id);
      }
    }
  }

  /**
   * One heartbeat. What counts is how many were not answered, and not the time: when this process or the whole host was held
   * up, the answers wait to be read.
   */
  #beat(): void {
    if (this.#isOver) return;
    const { runtime } = this.#owner;
    const { beatMs = 1000, hungMs = 30_000, maxMemory = 2 ** 30 } = this.#part.health ?? {};
    if (this.#unanswered * beatMs >= hungMs) return this.kill(`killed: it did not answer for ${hungMs / 1000} s`);
    const memory = this.memory ?? 0;
    if (memory > maxMemory) {
      return this.kill(`killed: it used ${memory} bytes of memory, more than the limit of ${maxMemory}`);
    }
    if (this.#unanswered === 0) this.#send({ type: "beat" });
    this.#unanswered++;
    this.#cancelBeat = runtime.clock.after(beatMs, () => this.#beat());
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
    // What it has started goes with it.
    try {
      this.#owner.runtime.process.kill(-this.pid, "SIGKILL");
    } catch {
      // The number belongs to a process of another user by now.
    }
    this.#ended.resolve({ how: this.#why ?? how, words: this.#words.text });
    for (const answer of this.#replies.values()) answer.resolve(undefined);
    this.#replies.clear();
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

  /** Closes the connection so that the process exits; kills it if it does not. */
  retire(): void {
    if (this.retired) return;
    this.retired = true;
    this.#connection.end();
    const { graceMs = 2000 } = this.#part.health ?? {};
    const cancel = this.#owner.runtime.clock.after(
      graceMs,
      () => this.kill("killed: it did not stop when requested"),
    );
    void this.ended.then(cancel);
  }
}

/** What went wrong with a part, for a log. */
export function endFields({ how, words }: PartEnd): Record<string, unknown> {
  return words === "" ? { how } : { how, words };
}

/** The text of an error that a start ended with. */
export function startFailure(error: unknown): PartEnd {
  return { how: `could not be started: ${messageOf(error)}`, words: "" };
}
