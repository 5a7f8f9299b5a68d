/** Sockets of systemd's socket units that are passed to this process: LISTEN_FDS, LISTEN_PID, LISTEN_FDNAMES. */
import type { Logger } from "../../src/base/log.ts";
import { printable } from "../../src/base/printable.ts";
import type { FileSystem } from "../../src/runtime/fs.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";
import { type Net, printAddress, type SocketAddress } from "../../src/runtime/net.ts";

/** Descriptor of the first socket; the others follow. */
const FIRST = 3;

/** Sockets that are accepted, at most. */
const MAX_SOCKETS = 64;

const VARIABLES = ["LISTEN_FDS", "LISTEN_PID", "LISTEN_FDNAMES"] as const;

interface PassedSocket {
  descriptor: number;
  /** Name of the socket: `FileDescriptorName=` of the unit. */
  name: string;
  /** Address that the socket listens on; undefined if it is not a listening TCP socket. */
  address: (SocketAddress & { kind: "tcp" }) | undefined;
  used: boolean;
}

/**
 * Takes the sockets from the environment of the service manager, and removes the variables, so that child processes do not
 * inherit them.
 *
 * @param used false for a daemon that opens its own sockets: the sockets are ignored with a warning
 */
export function takePassedSockets(runtime: Runtime, log: Logger, used: boolean): PassedSockets {
  const { process, fs } = runtime;
  const [count, pid, names] = VARIABLES.map((name) => process.env(name));
  for (const name of VARIABLES) if (process.env(name) !== undefined) process.setEnv(name, undefined);
  // Without a process id, or with another one, the sockets are for the parent process.
  if (count === undefined || pid !== String(process.pid)) return new PassedSockets([], log);
  const number = /^\d{1,6}$/.test(count) ? Number(count) : NaN;
  if (used && number >= 1 && number <= MAX_SOCKETS) {
    return new PassedSockets(lookAt(fs, number, names?.split(":") ?? []), log);
  }
  log.warning("sockets of a systemd socket unit are ignored: the daemon opens its own sockets", {
    LISTEN_FDS: printable(count, 200),
    remedy: used
      ? `expected LISTEN_FDS from 1 to ${MAX_SOCKETS}: check the socket unit`
      : "disable the socket unit: only salt-master accepts sockets",
  });
  return new PassedSockets([], log);
}

/** Describes the passed sockets without using them. */
function lookAt(fs: FileSystem, count: number, names: readonly string[]): PassedSocket[] {
  const listening = new Map([...listenersOf(fs, "tcp"), ...listenersOf(fs, "tcp6")]);
  return Array.from({ length: count }, (_, at) => {
    const descriptor = FIRST + at;
    let address: PassedSocket["address"];
    try {
      const [, inode = ""] = /^socket:\[(\d+)\]$/.exec(fs.readlink(`/proc/self/fd/${descriptor}`)) ?? [];
      address = listening.get(inode);
    } catch {
      // The descriptor is not open: the report of unused sockets names it.
    }
    return { descriptor, name: names.length === count ? names[at]! : "", address, used: false };
  });
}

/** Code of the state LISTEN in the system's tables. */
const LISTENING = "0A";

/** Listening sockets in a table such as `/proc/self/net/tcp`: inode → address. */
function listenersOf(fs: FileSystem, table: string): [string, SocketAddress & { kind: "tcp" }][] {
  let lines: string[];
  try {
    lines = fs.readText(`/proc/self/net/${table}`).split("\n");
  } catch {
    // There is no IPv6, or another system.
    return [];
  }
  return lines.map((line) => line.trim().split(/\s+/)).filter(({ 3: state }) => state === LISTENING).map((fields) => {
    const [address = "", port = ""] = fields[1]!.split(":");
    return [fields[9]!, { kind: "tcp", host: hostOf(address), port: parseInt(port, 16) }];
  });
}

/** `127.0.0.1` from `0100007F`: words of four bytes in the processor's order, little-endian on all supported processors. */
function hostOf(hex: string): string {
  const bytes = (hex.match(/.{8}/g) ?? []).flatMap((word) => word.match(/../g)!.reverse());
  if (bytes.length === 4) return bytes.map((byte) => parseInt(byte, 16)).join(".");
  const groups = (bytes.join("").match(/.{4}/g) ?? []).map((group) => group.replace(/^0{1,3}/, "").toLowerCase());
  return new URL(`http://[${groups.join(":")}]`).hostname.slice(1, -1);
}

/** The sockets that the service manager has passed to this process. */
class PassedSockets {
  readonly #sockets: readonly PassedSocket[];
  readonly #log: Logger;

  constructor(sockets: readonly PassedSocket[], log: Logger) {
    this.#sockets = sockets;
    this.#log = log;
  }

  /**
   * A network that listens with the passed socket for a port. The address of the passed socket counts, not the requested one,
   * because the socket unit defines it.
   */
  net(net: Net): Net {
    if (this.#sockets.length === 0) return net;
    return {
      ...net,
      listen: (at, accept, options) => {
        const socket = at.kind === "tcp" ? this.#socketFor(at.host, at.port) : undefined;
        if (socket === undefined) return net.listen(at, accept, options);
        socket.used = true;
        const { descriptor, name } = socket;
        this.#log.info("listening on a socket of the systemd socket unit", {
          address: printAddress(socket.address!),
          name: printable(name, 200),
        });
        return net.listen(at, accept, { ...options, descriptor });
      },
    };
  }

  /** The passed socket for a port; of several, the one bound to this host. */
  #socketFor(host: string, port: number): PassedSocket | undefined {
    const free = this.#sockets.filter(({ used, address }) => !used && address?.port === port);
    return free.find(({ address }) => address!.host === host) ?? free[0];
  }

  /** Logs passed sockets that are not used; call this once the daemon has started. */
  nameUnused(): void {
    for (const { descriptor, name, address, used } of this.#sockets) {
      if (used) continue;
      this.#log.warning("a socket of the systemd socket unit is ignored", {
        socket: address === undefined
          ? `descriptor ${descriptor} is not a listening TCP socket`
          : printAddress(address),
        name: printable(name, 200),
        remedy: "set ListenStream= of the unit to publish_port or ret_port",
      });
    }
  }
}
