import { deferred } from "../../../base/async/deferred.ts";
import { hex } from "../../../protocol/crypto/hex.ts";
import { messageOf, SaltError } from "../../../base/errors.ts";
import type { Connection, Listener, SocketAddress } from "../../../runtime/net.ts";
import type { Child } from "../../../runtime/process.ts";
import { killGroups } from "../../../feature/supervise/kill_groups.ts";
import { LastWords, statusText } from "../../../feature/supervise/last_words.ts";
import { FrameReader } from "../../../protocol/wire/frames.ts";
import { type FromJob, JOB_VARIABLE, PROTOCOL_VERSION } from "./job_protocol.ts";
import { PooledProcess, type ProcessOwner } from "./pooled_process.ts";

/** The command that starts a process for a job. */
export interface JobCommand {
  /** A program that calls `runJobProcess` (`job_process.ts`), and its arguments. */
  argv: readonly string[];
  /** Variables added to the minion's own environment. */
  env?: Record<string, string>;
}

export interface ProcessStarterOptions extends ProcessOwner {
  command: JobCommand;
  /** Where the processes report; the socket is made when the first process is started. */
  socket: SocketAddress;
  /** Time that a process may take to start, in milliseconds. @default 60000 */
  startMs?: number;
}

/** How long to wait for killed processes to exit. */
const EXIT_MS = 2000;
/** Time for the first message of a connection. */
const HELLO_MS = 10_000;
/** Bytes of the first message, from a peer that is not authenticated yet. */
const HELLO_BYTES = 1024;
/** Bytes of any later message. */
const MESSAGE_BYTES = 2 ** 30;

/** The first message of a process. */
type Hello = FromJob & { type: "hello" };

/** Handles the messages of one connection. */
type Receiver = Pick<PooledProcess, "receive" | "onClose">;

/**
 * Starts the processes of jobs and waits for each to report. A process gets a random token in its environment and sends it as
 * its first message, so that no other process can take its place.
 */
export class ProcessStarter {
  readonly #options: ProcessStarterOptions;
  /** Processes that have not exited. */
  readonly #children = new Set<Child>();
  /** Processes that have not reported yet, by token. */
  readonly #expected = new Map<string, (connection: Connection, hello: Hello) => Receiver>();
  #listening: Promise<Listener> | undefined;

  constructor(options: ProcessStarterOptions) {
    this.#options = options;
  }

  /** Processes that have not exited. */
  get size(): number {
    return this.#children.size;
  }

  /**
   * Starts a process and waits until it has reported.
   *
   * @throws {Error} if it cannot be started, ends early, or does not report in time
   */
  async start(): Promise<PooledProcess> {
    const { runtime } = this.#options;
    this.#listening ??= this.#listen();
    await this.#listening;
    const token = hex(runtime.crypto.randomBytes(16));
    const printed = new LastWords();
    const child = await this.#spawn(token, printed);
    const reported = deferred<PooledProcess>();
    this.#expected.set(token, (connection, { version }) => {
      const process = new PooledProcess(child, connection, printed, this.#options);
      if (version === PROTOCOL_VERSION) reported.resolve(process);
      else reported.reject(new Error("its program is of another version than the minion: restart the minion"));
      return process;
    });
    try {
      return await this.#reportOf(child, reported.promise, printed);
    } catch (error) {
      killGroups(runtime.process, [child.pid], "SIGKILL");
      throw error;
    } finally {
      this.#expected.delete(token);
    }
  }

  async #spawn(token: string, printed: LastWords): Promise<Child> {
    const { runtime, command, socket } = this.#options;
    const path = socket.kind === "unix" ? socket.path : "";
    const print = (chunk: Uint8Array) => printed.add(chunk);
    const child = await runtime.process.spawn({
      argv: command.argv,
      env: { ...runtime.process.environment(), ...command.env, [JOB_VARIABLE]: `${token} ${path}` },
      // Ctrl-C in the minion's terminal must not end its jobs.
      detached: true,
      onStdout: print,
      onStderr: print,
    });
    this.#children.add(child);
    void child.exited.then(() => this.#children.delete(child));
    return child;
  }

  /** Waits for the process to report; rejects if it ends before, or takes too long. */
  async #reportOf(child: Child, reported: Promise<PooledProcess>, printed: LastWords): Promise<PooledProcess> {
    const { runtime: { clock }, startMs = 60_000 } = this.#options;
    const over = new AbortController();
    const fail = (text: string) => {
      throw new Error(printed.text === "" ? text : `${text}: ${printed.text}`);
    };
    try {
      const ended = child.exited.then((status) => fail(`it exited with ${statusText(status)}`));
      const late = clock.sleep(startMs, over.signal).then(() => fail(`it did not report within ${startMs / 1000} s`));
      return await Promise.race([reported, ended, late]);
    } finally {
      over.abort();
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
    const cancel = clock.after(HELLO_MS, () => receiver ?? connection.destroy());
    connection.start({
      onData: (chunk) => {
        try {
          reader.push(chunk);
          for (let message = reader.next(); message !== undefined; message = reader.next()) {
            if (receiver === undefined) {
              receiver = this.#welcome(connection, message);
              reader.maxBytes = MESSAGE_BYTES;
            } else receiver.receive(message as FromJob);
          }
        } catch (error) {
          this.#options.log.warning("connection of a job closed", { error: messageOf(error) });
          connection.destroy();
        }
      },
      onClose: () => {
        cancel();
        receiver?.onClose();
      },
    });
  }

  /** @throws {SaltError} if the token is not that of a process that has yet to report */
  #welcome(connection: Connection, message: unknown): Receiver {
    const hello = message as Partial<Hello> | null;
    const token = typeof hello === "object" && hello?.type === "hello" ? hello.token : undefined;
    const welcome = typeof token === "string" ? this.#expected.get(token) : undefined;
    if (welcome === undefined) throw new SaltError("JOB_PROCESS", "Unknown token: no process was started with it");
    this.#expected.delete(token!);
    return welcome(connection, hello as Hello);
  }

  /** Waits for all processes to exit, kills those that are left after the grace time, and closes the socket. */
  async close(): Promise<void> {
    const { runtime: { clock, process }, graceMs = 2000 } = this.#options;
    const gone = Promise.all([...this.#children].map((child) => child.exited));
    const over = new AbortController();
    const pause = (ms: number) => clock.sleep(ms, over.signal).catch(() => {});
    await Promise.race([gone, pause(graceMs)]);
    killGroups(process, [...this.#children].map(({ pid }) => pid), "SIGKILL");
    await Promise.race([gone, pause(EXIT_MS)]);
    over.abort();
    await (await this.#listening?.catch(() => undefined))?.close();
  }
}
