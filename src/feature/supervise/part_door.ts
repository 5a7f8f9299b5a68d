import { within } from "../../base/async/within.ts";
import { hex } from "../../protocol/crypto/hex.ts";
import { messageOf, SaltError } from "../../base/errors.ts";
import type { Logger } from "../../base/log.ts";
import type { Runtime } from "../../runtime/runtime.ts";
import type { Connection, Listener, SocketAddress } from "../../runtime/net.ts";
import type { Child } from "../../runtime/process.ts";
import { FrameReader } from "../../protocol/wire/frames.ts";
import { OrphanGuard } from "./orphan_guard.ts";
import type { FromPart } from "./part_protocol.ts";

/** Sends a signal to process groups: to the processes and all that they started. */
export function killGroups(process: Runtime["process"], pids: Iterable<number>, signal: "SIGTERM" | "SIGKILL"): void {
  for (const pid of pids) {
    try {
      process.kill(-pid, signal) || process.kill(pid, signal);
    } catch {
      // The process has ended, and its number belongs to a process of another user by now.
    }
  }
}

/** The time for the first message of a connection, in milliseconds. */
const HELLO_MS = 10_000;
/** The most bytes of the first message, since the peer is not authenticated yet. */
const HELLO_BYTES = 1024;
/** The most bytes of any later message. */
const MESSAGE_BYTES = 2 ** 30;
/** How long to wait for killed processes to exit, in milliseconds. */
const EXIT_MS = 2000;

/** The first message of a process. */
type Hello = FromPart & { type: "hello" };

/** Handles the messages of one connection. */
interface PartReceiver {
  receive(message: FromPart): void;
  onClose(): void;
}

interface PartDoorOptions {
  runtime: Pick<Runtime, "net" | "crypto" | "clock" | "process">;
  log: Logger;
  /** The socket that processes connect to, made when the first process is started. */
  socket: SocketAddress;
  /** How long processes may run after this process has died, in milliseconds. @default 0 */
  orphanMs?: number;
}

/**
 * Accepts the connections of supervised processes, and ends the remaining processes at the end. Each process gets a random token in its
 * environment and sends it as its first message, so that no other process can take its place.
 */
export class PartDoor {
  readonly #options: PartDoorOptions;
  /** Processes that have not reported yet, by token. */
  readonly #expected = new Map<string, (connection: Connection, hello: Hello) => PartReceiver>();
  /** Processes that have not exited. */
  readonly #children = new Set<Child>();
  readonly #guard: OrphanGuard;
  #listening: Promise<Listener> | undefined;

  constructor(options: PartDoorOptions) {
    this.#options = options;
    this.#guard = new OrphanGuard(options.runtime, options.orphanMs ?? 0);
  }

  /** Processes that have not exited. */
  get size(): number {
    return this.#children.size;
  }

  /** Guards a process that must not outlive this one. */
  guard(child: Child): void {
    this.#children.add(child);
    const release = this.#guard.add(child.pid);
    void child.exited.then(() => {
      this.#children.delete(child);
      release();
    });
  }

  /**
   * Prepares for one process.
   *
   * @param welcome called when the process has connected
   * @returns the value of {@link PART_VARIABLE} for the process, and a function that stops waiting for it
   * @throws {SystemError} if the socket cannot be made
   */
  async expect(
    welcome: (connection: Connection, hello: Hello) => PartReceiver,
  ): Promise<{ ticket: string; cancel(): void }> {
    const { runtime, socket } = this.#options;
    this.#listening ??= this.#listen();
    await this.#listening;
    const token = hex(runtime.crypto.randomBytes(16));
    this.#expected.set(token, welcome);
    const ticket = `${token} ${socket.kind === "unix" ? socket.path : ""}`;
    return { ticket, cancel: () => void this.#expected.delete(token) };
  }

  async #listen(): Promise<Listener> {
    const { runtime, socket } = this.#options;
    try {
      return await runtime.net.listen(socket, (connection) => this.#accept(connection), { mode: 0o600 });
    } catch (error) {
      // Listening failed: the next process tries again.
      this.#listening = undefined;
      throw error;
    }
  }

  #accept(connection: Connection): void {
    const reader = new FrameReader(HELLO_BYTES);
    let receiver: PartReceiver | undefined;
    const cancel = this.#options.runtime.clock.after(HELLO_MS, () => receiver ?? connection.destroy());
    connection.start({
      onData: (chunk) => {
        try {
          reader.push(chunk);
          for (let message = reader.next(); message !== undefined; message = reader.next()) {
            if (receiver === undefined) {
              receiver = this.#welcome(connection, message);
              reader.maxBytes = MESSAGE_BYTES;
            } else receiver.receive(message as FromPart);
          }
        } catch (error) {
          this.#options.log.warning("connection of a supervised process closed: it sent an invalid message", {
            error: messageOf(error),
          });
          connection.destroy();
        }
      },
      onClose: () => {
        cancel();
        receiver?.onClose();
      },
    });
  }

  /** Handles the first message of a connection. @throws {SaltError} if the token does not belong to an expected process */
  #welcome(connection: Connection, message: unknown): PartReceiver {
    const hello = message as Partial<Hello> | null;
    const token = typeof hello === "object" && hello?.type === "hello" ? hello.token : undefined;
    const welcome = typeof token === "string" ? this.#expected.get(token) : undefined;
    if (welcome === undefined) throw new SaltError("PART", "Unknown token: no process was started with it");
    this.#expected.delete(token!);
    return welcome(connection, hello as Hello);
  }

  /** Waits for all processes to exit, kills the rest after `graceMs` milliseconds, and closes the socket. @param graceMs @default 0 */
  async close(graceMs = 0): Promise<void> {
    const { runtime: { clock, process } } = this.#options;
    const gone = Promise.all([...this.#children].map((child) => child.exited));
    await within(clock, graceMs, undefined, gone);
    killGroups(process, [...this.#children].map(({ pid }) => pid), "SIGKILL");
    await within(clock, EXIT_MS, undefined, gone);
    this.#guard.close();
    await (await this.#listening?.catch(() => undefined))?.close();
  }
}
