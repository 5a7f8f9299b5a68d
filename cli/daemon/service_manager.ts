/** Reports a daemon's state to systemd (`Type=notify`), over the socket in NOTIFY_SOCKET. */
import { codeOf, messageOf } from "../../src/base/errors.ts";
import type { Logger } from "../../src/base/log.ts";
import { printable } from "../../src/base/printable.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";

/** Messages that wait for the program systemd-notify, at most; more are dropped. */
const MAX_WAITING = 20;

/** Minimum interval of watchdog messages, in milliseconds. */
const SHORTEST_MS = 500;

/** Variables for this process only: child processes must not inherit them. */
const OWN_VARIABLES = ["NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID"] as const;

/** The service manager that has started this process; without one, nothing is sent. */
export class DaemonManager {
  readonly #runtime: Runtime;
  readonly #log: Logger;
  readonly #socket: string;
  readonly #watchdogMs: number | undefined;
  readonly #waiting: string[] = [];
  #sending: Promise<void> | undefined;
  #failed = false;
  #stop: () => void = () => {};

  /** Takes the service manager's variables from the environment, and removes them. */
  constructor(runtime: Runtime, log: Logger) {
    this.#runtime = runtime;
    this.#log = log;
    const taken = Object.fromEntries(OWN_VARIABLES.map((name) => [name, runtime.process.env(name)]));
    for (const name of OWN_VARIABLES) if (taken[name] !== undefined) runtime.process.setEnv(name, undefined);
    this.#socket = this.#usableSocket(taken.NOTIFY_SOCKET);
    this.#watchdogMs = this.#usableWatchdog(taken.WATCHDOG_USEC, taken.WATCHDOG_PID);
  }

  /** Reports that the daemon serves. From now on it sends watchdog messages, as long as its event loop runs. */
  ready(status: string): void {
    this.#tell(`READY=1\nSTATUS=${status}`);
    if (this.#watchdogMs === undefined || this.#socket === "") return;
    const { clock } = this.#runtime;
    const alive = () => {
      this.#tell("WATCHDOG=1");
      this.#stop = clock.after(this.#watchdogMs!, alive);
    };
    alive();
  }

  /** Reports that the daemon waits for another server, and extends the start timeout to 90 seconds from now. */
  waiting(reason: string): void {
    this.#tell(`EXTEND_TIMEOUT_USEC=90000000\nSTATUS=waiting: ${printable(reason, 400)}`);
  }

  /** Reports that the daemon reloads its configuration; {@link DaemonManager.ready} follows. */
  reloading(): void {
    this.#stop();
    this.#tell("RELOADING=1\nSTATUS=reloading the configuration");
  }

  /** Reports that the daemon is stopping. @returns resolves once the report is sent */
  stopping(): Promise<void> {
    this.#stop();
    this.#tell("STOPPING=1\nSTATUS=stopping");
    return this.#sending ?? Promise.resolve();
  }

  #usableSocket(path: string | undefined): string {
    if (path === undefined || path === "") return "";
    // deno-lint-ignore no-control-regex
    if (/^[/@][^\x00-\x1f]{1,106}$/.test(path)) return path;
    this.#log.warning("NOTIFY_SOCKET is ignored: expected a path of at most 107 bytes, or @ and a name", {
      NOTIFY_SOCKET: printable(path, 200),
    });
    return "";
  }

  #usableWatchdog(usec: string | undefined, pid: string | undefined): number | undefined {
    if (usec === undefined) return undefined;
    // The variable is for another process, whose environment was inherited.
    if (pid !== undefined && pid !== String(this.#runtime.process.pid)) return undefined;
    const half = /^\d{1,15}$/.test(usec) ? Number(usec) / 2000 : 0;
    if (half > 0) return Math.min(Math.max(half, SHORTEST_MS), 2 ** 31 - 1);
    this.#log.warning("WATCHDOG_USEC is ignored: expected a number of microseconds", {
      WATCHDOG_USEC: printable(usec, 200),
    });
    return undefined;
  }

  #tell(message: string): void {
    if (this.#socket === "" || this.#waiting.length >= MAX_WAITING) return;
    const { unixDatagram } = this.#runtime.net;
    try {
      if (unixDatagram === undefined) return this.#queue(message);
      unixDatagram(this.#socket, new TextEncoder().encode(message));
    } catch (error) {
      // If no C library can be called, use the program systemd-notify.
      if (codeOf(error) === "") this.#queue(message);
      else this.#complain(messageOf(error));
    }
  }

  /** Sends messages with the program one after another, because their order matters. */
  #queue(message: string): void {
    this.#waiting.push(message);
    this.#sending ??= this.#drain().finally(() => this.#sending = undefined);
  }

  async #drain(): Promise<void> {
    const { process } = this.#runtime;
    while (this.#waiting.length > 0) {
      const argv = ["systemd-notify", ...this.#waiting[0]!.split("\n")];
      try {
        const child = await process.spawn({ argv, env: { ...process.environment(), NOTIFY_SOCKET: this.#socket } });
        const { code } = await child.exited;
        if (code !== 0) this.#complain(`systemd-notify exited with ${code}`);
      } catch (error) {
        this.#complain(messageOf(error));
      }
      this.#waiting.shift();
    }
  }

  #complain(error: string): void {
    if (this.#failed) return;
    this.#failed = true;
    this.#log.warning("systemd does not receive the status of the daemon", {
      socket: this.#socket,
      error,
      remedy: "install systemd-notify, or use Type=simple in the unit",
    });
  }
}
