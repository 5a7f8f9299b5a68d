/** Sends log lines to a system logger, over its Unix socket, UDP or TCP. */
import { messageOf } from "../../src/base/errors.ts";
import type { LogLevel } from "../../src/base/log.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";
import type { LogTarget } from "./log_format.ts";
import type { SyslogAddress } from "./syslog_address.ts";

declare const process: {
  getBuiltinModule(name: "node:net"): typeof import("node:net");
  getBuiltinModule(name: "node:dgram"): typeof import("node:dgram");
  getBuiltinModule(name: "node:child_process"): typeof import("node:child_process");
};

const SEVERITIES: Record<LogLevel, number> = {
  critical: 2,
  error: 3,
  warning: 4,
  info: 6,
  profile: 7,
  debug: 7,
  trace: 7,
  garbage: 7,
  all: 7,
  quiet: 7,
};

/** Bytes of a line, at most: the size of a datagram that every logger accepts. */
const MAX_BYTES = 8192;
/** Bytes that wait for the logger, at most; more lines are dropped and counted. */
const MAX_WAITING_BYTES = 1_000_000;
/** Milliseconds before the first attempt to reconnect; doubled each time. */
const RETRY_MS = 1000;
const MAX_RETRY_MS = 30_000;

interface SyslogOptions {
  runtime: Pick<Runtime, "net" | "clock" | "process">;
  address: SyslogAddress;
  /** Tag of the lines: `salt-master`. */
  program: string;
  /** Called once when lines are lost, with the reason. */
  complain(text: string): void;
}

/** Sends bytes to the logger without waiting. */
interface Wire {
  /** True if the logger adds program and pid. @default false */
  tags?: boolean;
  /** Sends bytes. @returns false if they were dropped */
  send(bytes: Uint8Array): boolean;
  close(): void;
}

/** A log that is sent to a system logger. */
export class Syslog implements LogTarget {
  readonly #options: SyslogOptions;
  #wire: Wire | undefined;
  #lost = 0;

  constructor(options: SyslogOptions) {
    this.#options = options;
  }

  write(text: string, level: LogLevel): void {
    const { address: { facility }, program, runtime: { process: { pid } }, complain } = this.#options;
    const send = (severity: LogLevel, message: string) => {
      try {
        this.#wire ??= wireTo(this.#options);
        const tag = this.#wire.tags ? "" : `${program}[${pid}]: `;
        const line = `<${facility * 8 + SEVERITIES[severity]}>${tag}${message}`;
        return this.#wire.send(new TextEncoder().encode(line).subarray(0, MAX_BYTES));
      } catch (error) {
        if (this.#lost === 0) complain(`WARNING: the log does not reach ${nameOf(this.#options)}: ${messageOf(error)}`);
        return false;
      }
    };
    if (this.#lost > 0 && send("warning", `${this.#lost} log lines could not be sent`)) this.#lost = 0;
    if (!send(level, text.replace(/\n$/, ""))) this.#lost++;
  }

  reopen(): void {
    this.close();
  }

  close(): void {
    this.#wire?.close();
    this.#wire = undefined;
  }
}

function nameOf({ address }: SyslogOptions): string {
  return address.kind === "unix" ? address.path : `${address.kind}://${address.host}:${address.port}`;
}

function wireTo(options: SyslogOptions): Wire {
  const { address, runtime: { net } } = options;
  switch (address.kind) {
    case "udp":
      return udpWire(address);
    case "tcp":
      return streamWire(options, (ended) => connectedStream(address, ended));
    case "unix": {
      const { unixDatagram } = net;
      if (unixDatagram !== undefined) {
        return { send: (bytes) => (unixDatagram(address.path, bytes), true), close: () => {} };
      }
      // Node has no datagrams over Unix sockets.
      return { ...streamWire(options, (ended) => loggerProgram(address.path, options, ended)), tags: true };
    }
  }
}

function udpWire({ host, port }: { host: string; port: number }): Wire {
  const socket = process.getBuiltinModule("node:dgram").createSocket(host.includes(":") ? "udp6" : "udp4");
  let waiting = 0;
  socket.on("error", () => {});
  socket.unref();
  return {
    send(bytes) {
      if (waiting + bytes.length > MAX_WAITING_BYTES) return false;
      waiting += bytes.length;
      // As with every syslog over UDP, a lost line stays lost.
      socket.send(bytes, port, host, () => waiting -= bytes.length);
      return true;
    },
    close: () => socket.close(),
  };
}

interface LineStream {
  write(bytes: Uint8Array): void;
  readonly waiting: number;
  end(): void;
}

/** Sends lines over a stream. A closed stream is opened again after one second, then after growing delays. */
function streamWire({ runtime: { clock } }: SyslogOptions, open: (ended: () => void) => LineStream): Wire {
  let stream: LineStream | undefined;
  let closed = false;
  let retryMs = RETRY_MS;
  let openedAt = 0;
  let stop = () => {};
  const connect = () => {
    openedAt = clock.now();
    let over = false;
    stream = open(() => {
      if (over) return;
      over = true;
      stream = undefined;
      if (closed) return;
      if (clock.now() - openedAt > MAX_RETRY_MS) retryMs = RETRY_MS;
      stop = clock.after(retryMs, connect);
      retryMs = Math.min(retryMs * 2, MAX_RETRY_MS);
    });
  };
  connect();
  return {
    send(bytes) {
      if (stream === undefined || stream.waiting + bytes.length > MAX_WAITING_BYTES) return false;
      const line = new Uint8Array(bytes.length + 1);
      line.set(bytes);
      line[bytes.length] = 10;
      stream.write(line);
      return true;
    },
    close() {
      closed = true;
      stop();
      stream?.end();
    },
  };
}

function connectedStream({ host, port }: { host: string; port: number }, ended: () => void): LineStream {
  const socket = process.getBuiltinModule("node:net").connect({ host, port });
  socket.unref();
  socket.on("error", () => {});
  socket.on("close", ended);
  // Discard what the logger sends back.
  socket.resume();
  return {
    write: (bytes) => void socket.write(bytes),
    get waiting() {
      return socket.writableLength;
    },
    end: () => void socket.end(),
  };
}

/** Sends lines to the program `logger`, which reads lines with their priorities in front. */
function loggerProgram(path: string, { program, complain, runtime }: SyslogOptions, ended: () => void): LineStream {
  const child = process.getBuiltinModule("node:child_process").spawn(
    "logger",
    ["--socket", path, "--prio-prefix", "--tag", `${program}[${runtime.process.pid}]`],
    { stdio: ["pipe", "ignore", "ignore"] },
  );
  child.on("error", (error) => {
    complain(
      `WARNING: the log does not reach ${path}: this runtime needs the program logger for syslog (${
        messageOf(error)
      }). Install ` +
        "it (util-linux or bsdutils), or let log_file name a path",
    );
    ended();
  });
  child.on("exit", ended);
  child.stdin.on("error", () => {});
  child.unref();
  (child.stdin as unknown as { unref?(): void }).unref?.();
  return {
    write: (bytes) => void child.stdin.write(bytes),
    get waiting() {
      return child.stdin.writableLength;
    },
    end: () => void child.stdin.end(),
  };
}
