/**
 * TCP and Unix sockets over `node:net`. Bun and Deno have the same module and pass the same contract
 * (tests/contract/net_contract.ts). Only connections that Bun dials are its own: see `bun/dial.ts`.
 */
import type net from "node:net";
import { codeOf, messageOf, SystemError } from "../../base/errors.ts";
import type { Connection, DatagramOptions, DialOptions, Listener, ListenOptions, Net, SocketAddress } from "../net.ts";
import { printAddress } from "../net.ts";
import { builtin } from "./builtin.ts";
import { type ConnectionNames, NodeConnection } from "./connection.ts";
import { noteOwner, ownerHasDied } from "./socket_owner.ts";
import { startTls, tlsAcceptor } from "./tls.ts";

const { chmodSync, lstatSync, mkdtempSync, renameSync, rmSync, unlinkSync } = builtin("node:fs");
const path = builtin("node:path");

/** What an operator can do about an errno; one that is not listed gets the system's own message. */
const REMEDIES: Record<string, string> = {
  EADDRINUSE: "another process listens there: stop it, or choose another address",
  EADDRNOTAVAIL: "this host does not have that address: use an address of this host, or 0.0.0.0 for all",
  EACCES: "permission denied: choose a port above 1023, or a path that this user may write, or run as root",
  EPERM: "permission denied: run as the owner of that path, or as root",
  ECONNREFUSED: "no process listens there: start the other side, or check the address",
  ENOENT: "the path does not exist: start the other side, or check the path",
  ENOTDIR: "a part of that path is not a directory: check the path",
  ENOTFOUND: "the name cannot be looked up: check its spelling and the DNS",
  EAI_AGAIN: "the name server does not answer: check the DNS",
  ETIMEDOUT: "no reply: check the address and the firewalls",
  EHOSTUNREACH: "no route to that host: check the address and the network",
  ENETUNREACH: "no route to that network: check the address and the network",
  EMFILE: "this process has too many files open: raise its limit (ulimit -n)",
  EINVAL: "the system refuses that address; the path of a Unix socket has at most 107 bytes",
};

/** `sun_path` of Linux without its closing zero byte; other systems have a few bytes less, and report that themselves. */
const MAX_PATH_BYTES = 107;

/** The error for a socket that cannot be opened, with what an operator can do. */
export function explain(doing: string, address: SocketAddress, errno: string, cause: unknown): SystemError {
  const why = REMEDIES[errno] ?? messageOf(cause);
  return new SystemError(errno, `Cannot ${doing} ${printAddress(address)}: ${errno}, ${why}`, { address, cause });
}

function tcpName(host: string | undefined, port: number | undefined): string {
  return printAddress({ kind: "tcp", host: (host ?? "unknown").replace(/^::ffff:(?=\d+\.)/, ""), port: port ?? 0 });
}

function namesOf(socket: net.Socket, address: SocketAddress): ConnectionNames {
  if (address.kind === "unix") {
    const name = printAddress(address);
    return { remote: name, local: name };
  }
  return {
    remote: tcpName(socket.remoteAddress, socket.remotePort),
    local: tcpName(socket.localAddress, socket.localPort),
  };
}

function wrap(socket: net.Socket, address: SocketAddress): NodeConnection {
  return new NodeConnection(socket, namesOf(socket, address));
}

/** Looks up names in one family of addresses; for IPv6, in the other one if there is none. */
function lookupOf(family: 4 | 6): net.LookupFunction {
  return (host, options, done) => {
    const { lookup } = builtin("node:dns");
    lookup(host, { ...options, family }, (error, address, kind) => {
      if (error === null || family === 4) done(error, address as string, kind);
      else lookup(host, { ...options, family: 4 }, done as never);
    });
  };
}

function dial(to: SocketAddress, options?: DialOptions): Promise<Connection> {
  return dialSocket(to, options, (socket) => wrap(socket, to));
}

/** Dials, as {@link Net.dial} does. @param use gets the socket at once: an error that nobody listens for would end the process */
export function dialSocket<T>(
  to: SocketAddress,
  options: DialOptions = {},
  use: (socket: net.Socket) => T,
): Promise<T> {
  const { signal, timeoutMs = 30_000, keepAliveIdle = 300, local } = options;
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const socket = builtin("node:net").connect(
      to.kind === "unix" ? { path: to.path } : {
        host: to.host,
        port: to.port,
        noDelay: true,
        keepAlive: keepAliveIdle !== false,
        keepAliveInitialDelay: keepAliveIdle === false ? 0 : keepAliveIdle * 1000,
        ...(options.family === undefined ? {} : { lookup: lookupOf(options.family) }),
        ...(local?.host === undefined ? {} : { localAddress: local.host }),
        ...(local?.port === undefined || local.port === 0 ? {} : { localPort: local.port }),
      },
    );
    const failing = new AbortController();
    const settle = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", onAbort);
      socket.off("connect", onConnect);
      socket.off("error", onError);
    };
    const fail = (reason: unknown) => {
      settle();
      failing.abort(reason);
      // A late error of an abandoned socket has no listener any more.
      socket.on("error", () => {});
      socket.destroy();
      reject(reason);
    };
    const onConnect = () => {
      if (options.prepare === undefined && options.tls === undefined) {
        settle();
        resolve(use(socket));
        return;
      }
      socket.off("error", onError);
      finish(socket, to, options, failing.signal).then((done) => {
        settle();
        resolve(use(done));
      }, fail);
    };
    const onError = (error: Error) => {
      // Happy Eyeballs reports one error per address tried; the first is enough.
      const first = (error as { errors?: Error[] }).errors?.[0];
      fail(explain("connect to", to, codeOf(error) || codeOf(first) || "EIO", error));
    };
    const onAbort = () => fail(signal!.reason);
    const timer = setTimeout(() => fail(explain("connect to", to, "ETIMEDOUT", undefined)), timeoutMs);
    socket.once("connect", onConnect);
    socket.once("error", onError);
    signal?.addEventListener("abort", onAbort, { once: true });
  });
}

/** What is done with a connection before it can be used: a proxy is asked, then TLS begins. */
async function finish(
  socket: net.Socket,
  to: SocketAddress,
  { prepare, tls }: DialOptions,
  signal: AbortSignal,
): Promise<net.Socket> {
  if (prepare !== undefined) {
    const plain = wrap(socket, to);
    await prepare(plain, signal);
    plain.detach();
  }
  return tls === undefined ? socket : await startTls(socket, to, tls, signal);
}

/** Differences of a runtime from Node. */
interface NodeNetOptions {
  /**
   * Prevents started programs from inheriting a descriptor. Returns false if that failed.
   *
   * @default none: the runtime does this by itself
   */
  closeOnExec?(fd: number): boolean;
}

/** True if a process listens on a Unix socket, and it is not just kept open by children of a dead listener. */
async function isLive(address: SocketAddress & { kind: "unix" }): Promise<boolean> {
  if (ownerHasDied(address.path)) return false;
  try {
    (await dial(address, { timeoutMs: 2000 })).destroy();
    return true;
  } catch (error) {
    const code = codeOf(error);
    if (code === "ECONNREFUSED" || code === "ENOENT") return false;
    throw error;
  }
}

function lstatOrUndefined(file: string) {
  return lstatSync(file, { throwIfNoEntry: false });
}

/**
 * Listens in a private directory first and moves the socket into place once it has its mode, so that no process can connect
 * in between. The usual way, a umask around `listen`, is global to the process and forbidden in worker threads.
 */
async function listenUnix(
  server: net.Server,
  address: SocketAddress & { kind: "unix" },
  options: ListenOptions,
  { closeOnExec }: NodeNetOptions,
): Promise<() => void> {
  // The path in the private directory would fit and the rename succeed, but then no client could connect.
  if (new TextEncoder().encode(address.path).length > MAX_PATH_BYTES) {
    throw Object.assign(new Error("the path is too long"), { code: "EINVAL" });
  }
  const present = lstatOrUndefined(address.path);
  if (present !== undefined && (!present.isSocket() || await isLive(address))) {
    throw Object.assign(new Error("the path exists"), { code: "EADDRINUSE" });
  }
  // The temporary name is short, since the system allows only 107 bytes for the path of a socket.
  let inherited = false;
  const nursery = mkdtempSync(path.join(path.dirname(address.path), ".z"));
  try {
    const born = path.join(nursery, "s");
    const open = listening(server, { path: born, backlog: options.backlog ?? 1000 });
    // Done in the same turn: in a later turn a program may be started, which would inherit the descriptor.
    inherited = closeOnExec !== undefined && !closeOnExec(descriptorOf(server));
    await open;
    chmodSync(born, options.mode ?? 0o600);
    renameSync(born, address.path);
  } catch (error) {
    server.close();
    throw error;
  } finally {
    rmSync(nursery, { recursive: true, force: true });
  }
  const inode = lstatOrUndefined(address.path)?.ino;
  const forget = inherited ? noteOwner(address.path) : () => {};
  return () => {
    forget();
    // Another process may have replaced the socket meanwhile; the new socket must stay.
    if (lstatOrUndefined(address.path)?.ino === inode) unlinkSync(address.path);
  };
}

/** The file descriptor of a server's socket; -1 if it is not known. */
function descriptorOf(server: net.Server): number {
  const { _handle: handle } = server as unknown as { _handle?: { fd?: number } | null };
  return handle?.fd ?? -1;
}

function listening(server: net.Server, options: net.ListenOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(options, () => {
      server.off("error", reject);
      resolve();
    });
  });
}

function listenTcp(
  server: net.Server,
  { host, port }: SocketAddress & { kind: "tcp" },
  { backlog = 1000, dualStack, descriptor }: ListenOptions,
  { closeOnExec }: NodeNetOptions,
): Promise<void> {
  if (descriptor === undefined) return listening(server, { host, port, backlog, ipv6Only: dualStack === false });
  closeOnExec?.(descriptor);
  return listening(server, { fd: descriptor, backlog } as net.ListenOptions);
}

async function listen(
  at: SocketAddress,
  accept: (connection: Connection) => void,
  options: ListenOptions,
  runtime: NodeNetOptions,
): Promise<Listener> {
  const { keepAliveIdle = 300 } = options;
  let address = at;
  const secure = options.tls === undefined ? undefined : tlsAcceptor(at, options.tls);
  const server = builtin("node:net").createServer({
    noDelay: true,
    keepAlive: keepAliveIdle !== false,
    keepAliveInitialDelay: keepAliveIdle === false ? 0 : keepAliveIdle * 1000,
  }, (socket) => accept(secure === undefined ? wrap(socket, address) : secure(socket, namesOf(socket, address))));
  let unlink = () => {};
  try {
    if (at.kind === "unix") unlink = await listenUnix(server, at, options, runtime);
    else {
      await listenTcp(server, at, options, runtime);
      const { address: host, port } = server.address() as net.AddressInfo;
      address = options.descriptor === undefined ? { ...at, port } : { kind: "tcp", host, port };
    }
  } catch (error) {
    throw explain("listen on", at, codeOf(error) || "EIO", error);
  }
  // An accept that fails (too many open files) must not end the process; the peer will retry.
  server.on("error", () => {});
  let closing: Promise<void> | undefined;
  return {
    address,
    close: () =>
      closing ??= new Promise((resolve) => {
        unlink();
        // close() calls back only when the last accepted connection has closed; do not wait for that.
        server.close();
        resolve();
      }),
  };
}

/** Sends one UDP datagram: see {@link Net.datagram}. */
function datagram(
  to: { host: string; port: number },
  data: Uint8Array,
  { broadcast = false, answerMs = 0 }: DatagramOptions = {},
): Promise<Uint8Array | undefined> {
  return new Promise((resolve, reject) => {
    const socket = builtin("node:dgram").createSocket(to.host.includes(":") ? "udp6" : "udp4");
    let timer: ReturnType<typeof setTimeout> | undefined;
    const done = (end: () => void) => {
      clearTimeout(timer);
      socket.removeAllListeners();
      // Errors of a closed socket do not matter.
      socket.on("error", () => {});
      socket.close();
      end();
    };
    const fail = (error: unknown) =>
      done(() => reject(explain("send a datagram to", { kind: "tcp", ...to }, codeOf(error) ?? "EIO", error)));
    const sent = (error: Error | null) => {
      if (error !== null) fail(error);
      else if (answerMs <= 0) done(() => resolve(undefined));
      else timer = setTimeout(() => done(() => resolve(undefined)), answerMs);
    };
    socket.on("error", fail);
    socket.on("message", (message) => done(() => resolve(new Uint8Array(message))));
    if (broadcast) {
      socket.bind(0, () => {
        try {
          socket.setBroadcast(true);
          socket.send(data, to.port, to.host, sent);
        } catch (error) {
          fail(error);
        }
      });
    } else {
      // Only a connected socket learns that no process listens.
      socket.connect(to.port, to.host, () => socket.send(data, sent));
    }
  });
}

export function nodeNet(runtime: NodeNetOptions = {}): Net {
  return { dial, datagram, listen: (at, accept, options = {}) => listen(at, accept, options, runtime) };
}
