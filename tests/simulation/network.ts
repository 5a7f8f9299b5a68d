/** The network of a simulated world: hosts, connections between them, and all that befalls these. */
import { SystemError } from "../../src/base/errors.ts";
import {
  type Connection,
  type ConnectionHandlers,
  type DialOptions,
  type Listener,
  type ListenOptions,
  type Net,
  printAddress,
  type SocketAddress,
} from "../../src/runtime/net.ts";
import { MessageCutter } from "./message_cutter.ts";
import type { Life, World } from "./world.ts";

/** What the network does to whole messages of minions and masters, and how long it takes. Probabilities of 0 to 1. */
export interface Weather {
  /** Milliseconds that bytes are on their way, at most. */
  delayMs: number;
  /** A message never arrives. */
  lose: number;
  /** A message arrives twice. */
  repeat: number;
  /** A message arrives after the next one. */
  swap: number;
  /** The connection breaks in a message's place. */
  reset: number;
}

export const FAIR: Weather = { delayMs: 5, lose: 0, repeat: 0, swap: 0, reset: 0 };

/** Bytes under way in one direction at which `write` returns false. */
const HIGH_WATER = 65_536;
/** How long a sender waits for a host that does not acknowledge, as Linux does within a factor of two. */
const GIVE_UP_MS = 60_000;
/** After this long a silent connection to a host without power is found dead: TCP's keep-alive. */
const KEEP_ALIVE_MS = 375_000;
/** Between hosts, bytes take a while even in fair weather; on one host they do not. */
const LOCAL_DELAY_MS = 0.2;

type Item = Uint8Array | "end" | "reset";

/** One end of a connection. */
class End implements Connection {
  readonly remote: string;
  readonly local: string;
  readonly life: Life;
  readonly #network: Network;
  other!: End;
  #handlers: ConnectionHandlers | undefined;
  /** What has arrived and was not handed over yet. */
  #arrived: Uint8Array[] = [];
  #paused = false;
  #ended = false;
  #peerEnded = false;
  #closed = false;
  #planned = false;
  #full = false;
  #error: Error | undefined;
  /** Bytes that the other end has not taken. */
  buffered = 0;
  /** When the last item that was sent arrives: what is sent later is not sooner there. */
  lastArrival = 0;
  /** What waits for a partition to end. */
  held: Item[] = [];
  cutter: MessageCutter | undefined;

  constructor(network: Network, life: Life, local: string, remote: string) {
    this.#network = network;
    this.life = life;
    this.local = local;
    this.remote = remote;
  }

  get isTcp(): boolean {
    return this.remote.startsWith("tcp");
  }

  get closed(): boolean {
    return this.#closed;
  }

  start(handlers: ConnectionHandlers): void {
    this.#handlers = handlers;
    this.#plan();
  }

  detach(): void {
    this.#handlers = undefined;
  }

  write(chunk: Uint8Array): boolean {
    if (this.#ended || this.#closed || chunk.length === 0) return true;
    this.buffered += chunk.length;
    this.#network.carry(this, chunk.slice());
    if (this.buffered < HIGH_WATER) return true;
    this.#full = true;
    return false;
  }

  pause(): void {
    this.#paused = true;
  }

  resume(): void {
    this.#paused = false;
    this.#plan();
  }

  end(): void {
    if (this.#ended || this.#closed) return;
    this.#ended = true;
    this.#paused = false;
    this.#network.carry(this, "end");
  }

  destroy(): void {
    if (this.#closed) return;
    this.#network.carry(this, "reset");
    this.#close();
  }

  /** The process is gone: nobody is told here. */
  vanish(): void {
    this.#closed = true;
    this.#handlers = undefined;
    this.#arrived = [];
    this.held = [];
  }

  break(error?: Error): void {
    if (this.#closed) return;
    this.#error = error;
    this.#close();
  }

  /** Something has come from the other end. */
  receive(item: Item): void {
    if (item === "reset") {
      this.break(new SystemError("ECONNRESET", `The connection with ${this.remote} was reset`, {}));
      return;
    }
    if (this.#closed) {
      // A host that knows no such connection says so.
      if (item !== "end") this.#network.carry(this, "reset");
      return;
    }
    if (item === "end") this.#peerEnded = true;
    else this.#arrived.push(item);
    this.#plan();
  }

  /** Bytes have been taken by the other end. */
  taken(bytes: number): void {
    this.buffered -= bytes;
    if (!this.#full || this.buffered > 0) return;
    this.#full = false;
    this.#network.world.later(this.life, () => {
      if (!this.#closed) this.#handlers?.onDrain?.();
    });
  }

  #plan(): void {
    if (this.#planned || this.#closed || this.#handlers === undefined) return;
    this.#planned = true;
    this.#network.world.later(this.life, () => {
      this.#planned = false;
      this.#turn();
    });
  }

  #turn(): void {
    const handlers = this.#handlers;
    if (handlers === undefined || this.#closed) return;
    while (this.#arrived.length > 0 && !this.#paused && !this.#closed && this.#handlers === handlers) {
      const chunk = this.#arrived.shift()!;
      this.other.taken(chunk.length);
      handlers.onData(chunk);
    }
    if (this.#closed || this.#arrived.length > 0 || !this.#peerEnded || this.#paused || this.#handlers !== handlers) {
      return;
    }
    // As with TCP without half-open connections.
    if (!this.#ended) this.end();
    this.#close();
  }

  #close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#arrived = [];
    this.held = [];
    this.#network.forget(this);
    const handlers = this.#handlers;
    this.#network.world.later(this.life, () => handlers?.onClose(this.#error));
  }
}

interface Listening {
  life: Life;
  address: SocketAddress;
  accept(connection: Connection): void;
}

/** A partition is a pair of hosts that do not reach each other. */
const pairOf = (a: string, b: string) => a < b ? `${a} ${b}` : `${b} ${a}`;

/**
 * All hosts and the connections between them. A host `m1` has the name `m1` and no other address; on every host `127.0.0.1` is
 * itself.
 */
export class Network {
  readonly world: World;
  weather: Weather = FAIR;
  readonly #listening = new Map<string, Listening>();
  readonly #ends = new Set<End>();
  readonly #cut = new Set<string>();
  /** Hosts without power. */
  readonly #dark = new Set<string>();
  #nextPort = 49_152;

  constructor(world: World) {
    this.world = world;
  }

  /** The network as one process sees it. */
  of(life: Life): Net {
    return {
      dial: (to, options) => this.#dial(life, to, options),
      listen: (at, accept, options) => this.#listen(life, at, accept, options),
      datagram: ({ host }) => Promise.reject(new SystemError("ENOTSUP", `No datagrams to ${host} here`, {})),
    };
  }

  /** A process was killed: its host resets its connections. */
  killed(life: Life): void {
    this.#drop(life, true);
  }

  /** A host has lost its power: the other ends learn nothing of it. */
  darkened(life: Life): void {
    this.#dark.add(life.host);
    this.#drop(life, false);
  }

  lightened(host: string): void {
    this.#dark.delete(host);
  }

  #drop(life: Life, told: boolean): void {
    for (const [key, one] of this.#listening) if (one.life === life) this.#listening.delete(key);
    for (const end of [...this.#ends]) {
      if (end.life !== life) continue;
      if (told) this.carry(end, "reset");
      else if (end.other.life !== life) {
        this.world.after(KEEP_ALIVE_MS, end.other.life, () => this.#timedOut(end.other));
      }
      this.#ends.delete(end);
      end.vanish();
    }
  }

  #timedOut(end: End): void {
    end.break(new SystemError("ETIMEDOUT", `The connection with ${end.remote} timed out`, {}));
  }

  partition(a: string, b: string): void {
    this.#cut.add(pairOf(a, b));
  }

  /** Ends a partition: what was held arrives, unless a sender has given up. */
  heal(a: string, b: string): void {
    this.#cut.delete(pairOf(a, b));
    for (const end of [...this.#ends]) {
      if (this.#apart(end.life.host, end.other.life.host)) continue;
      const held = end.held;
      end.held = [];
      for (const item of held) this.#send(end, item);
    }
  }

  healAll(): void {
    for (const pair of [...this.#cut]) this.heal(...pair.split(" ") as [string, string]);
  }

  #apart(a: string, b: string): boolean {
    return this.#cut.has(pairOf(a, b));
  }

  /** Sends something from one end towards the other. */
  carry(end: End, item: Item): void {
    const { world, weather } = this;
    if (item instanceof Uint8Array && end.isTcp && end.life.host !== end.other.life.host) {
      end.cutter ??= new MessageCutter();
      for (const piece of end.cutter.cut(item)) {
        const { lose, repeat, swap, reset } = piece.message ? weather : FAIR;
        if (reset > 0 && world.chance(reset)) {
          this.#send(end, "reset");
          end.break(new SystemError("ECONNRESET", `The connection with ${end.remote} was reset`, {}));
          return;
        }
        if (lose > 0 && world.chance(lose)) {
          end.taken(piece.bytes.length);
          continue;
        }
        if (swap > 0 && end.cutter.kept === undefined && world.chance(swap)) {
          end.cutter.kept = piece.bytes;
          continue;
        }
        this.#send(end, piece.bytes);
        if (repeat > 0 && world.chance(repeat)) {
          end.buffered += piece.bytes.length;
          this.#send(end, piece.bytes);
        }
        if (end.cutter.kept !== undefined) {
          this.#send(end, end.cutter.kept);
          end.cutter.kept = undefined;
        }
      }
      return;
    }
    this.#send(end, item);
  }

  #send(end: End, item: Item): void {
    const { world } = this;
    const [from, to] = [end.life.host, end.other.life.host];
    if (this.#apart(from, to) || this.#dark.has(to)) {
      if (end.held.length === 0) {
        world.after(GIVE_UP_MS, end.life, () => {
          if (end.held.length > 0 && end.held[0] === item) this.#timedOut(end);
        });
      }
      end.held.push(item);
      return;
    }
    const delay = from === to ? LOCAL_DELAY_MS : this.weather.delayMs;
    const at = Math.max(end.lastArrival, world.now + world.random() * delay);
    end.lastArrival = at;
    world.after(at - world.now, undefined, () => {
      // It was on its way when they were cut apart.
      if (this.#apart(from, to)) return void end.held.push(item);
      if (this.#dark.has(to)) return;
      if (end.other.life.alive) end.other.receive(item);
      else if (item !== "reset" && end.life.alive) end.receive("reset");
    });
  }

  forget(end: End): void {
    this.#ends.delete(end);
  }

  #dial(life: Life, to: SocketAddress, options: DialOptions = {}): Promise<Connection> {
    const { signal, timeoutMs = 30_000, prepare } = options;
    const { world } = this;
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      let over = false;
      const end = (how: () => void) => {
        if (over) return;
        over = true;
        cancel();
        signal?.removeEventListener("abort", onAbort);
        how();
      };
      const refused = (errno: string) =>
        end(() => reject(new SystemError(errno, `Cannot connect to ${printAddress(to)}: ${errno}`, { address: to })));
      const onAbort = () => end(() => reject(signal!.reason));
      const cancel = world.after(timeoutMs, life, () => refused("ETIMEDOUT"));
      signal?.addEventListener("abort", onAbort, { once: true });
      const target = hostOf(to, life.host);
      const delay = target === life.host ? LOCAL_DELAY_MS : this.weather.delayMs;
      world.after(world.random() * delay, life, () => {
        // Nothing comes back from there: the timeout ends it.
        if (over || this.#apart(life.host, target) || this.#dark.has(target)) return;
        const listener = this.#listening.get(keyOf(to, target)) ?? this.#listening.get(keyOf(anyHost(to), target));
        if (listener === undefined || !listener.life.alive) {
          return refused(to.kind === "unix" ? "ENOENT" : "ECONNREFUSED");
        }
        const from = to.kind === "unix"
          ? printAddress(to)
          : printAddress({ kind: "tcp", host: life.host, port: options.local?.port || this.#nextPort++ });
        const near = new End(this, life, from, printAddress(to));
        const far = new End(this, listener.life, printAddress(to), from);
        near.other = far;
        far.other = near;
        this.#ends.add(near).add(far);
        world.later(listener.life, () => listener.accept(far));
        if (prepare === undefined) return end(() => resolve(near));
        prepare(near, signal ?? new AbortController().signal).then(() => {
          near.detach();
          end(() => resolve(near));
        }, (error) => {
          near.destroy();
          end(() => reject(error));
        });
      });
    });
  }

  #listen(
    life: Life,
    at: SocketAddress,
    accept: (connection: Connection) => void,
    { tls }: ListenOptions = {},
  ): Promise<Listener> {
    if (tls !== undefined) return Promise.reject(new SystemError("ENOTSUP", "No TLS here", {}));
    const address = at.kind === "tcp" && at.port === 0 ? { ...at, port: this.#nextPort++ } : at;
    const key = keyOf(address, life.host);
    if (this.#listening.get(key)?.life.alive) {
      return Promise.reject(new SystemError("EADDRINUSE", `Cannot listen on ${printAddress(at)}`, { address: at }));
    }
    const listening = { life, address, accept };
    this.#listening.set(key, listening);
    return Promise.resolve({
      address,
      close: () => {
        if (this.#listening.get(key) === listening) this.#listening.delete(key);
        return Promise.resolve();
      },
    });
  }
}

const ITSELF = new Set(["127.0.0.1", "localhost", "::1"]);

function hostOf(to: SocketAddress, self: string): string {
  return to.kind === "unix" || ITSELF.has(to.host) ? self : to.host;
}

function anyHost(to: SocketAddress): SocketAddress {
  return to.kind === "unix" ? to : { ...to, host: "0.0.0.0" };
}

/** On one host, all names of that host are one. */
function keyOf(address: SocketAddress, host: string): string {
  return address.kind === "unix" ? `${host} ${address.path}` : `${host} ${address.port}`;
}
