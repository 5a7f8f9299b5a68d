import type { Clock } from "../../base/async/clock.ts";
import type { BusState, BusWire } from "../../feature/cluster/bus.ts";
import { messageOf, SystemError } from "../../base/errors.ts";
import type { Logger } from "../../base/log.ts";
import { loadDriver } from "../driver.ts";
import type { ConsumerMessages, JetStreamModule, Nats, NatsConnection, StreamManager } from "./nats_types.ts";

const NEEDED_BY = "cluster: nats";
/** Bytes that wait to be written to the server; beyond it messages are dropped, and told to be missing. */
const MOST_WAITING = 2 ** 26;
/** What a stream keeps: longer than a master is cut off usually, and no more than a small disk has. */
const KEPT_MS = 600_000;
const KEPT_BYTES = 2 ** 28;
/** How long the server knows the ids of records, in milliseconds. */
const IDS_MS = 120_000;
/** Until the first connection, and for each question to the server, in milliseconds. */
const ANSWER_MS = 5000;
const NANOSECONDS = 1_000_000;
/** Bytes that a server has to take at once: messages are cut to what it takes, and each part has a head. */
const LEAST_PAYLOAD = 2 ** 16;
/**
 * Numbers of records that a stream may have for each second that it is old. A stream that was lost begins anew at 1: by adding when it was
 * made, numbers grow all the same.
 */
const PER_SECOND = 2 ** 20;

interface NatsOptions {
  /** `nats://user:password@host:4222`, one or more of a cluster of servers. */
  servers: readonly string[];
  /** The name of Brine's cluster, a part of every subject: letters, digits, `-` and `_`. */
  cluster: string;
  /** Paths of files in PEM; undefined: no TLS but where the server asks for it, or its address begins with `tls:`. */
  tls?: { ca?: string; cert?: string; key?: string };
  clock: Clock;
  log: Logger;
  /** Differs for each connection: what this master has sent itself it knows by it. */
  random: string;
}

/**
 * Carries a bus over NATS, with JetStream for streams. The connection is made again for ever; what it cannot send meanwhile is dropped.
 *
 * @throws {SystemError} naming the server: `ECONNREFUSED` or `ETIMEDOUT` if it cannot be used now, `EACCES`, `ETLS` or `ENOTSUP` if it
 * refuses the credentials, TLS fails, or it has no JetStream
 * @throws {ConfigError} if the packages `@nats-io/transport-node` and `@nats-io/jetstream` are not installed
 */
export async function openNatsWire(options: NatsOptions): Promise<BusWire> {
  const { connect } = await loadDriver("@nats-io/transport-node", NEEDED_BY) as Nats;
  const jetStream = await loadDriver("@nats-io/jetstream", NEEDED_BY) as JetStreamModule;
  const { servers, tls } = options;
  const place = servers.map(withoutPassword).join(", ");
  let connection: NatsConnection;
  try {
    connection = await connect({
      ...credentialsOf(servers),
      servers: servers.map((server) => hostOf(server)),
      name: `brine ${options.cluster}`,
      timeout: ANSWER_MS,
      maxReconnectAttempts: -1,
      reconnectTimeWait: 250,
      reconnectJitter: 100,
      pingInterval: 2000,
      maxPingOut: 2,
      ignoreAuthErrorAbort: true,
      ...tlsOf(servers, tls),
    });
  } catch (cause) {
    throw new SystemError(errnoOf(cause), `Cannot connect to ${place} (cluster: nats): ${messageOf(cause)}`, { cause });
  }
  if (!isPayload(connection.info?.max_payload)) {
    await connection.close();
    throw new SystemError(
      "ENOTSUP",
      `Cannot use ${place} (cluster: nats): it takes ${connection.info?.max_payload} bytes at once; set its max_payload to at least ` +
        `${LEAST_PAYLOAD}`,
    );
  }
  try {
    const manager = await jetStream.jetstreamManager(connection, { timeout: ANSWER_MS });
    return new NatsWire(options, place, connection, jetStream, manager);
  } catch (cause) {
    await connection.close();
    throw new SystemError(
      hasNoJetStream(cause) ? "ENOTSUP" : "ETIMEDOUT",
      `Cannot use JetStream at ${place} (start nats-server with -js, and give it a store_dir): ${messageOf(cause)}`,
      { cause },
    );
  }
}

/** Insists on TLS where it is asked for, whatever the server says of itself. */
function tlsOf(servers: readonly string[], tls: NatsOptions["tls"]): { tls?: Record<string, unknown> } {
  if (tls === undefined && !servers.some((server) => server.startsWith("tls:"))) return {};
  return { tls: { caFile: tls?.ca, certFile: tls?.cert, keyFile: tls?.key } };
}

const isPayload = (bytes: unknown): bytes is number =>
  Number.isSafeInteger(bytes) && (bytes as number) >= LEAST_PAYLOAD;

/** What keeps a connection from being made: something that passes, or the configuration. */
function errnoOf(cause: unknown): string {
  const text = `${(cause as { name?: unknown } | null)?.name}: ${messageOf(cause)}`;
  if (/authoriz|authentic|credential/i.test(text)) return "EACCES";
  return /tls|ssl|certificate|CERT_/i.test(text) ? "ETLS" : "ECONNREFUSED";
}

/** True if the server, or this user's account, has none; while its servers choose a leader, JetStream is only away. */
function hasNoJetStream(cause: unknown): boolean {
  const { name, code } = (cause ?? {}) as { name?: unknown; code?: unknown };
  return name === "JetStreamNotEnabled" || code === 10039 || code === 10076;
}

class NatsWire implements BusWire {
  readonly #options: NatsOptions;
  readonly #connection: NatsConnection;
  readonly #jetStream: JetStreamModule;
  readonly #manager: StreamManager;
  readonly #client;
  readonly #listeners = new Set<(state: BusState) => void>();
  readonly #following = new Set<() => void>();
  /** Stream → what is added to the numbers of the server, by when it was made. */
  readonly #bases = new Map<string, number>();
  #state: BusState;
  #waiting = 0;
  #written = 0;
  #flushing: Promise<void> | undefined;
  #closed = false;
  readonly place: string;

  constructor(
    options: NatsOptions,
    place: string,
    connection: NatsConnection,
    jetStream: JetStreamModule,
    manager: StreamManager,
  ) {
    this.#options = options;
    this.place = place;
    this.#connection = connection;
    this.#jetStream = jetStream;
    this.#manager = manager;
    this.#client = jetStream.jetstream(connection, { timeout: ANSWER_MS });
    this.#state = { connected: true, sinceMs: options.clock.elapsed() };
    void this.#watch();
  }

  get maxBytes(): number {
    const bytes = this.#connection.info?.max_payload;
    // One that takes less since then refuses what is too large for it.
    return isPayload(bytes) ? bytes : LEAST_PAYLOAD;
  }

  get state(): BusState {
    return this.#state;
  }

  onState(listener: (state: BusState) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  async #watch(): Promise<void> {
    for await (const { type } of this.#connection.status()) {
      if (type === "disconnect" || type === "staleConnection") this.#turn(false, "the connection was lost");
      if (type === "reconnect") this.#turn(true);
    }
  }

  #turn(connected: boolean, reason?: string): void {
    if (connected === this.#state.connected) return;
    const { log, clock } = this.#options;
    this.#state = { connected, sinceMs: clock.elapsed(), ...(reason === undefined ? {} : { reason }) };
    if (!this.#closed) {
      if (connected) log.info("connected to NATS again", { place: this.place });
      else log.error("connection to NATS lost: nothing can be published until it is back", { place: this.place });
    }
    // The stream may be another one by now: its number was looked up for the one before.
    this.#bases.clear();
    for (const listener of this.#listeners) listener(this.#state);
  }

  #subject(channel: string): string {
    return `brine.${this.#options.cluster}.${channel}`;
  }

  publish(channel: string, bytes: Uint8Array): boolean {
    if (!this.#state.connected || this.#waiting + bytes.length > MOST_WAITING) return false;
    this.#waiting += bytes.length;
    try {
      this.#connection.publish(`${this.#subject(channel)}.${this.#options.random}`, bytes);
    } catch {
      // Closing, or larger than the server takes since a moment ago.
      return false;
    }
    // What was written is known once the server has answered: a ping for all of a while.
    if (this.#flushing === undefined) void this.#acknowledge();
    return true;
  }

  async #acknowledge(): Promise<void> {
    while (this.#waiting > 0 && !this.#closed) {
      this.#written = this.#waiting;
      this.#flushing = this.#connection.flush().catch(() => {});
      await this.#flushing;
      this.#waiting -= this.#written;
    }
    this.#flushing = undefined;
  }

  subscribe(channel: string, handler: (bytes: Uint8Array) => void): () => void {
    const own = `.${this.#options.random}`;
    const subscription = this.#connection.subscribe(`${this.#subject(channel)}.*`, {
      callback: (error, message) => {
        if (error === null && !message.subject.endsWith(own)) handler(message.data);
      },
    });
    return () => subscription.unsubscribe();
  }

  async append(stream: string, bytes: Uint8Array, id: string, timeoutMs: number): Promise<number> {
    if (!this.#state.connected) throw this.#unreachable("ENOTCONN", this.#state.reason);
    try {
      const base = await this.#base(stream);
      const { seq, duplicate } = await this.#client.publish(this.#subject(`stream.${stream}`), bytes, {
        msgID: id,
        timeout: timeoutMs,
      });
      if (duplicate === true) await this.#assertSame(stream, seq, bytes);
      return base + seq;
    } catch (cause) {
      if (cause instanceof SystemError) throw cause;
      this.#bases.delete(stream);
      throw this.#unreachable("ETIMEDOUT", cause);
    }
  }

  /** Ids stand in clear, and whoever may write at the server can use one first. */
  async #assertSame(stream: string, seq: number, bytes: Uint8Array): Promise<void> {
    const there = (await this.#manager.streams.getMessage(this.#name(stream), { seq }))?.data;
    if (there?.length === bytes.length && there.every((byte, at) => byte === bytes[at])) return;
    throw new SystemError("EEXIST", `Cannot append to "${stream}" at ${this.place}: its id is that of another record`);
  }

  #unreachable(errno: string, why: unknown): SystemError {
    return new SystemError(errno, `Cannot reach ${this.place}: ${why instanceof Error ? messageOf(why) : why}`);
  }

  #name(stream: string): string {
    return `brine_${this.#options.cluster}_${stream}`;
  }

  /** Makes the stream if there is none, and finds what is added to its numbers. */
  async #base(stream: string): Promise<number> {
    const known = this.#bases.get(stream);
    if (known !== undefined) return known;
    const { created } = await this.#info(stream);
    const base = baseOf(created);
    this.#bases.set(stream, base);
    return base;
  }

  async #info(stream: string) {
    const name = this.#name(stream);
    try {
      return await this.#manager.streams.info(name);
    } catch (error) {
      if ((error as { code?: unknown }).code !== 10059 && !/not found/i.test(messageOf(error))) throw error;
    }
    try {
      return await this.#manager.streams.add({
        name,
        subjects: [this.#subject(`stream.${stream}`)],
        storage: "file",
        retention: "limits",
        discard: "old",
        max_age: KEPT_MS * NANOSECONDS,
        max_bytes: KEPT_BYTES,
        duplicate_window: IDS_MS * NANOSECONDS,
      });
    } catch (error) {
      // Another master has made it at the same time.
      if (!/already in use/i.test(messageOf(error))) throw error;
      return await this.#manager.streams.info(name);
    }
  }

  async last(stream: string): Promise<number> {
    try {
      const { created, state } = await this.#info(stream);
      return baseOf(created) + state.last_seq;
    } catch (cause) {
      throw this.#unreachable("ETIMEDOUT", cause);
    }
  }

  async follow(stream: string, reader: WireReader): Promise<() => void> {
    const follower = new Follower(stream, reader, {
      info: () => this.#info(stream),
      consume: async (after) => {
        const consumer = await this.#client.consumers.get(this.#name(stream), {
          deliver_policy: this.#jetStream.DeliverPolicy.StartSequence,
          opt_start_seq: after + 1,
        });
        return await consumer.consume({ idle_heartbeat: 1000, expires: 10_000, max_messages: 1000 });
      },
      ...this.#options,
    });
    try {
      await follower.begin();
    } catch (cause) {
      throw this.#unreachable("ETIMEDOUT", cause);
    }
    const stop = () => follower.stop();
    this.#following.add(stop);
    return () => {
      this.#following.delete(stop);
      stop();
    };
  }

  async flush(): Promise<void> {
    if (this.#state.connected && !this.#closed) await this.#connection.flush().catch(() => {});
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    for (const stop of this.#following) stop();
    await this.#connection.close();
    this.#turn(false, "closed");
  }
}

/** Who reads a stream, by the numbers of the wire. */
type WireReader = Parameters<BusWire["follow"]>[1];

interface FollowerParts {
  info(): Promise<{ created: string; state: { last_seq: number } }>;
  consume(after: number): Promise<ConsumerMessages>;
  clock: Clock;
  log: Logger;
}

/** Reads one stream, beginning anew where it was whenever the server or the connection has gone. */
class Follower {
  readonly #stream: string;
  readonly #reader: WireReader;
  readonly #parts: FollowerParts;
  #base = 0;
  /** The last number of the server that was read. */
  #at = 0;
  #messages: ConsumerMessages | undefined;
  #stopped = false;

  constructor(stream: string, reader: WireReader, parts: FollowerParts) {
    this.#stream = stream;
    this.#reader = reader;
    this.#parts = parts;
  }

  async begin(): Promise<void> {
    const { created, state } = await this.#parts.info();
    this.#base = baseOf(created);
    this.#at = state.last_seq;
    this.#messages = await this.#parts.consume(this.#at);
    void this.#run();
  }

  stop(): void {
    this.#stopped = true;
    void this.#messages?.close();
  }

  async #run(): Promise<void> {
    const { clock, log } = this.#parts;
    while (!this.#stopped) {
      try {
        if (this.#messages === undefined) {
          await this.#find();
          this.#messages = await this.#parts.consume(this.#at);
        }
        void this.#watch(this.#messages);
        for await (const { seq, data } of this.#messages) {
          if (this.#stopped) return;
          if (seq > this.#at + 1) this.#reader.missed(seq - this.#at - 1);
          // Repeated, since the reading was begun again.
          if (seq <= this.#at) continue;
          this.#at = seq;
          this.#reader.record(this.#base + seq, data);
        }
      } catch (error) {
        log.debug("stream is read again", { stream: this.#stream, error: messageOf(error) });
      }
      this.#messages = undefined;
      if (!this.#stopped) await clock.sleep(250);
    }
  }

  /** Ends the reading where the server says that it is not the same stream any more. */
  async #watch(messages: ConsumerMessages): Promise<void> {
    for await (const { type } of messages.status()) {
      if (type === "stream_not_found" || type === "consumer_deleted") return void await messages.close();
      // The server was restarted: its stream may be a new one.
      if (type === "heartbeats_missed" || type === "consumer_not_found") return void await messages.close();
    }
  }

  /** The stream as it is now; one that was made anew is read from its begin. */
  async #find(): Promise<void> {
    const { created, state } = await this.#parts.info();
    const base = baseOf(created);
    if (base === this.#base && state.last_seq >= this.#at) return;
    this.#parts.log.warning("the stream at NATS was created again: unread records are lost", {
      stream: this.#stream,
    });
    this.#base = base;
    this.#at = 0;
    this.#reader.missed(1);
  }
}

/** What is added to the numbers of a stream. @param created `2026-11-23T13:23:23.388Z` */
function baseOf(created: string): number {
  return Math.floor(Date.parse(created) / 1000) * PER_SECOND;
}

function hostOf(server: string): string {
  const url = new URL(server);
  return `${url.protocol}//${url.host}`;
}

/** User and password of the first server that has them: all servers of a cluster take the same. */
function credentialsOf(servers: readonly string[]): { user?: string; pass?: string } {
  for (const server of servers) {
    const { username, password } = new URL(server);
    if (username === "") continue;
    return { user: decodeURIComponent(username), pass: decodeURIComponent(password) };
  }
  return {};
}

function withoutPassword(server: string): string {
  return hostOf(server);
}
