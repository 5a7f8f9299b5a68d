import type { Clock } from "../../base/async/clock.ts";
import { SystemError } from "../../base/errors.ts";
import type { BusState, BusWire } from "./bus.ts";

/** The most records that a stream keeps. */
const MAX_RECORDS = 10_000;

interface Stream {
  last: number;
  records: Map<number, Uint8Array>;
  ids: Map<string, number>;
  /** Functions to call when there is a new record. */
  readers: Set<() => void>;
}

/** A server for buses within one process: the reference implementation of {@link BusWire}. Its wires can be cut and restored. */
export class MemoryBroker {
  readonly #clock: Clock;
  readonly #wires = new Set<MemoryWire>();
  readonly #streams = new Map<string, Stream>();
  /** All published and appended bytes, as an attacker at the server would see them. */
  readonly seen: { channel?: string; stream?: string; bytes: Uint8Array }[] = [];
  /** The most bytes that a wire takes in one call. */
  readonly maxBytes: number;

  constructor(clock: Clock, { maxBytes = 2 ** 20 }: { maxBytes?: number } = {}) {
    this.#clock = clock;
    this.maxBytes = maxBytes;
  }

  wire(): BusWire {
    const wire = new MemoryWire(this, this.#clock);
    this.#wires.add(wire);
    return wire;
  }

  /** Cuts a wire off: messages that are sent to it meanwhile are lost, records of streams are not. */
  cut(wire: BusWire): void {
    (wire as MemoryWire).turn(false, "cut off");
  }

  mend(wire: BusWire): void {
    (wire as MemoryWire).turn(true);
  }

  /** Writes like an attacker with access to the server. */
  publish(channel: string, bytes: Uint8Array, from?: BusWire): void {
    this.seen.push({ channel, bytes });
    for (const wire of this.#wires) if (wire !== from) wire.deliver(channel, bytes);
  }

  /** Writes like an attacker with access to the server. */
  append(name: string, bytes: Uint8Array, id: string): number {
    const stream = this.stream(name);
    const known = stream.ids.get(id);
    if (known !== undefined) {
      const there = stream.records.get(known);
      if (there?.length === bytes.length && there.every((byte, at) => byte === bytes[at])) return known;
      throw new SystemError("EEXIST", `Cannot append to "${name}": the id "${id}" belongs to another record`);
    }
    this.seen.push({ stream: name, bytes });
    stream.records.set(++stream.last, bytes);
    stream.ids.set(id, stream.last);
    if (stream.records.size > MAX_RECORDS) stream.records.delete(stream.records.keys().next().value!);
    if (stream.ids.size > MAX_RECORDS) stream.ids.delete(stream.ids.keys().next().value!);
    for (const wake of stream.readers) wake();
    return stream.last;
  }

  /** Removes records of a stream, as age does. */
  drop(name: string): void {
    this.stream(name).records.clear();
  }

  /** Restarts a stream with lower numbers, like a server that lost the stream after a wrong clock. */
  remake(name: string): void {
    const stream = this.stream(name);
    stream.last = 0;
    stream.records.clear();
    stream.ids.clear();
    for (const wake of stream.readers) wake();
  }

  stream(name: string): Stream {
    let stream = this.#streams.get(name);
    if (stream === undefined) {
      this.#streams.set(name, stream = { last: 0, records: new Map(), ids: new Map(), readers: new Set() });
    }
    return stream;
  }

  leave(wire: MemoryWire): void {
    this.#wires.delete(wire);
  }
}

class MemoryWire implements BusWire {
  readonly #broker: MemoryBroker;
  readonly #clock: Clock;
  readonly #handlers = new Map<string, Set<(bytes: Uint8Array) => void>>();
  readonly #listeners = new Set<(state: BusState) => void>();
  readonly #wakes = new Set<() => void>();
  #state: BusState;
  readonly place = "memory";

  constructor(broker: MemoryBroker, clock: Clock) {
    this.#broker = broker;
    this.#clock = clock;
    this.#state = { connected: true, sinceMs: clock.elapsed() };
  }

  get maxBytes(): number {
    return this.#broker.maxBytes;
  }

  get state(): BusState {
    return this.#state;
  }

  onState(listener: (state: BusState) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  turn(connected: boolean, reason?: string): void {
    if (connected === this.#state.connected) return;
    this.#state = { connected, sinceMs: this.#clock.elapsed(), ...(reason === undefined ? {} : { reason }) };
    for (const listener of this.#listeners) listener(this.#state);
    for (const wake of this.#wakes) wake();
  }

  publish(channel: string, bytes: Uint8Array): boolean {
    if (!this.#state.connected) return false;
    this.#broker.publish(channel, bytes, this);
    return true;
  }

  deliver(channel: string, bytes: Uint8Array): void {
    if (!this.#state.connected) return;
    const handlers = this.#handlers.get(channel);
    if (handlers === undefined) return;
    queueMicrotask(() => {
      for (const handler of [...handlers]) handler(bytes);
    });
  }

  subscribe(channel: string, handler: (bytes: Uint8Array) => void): () => void {
    const handlers = this.#handlers.get(channel) ?? new Set();
    this.#handlers.set(channel, handlers.add(handler));
    return () => void handlers.delete(handler);
  }

  // deno-lint-ignore require-await -- a failure is a rejection, as with a real server
  async append(stream: string, bytes: Uint8Array, id: string, _timeoutMs: number): Promise<number> {
    this.#assertConnected();
    return this.#broker.append(stream, bytes, id);
  }

  #assertConnected(): void {
    if (!this.#state.connected) throw new SystemError("ENOTCONN", `Cannot reach ${this.place}: ${this.#state.reason}`);
  }

  // deno-lint-ignore require-await -- as above
  async follow(
    name: string,
    reader: { record(seq: number, bytes: Uint8Array): void; missed(count: number): void },
  ): Promise<() => void> {
    this.#assertConnected();
    const stream = this.#broker.stream(name);
    let at = stream.last;
    let waking = false;
    const wake = () => {
      if (waking) return;
      waking = true;
      queueMicrotask(() => {
        waking = false;
        if (at > stream.last) {
          at = 0;
          reader.missed(1);
        }
        while (this.#state.connected && at < stream.last) {
          const [first = stream.last + 1] = stream.records.keys();
          if (first > at + 1) {
            reader.missed(first - at - 1);
            at = first - 1;
            continue;
          }
          at++;
          reader.record(at, stream.records.get(at)!);
        }
      });
    };
    stream.readers.add(wake);
    this.#wakes.add(wake);
    return () => {
      stream.readers.delete(wake);
      this.#wakes.delete(wake);
    };
  }

  // deno-lint-ignore require-await -- as above
  async last(stream: string): Promise<number> {
    this.#assertConnected();
    return this.#broker.stream(stream).last;
  }

  flush(): Promise<void> {
    return Promise.resolve();
  }

  close(): Promise<void> {
    this.turn(false, "closed");
    this.#broker.leave(this);
    return Promise.resolve();
  }
}

declare function queueMicrotask(callback: () => void): void;
