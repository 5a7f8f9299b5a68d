import { backoffDelay } from "../../base/async/backoff.ts";
import { messageOf, ProtocolError, SaltError } from "../../base/errors.ts";
import type { Connection, Listener, ListenOptions } from "../../runtime/net.ts";
import { Admission } from "./admission.ts";
import type { SocketType } from "./command.ts";
import { parseEndpoint, printEndpoint } from "./endpoint.ts";
import type { Message } from "./frame.ts";
import type { ZmtpContext } from "./context.ts";
import { type SocketOptions, type SocketSettings, socketSettings } from "./options.ts";
import { JoinCache } from "./outbox.ts";
import { Peer, type PeerHost, type PeerInfo } from "./peer.ts";
import type { Socket } from "./types.ts";
import { Unfinished } from "./unfinished.ts";
import { ZMTP } from "./zmtp_conversation.ts";

/** The most peers that are flushed in one turn of the loop: one takes about 20 µs, and thousands at once would block all other work. */
const FLUSH_SLICE = 500;

interface Dialer {
  controller: AbortController;
  peer: Peer | undefined;
  /** True if the endpoint is dialled again without a wait, since this side closed the connection. */
  atOnce: boolean;
  done: Promise<void>;
}

/** The frames of a message, which may be given as its only frame. */
export function framesOf(message: Message | Uint8Array): Message {
  if (message instanceof Uint8Array) return [message];
  if (message.length === 0) {
    throw new RangeError("Cannot send a message without frames: expected at least one, which may be empty");
  }
  return message;
}

/**
 * The base of all sockets: listens, dials and redials, and sends queued messages at the end of each turn.
 *
 * @internal
 */
export abstract class ZmtpSocket implements Socket, PeerHost {
  readonly context: ZmtpContext;
  readonly settings: SocketSettings;
  readonly joins: JoinCache = new JoinCache();
  readonly unfinished: Unfinished;
  protected readonly admission: Admission;
  abstract readonly type: SocketType;

  readonly #listeners = new Set<Listener>();
  readonly #dialers = new Map<string, Dialer>();
  /** Why the last attempt to connect to an endpoint failed. */
  readonly #problems = new Map<string, string>();
  /** All connections, including those whose handshake is not done. */
  readonly #peers = new Set<Peer>();
  readonly #connected: ((peer: PeerInfo) => void)[] = [];
  readonly #disconnected: ((peer: PeerInfo, error: Error | undefined) => void)[] = [];
  #dirty: Peer[] = [];
  #flushing = false;
  #closing: Promise<void> | undefined;
  /** True while closing, once no more messages are sent or received. */
  #stopped = false;

  constructor(context: ZmtpContext, options: SocketOptions = {}) {
    this.context = context;
    this.settings = socketSettings(options);
    this.unfinished = new Unfinished(context.clock, this.settings);
    const { admitAtOnce, knownHost } = this.settings;
    this.admission = new Admission(context.clock, admitAtOnce, (callback) => context.later(callback), knownHost);
  }

  get closed(): boolean {
    return this.#closing !== undefined;
  }

  /** The peers whose handshake is done. */
  *peers(): Iterable<Peer> {
    for (const peer of this.#peers) if (peer.open) yield peer;
  }

  /** Why this socket has no peer: the last connection problem. Undefined once there is a peer. */
  protected trouble(): string | undefined {
    for (const _peer of this.peers()) return undefined;
    const [problem] = this.#problems.values();
    const { wire = ZMTP } = this.context;
    if (problem !== undefined) return problem;
    for (const peer of this.#peers) {
      return `${
        peer.endpoint ?? peer.remote
      } accepts connections but does not answer as ${wire.peer}: check the address, the port and the transport`;
    }
    const [endpoint] = this.#dialers.keys();
    if (endpoint === undefined) return undefined;
    return `no answer from ${endpoint} yet: check the address and the firewalls`;
  }

  /** Calls `handler` for each peer whose handshake is done from now on. */
  onConnect(handler: (peer: PeerInfo) => void): void {
    this.#connected.push(handler);
  }

  /** Calls `handler` for each peer that disconnects after its handshake; with an error unless it closed normally. */
  onDisconnect(handler: (peer: PeerInfo, error: Error | undefined) => void): void {
    this.#disconnected.push(handler);
  }

  async bind(endpoint: string, options: ListenOptions = {}): Promise<string> {
    this.#assertOpen("bind");
    const at = parseEndpoint(endpoint);
    const listener = await this.context.net.listen(at, (connection) => this.#adopt(connection), {
      keepAliveIdle: this.settings.keepAliveIdle,
      ...options,
    });
    if (this.closed) {
      await listener.close();
      this.#assertOpen("bind");
    }
    this.#listeners.add(listener);
    return printEndpoint(listener.address);
  }

  connect(endpoint: string): void {
    this.#assertOpen("connect");
    const to = parseEndpoint(endpoint);
    const name = printEndpoint(to);
    if (this.#dialers.has(name)) return;
    const dialer: Dialer = {
      controller: new AbortController(),
      peer: undefined,
      atOnce: false,
      done: Promise.resolve(),
    };
    this.#dialers.set(name, dialer);
    dialer.done = this.#keepConnected(name, dialer);
  }

  /** Undoes {@link ZmtpSocket.connect}: stops dialling, and closes the connection once queued messages were sent. */
  async disconnect(endpoint: string): Promise<void> {
    const name = printEndpoint(parseEndpoint(endpoint));
    const dialer = this.#dialers.get(name);
    if (dialer === undefined) return;
    this.#dialers.delete(name);
    dialer.controller.abort();
    await dialer.peer?.end();
    await dialer.done;
  }

  close(): Promise<void> {
    return this.#closing ??= this.#close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #close(): Promise<void> {
    const { lingerMs } = this.settings;
    const expired = Promise.withResolvers<void>();
    const stop = lingerMs === Infinity ? () => {} : this.context.clock.after(lingerMs, expired.resolve);
    // Waits for the assignment in close(), so that all code called from here sees the socket as closed.
    await undefined;
    this.beforeClose();
    if (lingerMs > 0) await Promise.race([this.queued(), expired.promise]);
    this.#stopped = true;
    for (const dialer of this.#dialers.values()) dialer.controller.abort();
    const listeners = [...this.#listeners].map((listener) => listener.close());
    if (lingerMs > 0) await Promise.race([Promise.all([...this.#peers].map((peer) => peer.end())), expired.promise]);
    stop();
    for (const peer of this.#peers) peer.destroy();
    await Promise.all(listeners);
    await Promise.all([...this.#dialers.values()].map((dialer) => dialer.done));
  }

  #assertOpen(doing: string): void {
    if (this.closed) throw new SaltError("CLOSED", `Cannot ${doing}: the ${this.type} socket is closed`);
  }

  // Dialling

  async #keepConnected(name: string, dialer: Dialer): Promise<void> {
    const { net, clock, random, log } = this.context;
    const { reconnectInitialMs, reconnectMaxMs, reconnectJitter } = this.settings;
    const { signal } = dialer.controller;
    const { source, ...to } = parseEndpoint(name);
    for (let attempt = 0; !signal.aborted; attempt++) {
      try {
        const { dialTimeoutMs: timeoutMs, keepAliveIdle, family } = this.settings;
        const connection = await net.dial(to, { signal, timeoutMs, keepAliveIdle, family, local: source });
        if (signal.aborted) {
          connection.destroy();
          return;
        }
        this.#problems.delete(name);
        const ended = Promise.withResolvers<boolean>();
        dialer.peer = this.#adopt(connection, name, ended.resolve);
        // After a completed handshake the waits start from the beginning.
        if (await ended.promise) attempt = 0;
        dialer.peer = undefined;
      } catch (error) {
        if (signal.aborted) return;
        this.#problems.set(name, messageOf(error));
        const fields = { endpoint: name, socket: this.type, error: messageOf(error) };
        // Only the first failure is logged at this level: repetitions every few seconds tell nothing new.
        if (attempt === 0) log.info("cannot connect: trying again", fields);
        else log.debug("cannot connect", fields);
      }
      if (signal.aborted) return;
      if (dialer.atOnce) {
        dialer.atOnce = false;
        continue;
      }
      const wait = backoffDelay(
        attempt,
        { initialMs: reconnectInitialMs, maxMs: reconnectMaxMs, jitter: reconnectJitter },
        random(),
      );
      // Uses `sleep` and not `after`, with which the process would exit when it waits only for this connection.
      await clock.sleep(wait, signal).catch(() => {});
    }
  }

  #adopt(connection: Connection, endpoint?: string, ended?: (wasOpen: boolean) => void): Peer | undefined {
    if (this.#stopped) {
      connection.destroy();
      ended?.(false);
      return undefined;
    }
    const peer = new Peer(this, connection, endpoint);
    if (ended !== undefined) this.#ends.set(peer, ended);
    this.#peers.add(peer);
    if (endpoint === undefined) this.settings.connectionLimit.add(peer);
    if (!this.#peers.has(peer)) return peer;
    if (endpoint === undefined) this.admission.add(peer);
    else peer.start();
    return peer;
  }

  /** Called when a dialled connection has ended. */
  readonly #ends = new Map<Peer, (wasOpen: boolean) => void>();
  readonly #wasOpen = new WeakSet<Peer>();

  /** Closes a connection; a dialled endpoint is dialled again at once. */
  protected renew(peer: Peer): void {
    const dialer = peer.endpoint === undefined ? undefined : this.#dialers.get(peer.endpoint);
    if (dialer?.peer === peer) dialer.atOnce = true;
    peer.destroy();
  }

  // PeerHost

  peerOpened(peer: Peer): void {
    this.attach(peer);
    this.#wasOpen.add(peer);
    this.admission.opened(peer);
    for (const handler of this.#connected) this.tell(() => handler(peer));
  }

  abstract peerMessage(peer: Peer, frames: Message): void;

  peerSubscribed(_peer: Peer, _topic: Uint8Array, _on: boolean): void {
    throw new ProtocolError(`A ${this.type} socket does not support subscriptions`);
  }

  peerDrained(_peer: Peer): void {}

  peerClosed(peer: Peer, error: Error | undefined): void {
    this.#peers.delete(peer);
    this.unfinished.note(peer, 0);
    this.settings.connectionLimit.remove(peer);
    this.admission.ended(peer);
    const wasOpen = this.#wasOpen.has(peer);
    if (wasOpen) {
      this.detach(peer, error);
      for (const handler of this.#disconnected) this.tell(() => handler(peer, error));
    }
    const ended = this.#ends.get(peer);
    this.#ends.delete(peer);
    ended?.(peer.proven);
  }

  peerDirty(peer: Peer): void {
    peer.dirty = true;
    this.#dirty.push(peer);
    if (this.#flushing) return;
    this.#flushing = true;
    this.context.later(this.#flushSlice);
  }

  readonly #flushSlice = (): void => {
    const slice = this.#dirty.length <= FLUSH_SLICE ? this.#dirty : this.#dirty.slice(0, FLUSH_SLICE);
    this.#dirty = slice === this.#dirty ? [] : this.#dirty.slice(FLUSH_SLICE);
    for (const peer of slice) {
      peer.dirty = false;
      peer.flush();
    }
    if (this.#dirty.length > 0) this.context.later(this.#flushSlice);
    else {
      this.#flushing = false;
      this.joins.clear();
    }
  };

  protected tell(call: () => void): void {
    try {
      call();
    } catch (error) {
      this.context.log.error("socket event handler failed", { error: messageOf(error) });
    }
  }

  // For the patterns

  /** Called for a peer after its handshake. May throw a ProtocolError to refuse it. */
  protected attach(_peer: Peer): void {}
  /** Called when an attached peer has disconnected. */
  protected detach(_peer: Peer, _error: Error | undefined): void {}
  protected beforeClose(): void {}
  /** Resolves once every accepted message is in the queue of a peer. */
  protected queued(): Promise<void> {
    return Promise.resolve();
  }
}
