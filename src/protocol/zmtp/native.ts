/**
 * libzmq behind the same interfaces, through npm's `zeromq`: for comparison, and for users who need libzmq itself. Node only:
 * under Bun the package aborts the process, under Deno its REQ sockets hang.
 */
import { abortable } from "../../base/async/within.ts";
import { codeOf, messageOf, SaltError, SystemError, TimeoutError } from "../../base/errors.ts";
import type { Logger } from "../../base/log.ts";
import type { Message } from "./frame.ts";
import type { SocketOptions } from "./options.ts";
import type { PeerHandle, PeerInfo } from "./peer.ts";
import { MAX_RECEIVED } from "./pub.ts";
import type {
  Dealer,
  Pub,
  Pull,
  Push,
  Receiver,
  Rep,
  Req,
  RequestOptions,
  Router,
  Socket,
  SocketFactory,
  Sub,
} from "./types.ts";

/** The part of npm's `zeromq` that is used here. */
interface NativeSocket {
  readonly lastEndpoint: string | null;
  bind(endpoint: string): Promise<void>;
  connect(endpoint: string): void;
  events: { on(type: string, handler: (event: { address?: string }) => void): void };
  close(): void;
  send(message: Message): Promise<void>;
  receive(): Promise<Uint8Array[]>;
  subscribe(topic: Uint8Array): void;
  unsubscribe(topic: Uint8Array): void;
}
type NativeClass = new (options: Record<string, unknown>) => NativeSocket;
type NativeModule = Record<
  "Publisher" | "Subscriber" | "Push" | "Pull" | "Request" | "Router" | "Dealer",
  NativeClass
>;

const encoder = new TextEncoder();
const bytesOf = (topic: Uint8Array | string) => typeof topic === "string" ? encoder.encode(topic) : topic;
const framesOf = (message: Message | Uint8Array): Message => message instanceof Uint8Array ? [message] : message;
/** Converts libzmq's frames from Node's `Buffer` to plain bytes. */
const plain = (frames: Uint8Array[]): Message =>
  frames.map((frame) => new Uint8Array(frame.buffer as ArrayBuffer, frame.byteOffset, frame.length));

function nativeOptions(options: SocketOptions): Record<string, unknown> {
  const given: Record<string, unknown> = {
    sendHighWaterMark: options.sendHighWaterMark,
    receiveHighWaterMark: options.receiveHighWaterMark,
    routingId: options.identity === undefined ? undefined : String.fromCharCode(...options.identity),
    maxMessageSize: options.maxMessageSize ?? 2 ** 28,
    handshakeInterval: options.handshakeTimeoutMs,
    heartbeatInterval: options.heartbeatIntervalMs,
    heartbeatTimeout: options.heartbeatTimeoutMs,
    heartbeatTimeToLive: options.heartbeatTtlMs,
    reconnectInterval: options.reconnectInitialMs,
    reconnectMaxInterval: options.reconnectMaxMs,
    linger: options.lingerMs === Infinity ? -1 : options.lingerMs ?? 1000,
    ipv6: true,
  };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

/** What libzmq reports of a peer: its address, not its identity. */
function peerAt(remote: string, open: boolean): PeerInfo {
  return { remote, local: "", identity: new Uint8Array(0), open };
}

/** The package's name, in a variable, so that runtimes that scan the source for packages do not fetch one that they cannot use. */
const PACKAGE = "zeromq";

abstract class NativeBase implements Socket {
  protected socket: NativeSocket;
  readonly #make: () => NativeSocket;
  readonly #endpoints: string[] = [];
  /** The listeners, to be added again to the socket that {@link NativeBase.renew} makes. */
  readonly #watched: [event: string, listener: (event: { address?: string }) => void][] = [];
  /** The end of the last send: libzmq takes one at a time, the next ones wait for it. */
  #sending: Promise<void> = Promise.resolve();
  protected closed = false;

  constructor(make: () => NativeSocket) {
    this.#make = make;
    this.socket = make();
  }

  async bind(endpoint: string): Promise<string> {
    try {
      await this.socket.bind(endpoint);
    } catch (error) {
      const errno = codeOf(error) || "EIO";
      throw new SystemError(errno, `Cannot listen on ${endpoint}: ${errno}, ${messageOf(error)}`, { cause: error });
    }
    return this.socket.lastEndpoint ?? endpoint;
  }

  connect(endpoint: string): void {
    this.#endpoints.push(endpoint);
    this.socket.connect(endpoint);
  }

  onConnect(handler: (peer: PeerInfo) => void): void {
    this.#watch("handshake", (remote) => handler(peerAt(remote, true)));
  }

  onDisconnect(handler: (peer: PeerInfo, error: Error | undefined) => void): void {
    this.#watch("disconnect", (remote) => handler(peerAt(remote, false), undefined));
  }

  *peers(): Iterable<PeerInfo> {}

  #watch(event: string, handler: (remote: string) => void): void {
    const listener = ({ address }: { address?: string }) => handler(address ?? "");
    this.#watched.push([event, listener]);
    this.socket.events.on(event, listener);
  }

  async close(): Promise<void> {
    if (this.closed) return;
    this.closed = true;
    await this.#sending.catch(() => {});
    this.socket.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  protected queue(message: Message | Uint8Array): Promise<void> {
    const frames = framesOf(message);
    const sent = this.#sending.then(() => this.socket.send(frames));
    this.#sending = sent.catch(() => {});
    return sent;
  }

  /** Replaces the socket by a new one with the same connections. */
  protected renew(): void {
    this.socket.close();
    this.socket = this.#make();
    for (const [event, listener] of this.#watched) this.socket.events.on(event, listener);
    for (const endpoint of this.#endpoints) this.socket.connect(endpoint);
  }
}

abstract class NativeReceiver extends NativeBase implements Receiver {
  #receiving: Promise<unknown> = Promise.resolve();

  receive(): Promise<Message | undefined> {
    const received = this.#receiving.then(async () => {
      try {
        return plain(await this.socket.receive());
      } catch (error) {
        if (this.closed) return undefined;
        throw error;
      }
    });
    this.#receiving = received.catch(() => {});
    return received;
  }

  onMessage(handler: (message: Message) => void): void {
    void (async () => {
      for await (const message of this) handler(message);
    })();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Message> {
    for (let message = await this.receive(); message !== undefined; message = await this.receive()) yield message;
  }
}

class NativePub extends NativeBase implements Pub {
  send(message: Message | Uint8Array): void {
    // PUB never waits, so the queue never grows.
    this.queue(message).catch(() => {});
  }
}

class NativeSub extends NativeReceiver implements Sub {
  readonly introduces = false;
  introduce(): void {}
  subscribe(topic: Uint8Array | string): void {
    this.socket.subscribe(bytesOf(topic));
  }
  unsubscribe(topic: Uint8Array | string): void {
    this.socket.unsubscribe(bytesOf(topic));
  }
}

class NativePush extends NativeBase implements Push {
  send(message: Message | Uint8Array): Promise<void> {
    return this.queue(message);
  }
}

class NativePull extends NativeReceiver implements Pull {}

class NativeDealer extends NativeReceiver implements Dealer {
  send(message: Message | Uint8Array): Promise<void> {
    return this.queue(message);
  }
}

class NativeReq extends NativeBase implements Req {
  #last: Promise<unknown> = Promise.resolve();

  request(message: Message | Uint8Array, options: RequestOptions = {}): Promise<Message> {
    const { timeoutMs, signal } = options;
    const limits = [signal, timeoutMs === undefined ? undefined : AbortSignal.timeout(Math.ceil(timeoutMs))];
    const limit = AbortSignal.any(limits.filter((one) => one !== undefined));
    const reply = this.#last.then(() => this.#ask(framesOf(message), limit));
    this.#last = reply.catch(() => {});
    return reply.catch((error) => {
      if (signal?.aborted) throw signal.reason;
      if (limit.aborted) throw new TimeoutError(`No reply within ${timeoutMs} ms`);
      if (this.closed) throw new SaltError("CLOSED", "No reply: the REQ socket was closed");
      throw error;
    });
  }

  async #ask(frames: Message, limit: AbortSignal): Promise<Message> {
    limit.throwIfAborted();
    try {
      const asked = (async () => {
        await this.socket.send(frames);
        return plain(await this.socket.receive());
      })();
      return await abortable(asked, limit);
    } catch (error) {
      if (limit.aborted && !this.closed) this.renew();
      throw error;
    }
  }
}

class NativeRouter extends NativeBase implements Router {
  readonly #log: Logger;

  constructor(make: () => NativeSocket, log: Logger) {
    super(make);
    this.#log = log;
  }

  onMessage(handler: (peer: PeerHandle, frames: Message) => void): void {
    void (async () => {
      for (;;) {
        let frames: Message;
        try {
          frames = plain(await this.socket.receive());
        } catch (error) {
          if (!this.closed) this.#log.error("receiving failed", { error: messageOf(error) });
          return;
        }
        try {
          handler({ identity: frames[0]!, remote: "", local: "", open: true }, frames.slice(1));
        } catch (error) {
          this.#log.error("message handler failed", { error: messageOf(error) });
        }
      }
    })();
  }

  /** Always true: libzmq drops messages silently. */
  send(peer: PeerHandle | Uint8Array, message: Message | Uint8Array): boolean {
    this.queue([peer instanceof Uint8Array ? peer : peer.identity, ...framesOf(message)]).catch(() => {});
    return true;
  }
}

/** REP over libzmq's ROUTER, where requests run concurrently: libzmq's own REP takes one request at a time. */
class NativeRep extends NativeRouter implements Rep {
  serve(handler: Parameters<Rep["serve"]>[0]): void {
    this.onMessage(async (peer, frames) => {
      const body = frames.findIndex((frame) => frame.length === 0) + 1;
      let reply: Message;
      try {
        reply = framesOf(await handler(frames.slice(body), peer));
      } catch {
        reply = [new Uint8Array(0)];
      }
      this.send(peer, [...frames.slice(0, body), ...reply]);
    });
  }
}

/**
 * Loads npm's `zeromq` and wraps it.
 *
 * @param load returns the package; the caller knows on which runtime it runs
 * @example
 * ```ts
 * import { silentLogger } from "brine";
 * import { nativeSockets, type SocketFactory } from "brine/zmtp";
 *
 * export const libzmq = (): Promise<SocketFactory> => nativeSockets(silentLogger);
 * ```
 * @throws {SaltError} `NO_ZEROMQ` when the package is not installed
 */
export async function nativeSockets(
  log: Logger,
  load: () => Promise<unknown> = () => import(PACKAGE),
): Promise<SocketFactory> {
  let zmq: NativeModule;
  try {
    zmq = await load() as NativeModule;
  } catch (cause) {
    throw new SaltError("NO_ZEROMQ", `Cannot load "zeromq" (npm install zeromq): ${messageOf(cause)}`, { cause });
  }
  const make = (type: keyof NativeModule, options: SocketOptions = {}) => () => new zmq[type](nativeOptions(options));
  return {
    name: "libzmq",
    pub: (options) => new NativePub(make("Publisher", { maxMessageSize: MAX_RECEIVED, ...options })),
    sub: (options) => new NativeSub(make("Subscriber", options)),
    push: (options) => new NativePush(make("Push", options)),
    pull: (options) => new NativePull(make("Pull", options)),
    req: (options) => new NativeReq(make("Request", options)),
    rep: (options) => new NativeRep(make("Router", options), log),
    // libzmq has no bound for the messages of all peers together, so the bound for each peer is lower than with Brine's sockets.
    router: (options) => new NativeRouter(make("Router", { maxMessageSize: 2 ** 27, ...options }), log),
    dealer: (options) => new NativeDealer(make("Dealer", options)),
  };
}
