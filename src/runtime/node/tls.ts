/** TLS over sockets that `node:net` has opened. Bun and Deno have the same module, and pass the same contract. */
import type net from "node:net";
import type tls from "node:tls";
import { messageOf, SystemError, TlsError } from "../../base/errors.ts";
import type { Connection, ConnectionHandlers, SocketAddress, TlsDial, TlsListen, TlsOptions } from "../net.ts";
import { printAddress } from "../net.ts";
import { builtin } from "./builtin.ts";
import { type ConnectionNames, NodeConnection } from "./connection.ts";
import { tlsFailure } from "./tls_failure.ts";

/** Checks that key and certificate belong together: Deno would notice at the first connection only. @throws {TypeError} if they do not */
function checkKey({ certificate, key }: TlsOptions): void {
  if (certificate === undefined || key === undefined) return;
  const { createPrivateKey, X509Certificate } = builtin("node:crypto");
  if (new X509Certificate(certificate).checkPrivateKey(createPrivateKey(key))) return;
  throw new TypeError("the key does not belong to the certificate: check keyfile and certfile");
}

function materialOf(
  { certificate, key, authorities, ciphers, minVersion, maxVersion }: TlsOptions,
): tls.SecureContextOptions {
  return {
    ...(certificate === undefined ? {} : { cert: certificate }),
    ...(key === undefined ? {} : { key }),
    ...(authorities === undefined ? {} : { ca: authorities }),
    ...(ciphers === undefined ? {} : { ciphers }),
    minVersion: minVersion ?? "TLSv1.2",
    ...(maxVersion === undefined ? {} : { maxVersion }),
  };
}

/** Begins TLS as a client. @throws {TlsError} if the handshake fails */
export function startTls(
  socket: net.Socket,
  to: SocketAddress,
  options: TlsDial,
  signal: AbortSignal,
): Promise<tls.TLSSocket> {
  const name = options.serverName ?? (to.kind === "tcp" ? to.host : "");
  return new Promise((resolve, reject) => {
    const secure = builtin("node:tls").connect({
      socket,
      ...materialOf(options),
      // An address must not be sent as a server name; it is checked against the certificate all the same.
      ...(builtin("node:net").isIP(name) === 0 ? { servername: name } : {}),
      host: name,
      rejectUnauthorized: options.verify !== "nothing",
      ...(options.verify === "name" ? {} : { checkServerIdentity: () => undefined }),
    });
    const settle = () => {
      signal.removeEventListener("abort", onAbort);
      secure.off("error", onError);
      secure.off("close", onClose);
    };
    const fail = (reason: unknown) => {
      settle();
      secure.on("error", () => {});
      secure.destroy();
      reject(reason);
    };
    const onError = (error: Error) => {
      const failure = tlsFailure(error);
      const text = `Cannot connect to ${printAddress(to)}: ${
        failure === undefined ? messageOf(error) : failure.message
      }`;
      fail(new TlsError(text, { cause: error }));
    };
    const onClose = () =>
      fail(new TlsError(`Cannot connect to ${printAddress(to)}: it was closed during the TLS handshake`));
    const onAbort = () => fail(signal.reason);
    signal.addEventListener("abort", onAbort, { once: true });
    secure.on("error", onError);
    secure.on("close", onClose);
    secure.once("secureConnect", () => {
      settle();
      resolve(secure);
    });
  });
}

/**
 * Accepts TLS over sockets of a plain listener, so that a connection counts from its first moment, and not only once its handshake is
 * done, which a stranger need never do.
 *
 * @throws {SystemError} if certificate, key or ciphers cannot be used
 */
export function tlsAcceptor(
  at: SocketAddress,
  options: TlsListen,
): (socket: net.Socket, names: ConnectionNames) => Connection {
  const handshakes = new WeakMap<object, TlsHandshake>();
  const { clients } = options;
  let server: tls.Server;
  try {
    checkKey(options);
    server = builtin("node:tls").createServer({
      ...materialOf(options),
      requestCert: clients !== "not asked",
      rejectUnauthorized: clients === "required",
    });
  } catch (error) {
    throw new SystemError("EINVAL", `Cannot listen on ${printAddress(at)} with TLS: ${messageOf(error)}`, {
      cause: error,
    });
  }
  server.on("secureConnection", (socket) => handshakes.get(plainOf(socket))?.done(socket, clients));
  server.on("tlsClientError", (error, socket) => {
    handshakes.get(plainOf(socket))?.failed(tlsFailure(error, socket.authorizationError));
  });
  return (socket, names) => {
    const handshake = new TlsHandshake(socket, names);
    handshakes.set(socket, handshake);
    server.emit("connection", socket);
    return handshake;
  };
}

/** The socket below; the three runtimes name it alike. */
function plainOf(socket: tls.TLSSocket): net.Socket {
  return (socket as unknown as { _parent: net.Socket })._parent;
}

/** An incoming connection whose handshake is under way, and what it becomes. */
class TlsHandshake implements Connection {
  readonly remote: string;
  readonly local: string;
  readonly secured: Promise<void>;
  readonly #plain: net.Socket;
  readonly #names: ConnectionNames;
  readonly #outcome = Promise.withResolvers<void>();
  #secure: NodeConnection | undefined;
  #handlers: ConnectionHandlers | undefined;
  #error: Error | undefined;
  #paused = false;
  #ending = false;
  #closed = false;

  constructor(plain: net.Socket, names: ConnectionNames) {
    this.#plain = plain;
    this.#names = names;
    this.remote = names.remote;
    this.local = names.local;
    this.secured = this.#outcome.promise;
    // A caller that never starts the connection does not wait for the handshake: its failure must not count as unhandled.
    this.secured.catch(() => {});
    plain.on("error", (error) => this.#error ??= error);
    // Waits one turn: the reason may be reported after the close.
    plain.on("close", () => setImmediate(() => this.#end()));
  }

  done(socket: tls.TLSSocket, clients: TlsListen["clients"]): void {
    const shown = clients !== "not asked" && Object.keys(socket.getPeerCertificate() ?? {}).length > 0;
    if (shown && !socket.authorized) this.#error = tlsFailure(undefined, socket.authorizationError);
    if (shown && !socket.authorized || this.#ending) {
      socket.destroy();
      return;
    }
    this.#secure = new NodeConnection(socket, this.#names);
    this.#outcome.resolve();
    if (this.#handlers !== undefined) this.#deliver(this.#secure, this.#handlers);
  }

  /** Delivers data after all who wait for the handshake were called: on Deno a request may have arrived already, which they could not answer yet. */
  #deliver(secure: NodeConnection, handlers: ConnectionHandlers): void {
    void this.secured.then(() => {}).then(() => {
      secure.start(handlers);
      if (this.#paused) secure.pause();
    });
  }

  failed(error: Error | undefined): void {
    this.#error = error ?? this.#error;
    this.#abandon();
  }

  /** Closes in another turn: Node crashes if the plain socket is destroyed while its handshake is being handled. */
  #abandon(): void {
    if (this.#ending) return;
    this.#ending = true;
    setImmediate(() => {
      if (this.#secure === undefined) this.#plain.destroy();
    });
  }

  #end(): void {
    if (this.#secure !== undefined || this.#closed) return;
    this.#closed = true;
    this.#outcome.reject(this.#error ?? new TlsError("Closed during the TLS handshake"));
    this.#handlers?.onClose(this.#error);
  }

  start(handlers: ConnectionHandlers): void {
    this.#handlers = handlers;
    if (this.#secure !== undefined) this.#deliver(this.#secure, handlers);
    else if (this.#closed) queueMicrotask(() => handlers.onClose(this.#error));
  }

  write(chunk: Uint8Array): boolean {
    return this.#secure?.write(chunk) ?? true;
  }

  get buffered(): number {
    return this.#secure?.buffered ?? 0;
  }

  pause(): void {
    this.#paused = true;
    this.#secure?.pause();
  }

  resume(): void {
    this.#paused = false;
    this.#secure?.resume();
  }

  end(): void {
    if (this.#secure === undefined) this.#abandon();
    else this.#secure.end();
  }

  destroy(): void {
    if (this.#secure === undefined) this.#abandon();
    else this.#secure.destroy();
  }
}
