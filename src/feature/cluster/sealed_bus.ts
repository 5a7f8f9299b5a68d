import type { Clock } from "../../base/async/clock.ts";
import { hex } from "../../protocol/crypto/hex.ts";
import { codeOf, messageOf, SystemError } from "../../base/errors.ts";
import type { Logger } from "../../base/log.ts";
import { decode, encode } from "../../protocol/wire/msgpack.ts";
import type { Bus, BusCounts, BusMessage, BusState, BusWire, StreamReader } from "./bus.ts";
import type { ClusterKey } from "./cluster_key.ts";
import { type BusFrame, FRAME_ROOM, FrameParts, frameParts, openFrame, sealFrame } from "./sealed_frame.ts";
import { SenderGuard } from "./sender_guard.ts";

/** The channel that all masters of a cluster read. */
const ALL = "all";
/** The size in bytes at which the messages of one turn of the loop are sent without waiting for its end. */
const BATCH_BYTES = 2 ** 18;
/** How often a master reports how many messages it has sent, in milliseconds: a loss of the last message is noticed after this time. */
const BEAT_MS = 1000;
/** The most bytes of one message or record, which is sent in parts: the largest event of the bus. */
const MAX_BYTES = 2 ** 27;
/** The most records, and the most bytes, that wait to be appended. */
const MAX_APPENDS = 10_000;
const APPEND_BYTES = 2 ** 28;
/** The time between two attempts to append, in milliseconds. */
const AGAIN_MS = 250;
/** The least time between two log lines about refused messages, in milliseconds. */
const SAY_AGAIN_MS = 60_000;

interface BusOptions {
  wire: BusWire;
  key: ClusterKey;
  /** The name of this master process, never used by another one: its messages are numbered from 1. */
  name: string;
  clock: Clock;
  log: Logger;
  /** Calls back in the next turn of the event loop. */
  later(callback: () => void): void;
}

/** Opens a bus over a wire. The bus closes the wire when it is closed. */
export function openBus(options: BusOptions): Bus {
  return new SealedBus(options);
}

/** Messages that wait for the end of this turn. */
interface Batch {
  items: [string, Uint8Array][];
  size: number;
}

class SealedBus implements Bus {
  readonly #options: BusOptions;
  readonly #crypticle;
  readonly #guard: SenderGuard;
  readonly #parts: FrameParts;
  readonly #handlers = new Map<string, Set<(message: BusMessage) => void>>();
  readonly #missedHandlers = new Set<(sender: string, count: number) => void>();
  readonly #batches = new Map<string, Batch>();
  /** The number of frames and messages sent to each channel, and of records to each stream, under the current name. */
  #sent = new Map<string, { frames: number; messages: number }>();
  /** Sender → the number of messages to all masters that it had sent, by its last message. */
  readonly #heard = new Map<string, number>();
  readonly #appends = new Map<string, Promise<unknown>>();
  #appending = { records: 0, bytes: 0 };
  #name: string;
  #offOwn: () => void;
  readonly #offAll: () => void;
  #stopBeat: () => void = () => {};
  #saidAt = -Infinity;
  #closed = false;
  readonly counts: BusCounts = { foreign: 0, replayed: 0, missed: 0, dropped: 0 };

  constructor(options: BusOptions) {
    this.#options = options;
    this.#name = options.name;
    this.#crypticle = options.key.crypticle("bus");
    this.#guard = new SenderGuard(options.clock.now());
    this.#parts = new FrameParts(MAX_BYTES, () => options.clock.elapsed());
    this.#offAll = options.wire.subscribe(ALL, (bytes) => this.#receive(ALL, bytes));
    this.#offOwn = this.#listen();
    this.#beat();
  }

  get place(): string {
    return this.#options.wire.place;
  }

  get name(): string {
    return this.#name;
  }

  get state(): BusState {
    return this.#options.wire.state;
  }

  onState(listener: (state: BusState) => void): () => void {
    return this.#options.wire.onState(listener);
  }

  rename(name: string): void {
    this.#flushAll();
    this.#offOwn();
    this.#name = name;
    this.#sent = new Map();
    this.#offOwn = this.#listen();
  }

  #listen(): () => void {
    const channel = channelOf(this.#name);
    return this.#options.wire.subscribe(channel, (bytes) => this.#receive(channel, bytes));
  }

  #beat(): void {
    this.#stopBeat = this.#options.clock.after(BEAT_MS, () => {
      if (this.#closed) return;
      this.#flush(ALL, true);
      this.#beat();
    });
  }

  send(subject: string, bytes: Uint8Array, to?: string): void {
    if (this.#closed) return;
    const channel = to === undefined ? ALL : channelOf(to);
    let batch = this.#batches.get(channel);
    if (batch === undefined) {
      this.#batches.set(channel, batch = { items: [], size: 0 });
      this.#options.later(() => this.#flush(channel));
    }
    batch.items.push([subject, bytes]);
    batch.size += bytes.length;
    if (batch.size >= BATCH_BYTES) this.#flush(channel);
  }

  #flushAll(): void {
    for (const channel of [...this.#batches.keys()]) this.#flush(channel);
  }

  /** Sends the waiting messages of a channel as one. @param always sends also if there are none, so that others notice lost messages */
  #flush(channel: string, always = false): void {
    const batch = this.#batches.get(channel);
    this.#batches.delete(channel);
    if (batch === undefined && !always || this.#closed) return;
    const { items = [], size = 0 } = batch ?? {};
    const { wire } = this.#options;
    const sent = this.#count(channel);
    const before = sent.messages;
    sent.messages += items.length;
    const drop = () => this.counts.dropped += items.length;
    // Messages that cannot be sent are not sealed. Others see by the number of the next message that some are missing.
    if (!wire.state.connected || size > MAX_BYTES) return void drop();
    const parts = frameParts(encode(items, "bin"), wire.maxBytes - FRAME_ROOM);
    for (const [part, bytes] of parts.entries()) {
      const frame = this.#frame(channel, { before, part, parts: parts.length, bytes });
      if (!wire.publish(channel, sealFrame(this.#crypticle, frame))) return void drop();
    }
  }

  #count(place: string): { frames: number; messages: number } {
    let sent = this.#sent.get(place);
    if (sent === undefined) this.#sent.set(place, sent = { frames: 0, messages: 0 });
    return sent;
  }

  #frame(place: string, content: Pick<BusFrame, "before" | "part" | "parts" | "bytes">): BusFrame {
    const number = ++this.#count(place).frames;
    return { sender: this.#name, place, number, atMs: this.#options.clock.now(), ...content };
  }

  on(subject: string, handler: (message: BusMessage) => void): () => void {
    const handlers = this.#handlers.get(subject) ?? new Set();
    this.#handlers.set(subject, handlers.add(handler));
    return () => void handlers.delete(handler);
  }

  onMissed(handler: (sender: string, count: number) => void): () => void {
    this.#missedHandlers.add(handler);
    return () => void this.#missedHandlers.delete(handler);
  }

  /** Opens a frame and checks that it was not received before; undefined if it is refused. */
  #admitted(place: string, sealed: Uint8Array): BusFrame | undefined {
    let frame: BusFrame;
    try {
      frame = openFrame(this.#crypticle, sealed);
      if (frame.place !== place) throw new SyntaxError("It was made for another place");
    } catch (error) {
      this.counts.foreign++;
      this.#say(
        "message on the cluster's bus refused: it is not from a master with this master.pem and cluster name",
        error,
      );
      return undefined;
    }
    if (this.#guard.admit(frame.sender, place, frame.number, frame.atMs)) return frame;
    this.counts.replayed++;
    if (frame.sender !== this.#name) {
      this.#say(
        "message on the cluster's bus refused: received before, or the clocks of the masters differ",
        frame.sender,
      );
    }
    return undefined;
  }

  #say(message: string, why: unknown): void {
    const { clock, log, wire } = this.#options;
    if (clock.elapsed() - this.#saidAt < SAY_AGAIN_MS) return;
    this.#saidAt = clock.elapsed();
    const reason = why instanceof Error ? { reason: messageOf(why) } : { sender: why };
    log.warning(message, { place: wire.place, ...reason, ...this.counts });
  }

  #receive(channel: string, sealed: Uint8Array): void {
    if (this.#closed) return;
    const frame = this.#admitted(channel, sealed);
    if (frame === undefined || frame.sender === this.#name) return;
    const content = this.#parts.add(frame);
    if (content === undefined) return;
    const items = decode(content, { mode: "bin" }) as [string, Uint8Array][];
    if (channel === ALL) this.#followCount(frame, items.length);
    for (const [subject, bytes] of items) {
      for (const handler of this.#handlers.get(subject) ?? []) {
        this.#guarded(() => handler({ sender: frame.sender, subject, bytes }));
      }
    }
  }

  #followCount({ sender, before }: BusFrame, count: number): void {
    const heard = this.#heard.get(sender);
    this.#heard.delete(sender);
    this.#heard.set(sender, before + count);
    if (this.#heard.size > 256) this.#heard.delete(this.#heard.keys().next().value!);
    if (heard === undefined || before <= heard) return;
    this.counts.missed += before - heard;
    for (const handler of this.#missedHandlers) this.#guarded(() => handler(sender, before - heard));
  }

  #guarded(call: () => void): void {
    try {
      call();
    } catch (error) {
      this.#options.log.error("message of another master could not be handled", { error: messageOf(error) });
    }
  }

  async append(stream: string, bytes: Uint8Array, timeoutMs = 5000): Promise<number> {
    const waiting = this.#appending;
    if (waiting.records >= MAX_APPENDS || waiting.bytes + bytes.length > APPEND_BYTES) {
      throw new SystemError(
        "EAGAIN",
        `Cannot append to "${stream}" at ${this.place}: ${waiting.records} records are already waiting`,
      );
    }
    const until = this.#options.clock.elapsed() + timeoutMs;
    waiting.records++;
    waiting.bytes += bytes.length;
    // Records are appended one after the other: a record that has to be sent again must keep its order.
    const before = this.#appends.get(stream) ?? Promise.resolve();
    const appended = before.then(() => this.#append(stream, bytes, until));
    this.#appends.set(stream, appended.catch(() => {}));
    try {
      return await appended;
    } finally {
      waiting.records--;
      waiting.bytes -= bytes.length;
    }
  }

  async #append(stream: string, bytes: Uint8Array, until: number): Promise<number> {
    const { wire } = this.#options;
    const place = `stream ${stream}`;
    const sent = this.#count(place);
    const before = sent.messages++;
    const parts = frameParts(bytes, wire.maxBytes - FRAME_ROOM);
    let seq = 0;
    for (const [part, piece] of parts.entries()) {
      seq = await this.#appendFrame(
        stream,
        this.#frame(place, { before, part, parts: parts.length, bytes: piece }),
        until,
      );
    }
    return seq;
  }

  /** Appends a frame, with retries until the server has it. The server stores it once, by its id. */
  async #appendFrame(stream: string, frame: BusFrame, until: number): Promise<number> {
    const { wire, clock } = this.#options;
    let sealed = sealFrame(this.#crypticle, frame);
    for (let failure: unknown;;) {
      const left = until - clock.elapsed();
      if (left <= 0 || this.#closed) {
        const why = failure === undefined ? wire.state.reason ?? "others wait before it" : messageOf(failure);
        throw new SystemError("ETIMEDOUT", `Cannot append to "${stream}" at ${wire.place} in time: ${why}`, {
          cause: failure,
        });
      }
      try {
        return await wire.append(stream, sealed, idOf(sealed), Math.min(left, 2000));
      } catch (error) {
        if (!["ETIMEDOUT", "ENOTCONN", "EEXIST"].includes(codeOf(error))) throw error;
        failure = error;
        // Somebody who had seen the id has appended another record with it: a new seal gives a new id.
        if (codeOf(error) === "EEXIST") sealed = sealFrame(this.#crypticle, frame);
        await clock.sleep(Math.min(AGAIN_MS, Math.max(0, until - clock.elapsed())));
      }
    }
  }

  async follow(stream: string, reader: StreamReader): Promise<() => void> {
    const place = `stream ${stream}`;
    return await this.#options.wire.follow(stream, {
      record: (seq, sealed) => {
        if (this.#closed) return;
        const frame = this.#admitted(place, sealed);
        const bytes = frame && this.#parts.add(frame);
        if (bytes === undefined) return;
        const { sender, atMs } = frame!;
        this.#guarded(() => reader.record({ seq, sender, atMs, bytes }));
      },
      missed: (count) => reader.missed(count),
    });
  }

  last(stream: string): Promise<number> {
    return this.#options.wire.last(stream);
  }

  async flush(): Promise<void> {
    this.#flushAll();
    await this.#options.wire.flush();
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#flushAll();
    this.#closed = true;
    this.#stopBeat();
    this.#offAll();
    this.#offOwn();
    await this.#options.wire.flush().catch(() => {});
    await this.#options.wire.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

/** The id of a record, taken from its seal: nobody can know it before the record is sent, and use it for another record. */
function idOf(sealed: Uint8Array): string {
  return hex(sealed.subarray(-16));
}

function channelOf(name: string): string {
  return `to_${name.replace(/[^A-Za-z0-9]/g, (other) => `_${other.charCodeAt(0).toString(16)}_`)}`;
}
