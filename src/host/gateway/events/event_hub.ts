import type { Clock } from "../../../base/async/clock.ts";
import type { BusEvent } from "../../../model/event/bus.ts";
import { EventHistory } from "../../../model/event/event_history.ts";
import type { Backend } from "../backend/backend.ts";
import { concat } from "../../../runtime/bytes.ts";
import type { TokenRecord } from "../../../client/tokens.ts";
import { StreamEvent, tagFilter } from "./stream_event.ts";
import { Audiences, maySee, type Sight } from "./event_sight.ts";
import { OutgoingChunks } from "./outgoing_chunks.ts";

interface HubOptions {
  /** The backend without a guard: the hub asks only about tokens that were verified when their listeners connected. */
  backend: Pick<Backend, "token" | "mayReadAllEvents" | "onEvent">;
  clock: Clock;
  /** The number of events that are kept for listeners that reconnect. */
  history: number;
  /** The most bytes that wait for one listener. */
  listenerBytes: number;
  /** The prefix of event ids, which distinguishes them from those of a previous process. */
  boot: string;
}

interface ListenOptions {
  /** The listener's eauth token; the master is asked regularly whether it is still valid, and what it may see. */
  owner: TokenRecord;
  /** The events that the listener may see. */
  sight: Sight;
  /** A glob of tags. @default all events */
  tag?: string;
  /** True numbers the events, so that the listener can resume. @default false */
  ids?: boolean;
  /** The id of the last event that the listener has. */
  after?: string;
  /** Called once, when the listener stops. */
  onStop?(): void;
}

interface Subscription {
  options: ListenOptions;
  wants(event: StreamEvent): boolean;
  /** True as long as the listener gets every event. */
  wantsAll(): boolean;
  deliver(events: readonly StreamEvent[]): void;
  end(): void;
}

/** The shortest time between two writes to a stream, in milliseconds: a write costs more than an event. */
const PACE_MS = 15;
/**
 * How often a listener with ids gets its position, in milliseconds: otherwise the last id of a listener with a narrow filter would be
 * too old to resume. It also shows that the connection still works.
 */
const BEAT_MS = 20_000;
/** Time between two checks of whether a token is still valid, in milliseconds. */
const RECHECK_MS = 15_000;

const encoder = new TextEncoder();

/**
 * Sends the master's events to every HTTP listener. A slow listener never delays another: it is disconnected once more than
 * {@link HubOptions.listenerBytes} wait for it.
 */
export class EventHub {
  readonly #options: HubOptions;
  readonly #history: EventHistory<StreamEvent>;
  readonly #listeners = new Set<Subscription>();
  readonly #audiences = new Audiences();
  /** Token → when the master last confirmed it. */
  readonly #checked = new Map<string, number>();
  readonly #unsubscribe: () => void;
  #pending: StreamEvent[] = [];
  #seq = 0;
  #flushed = 0;
  #cancelFlush: (() => void) | undefined;
  /** The encoded events of this flush, shared by all listeners that want the same. */
  #batches = new Map<boolean, Uint8Array<ArrayBuffer>>();

  constructor(options: HubOptions) {
    this.#options = options;
    this.#history = new EventHistory({ most: options.history, boot: options.boot });
    this.#unsubscribe = options.backend.onEvent((event) => this.#take(event));
  }

  get listeners(): number {
    return this.#listeners.size;
  }

  #take(bus: BusEvent): void {
    const event = new StreamEvent(++this.#seq, bus, this.#audiences.of(bus));
    this.#history.add(event);
    if (this.#listeners.size === 0) return;
    this.#pending.push(event);
    if (this.#cancelFlush !== undefined) return;
    const { clock } = this.#options;
    // The first event after a pause is sent at once.
    const wait = Math.max(0, Math.min(PACE_MS, this.#flushed + PACE_MS - clock.now()));
    this.#cancelFlush = clock.after(wait, () => this.#flush());
  }

  #flush(): void {
    this.#cancelFlush = undefined;
    this.#flushed = this.#options.clock.now();
    const events = this.#pending;
    this.#pending = [];
    this.#batches = new Map();
    for (const { wants, wantsAll, deliver } of this.#listeners) {
      const wanted = wantsAll() ? events : events.filter(wants);
      if (wanted.length > 0) deliver(wanted);
    }
    this.#batches = new Map();
    this.#recheckTokens();
  }

  /** Disconnects listeners whose token was revoked, and updates what the others may see. */
  #recheckTokens(): void {
    const { backend, clock } = this.#options;
    const now = clock.now();
    for (const { options: { owner, owner: { token } } } of this.#listeners) {
      const last = this.#checked.get(token);
      if (last === undefined) this.#checked.set(token, now);
      if (last === undefined || now - last < RECHECK_MS) continue;
      this.#checked.set(token, now);
      const listeners = () => [...this.#listeners].filter((one) => one.options.owner.token === token);
      // A failure is ignored: a master that cannot be asked sends no events either.
      backend.token(token).then(async (known) => {
        if (known === undefined) return listeners().forEach((listener) => listener.end());
        const all = await backend.mayReadAllEvents(owner);
        for (const { options: { sight } } of listeners()) sight.all = all;
      }).catch(() => {});
    }
  }

  #listen(listener: Subscription): () => void {
    const { clock } = this.#options;
    const { owner: { token, expire }, onStop } = listener.options;
    this.#listeners.add(listener);
    this.#checked.set(token, clock.now());
    const cancelExpiry = clock.after(Math.max(0, expire * 1000 - clock.now()), () => listener.end());
    return () => {
      cancelExpiry();
      if (!this.#listeners.delete(listener)) return;
      onStop?.();
      if (![...this.#listeners].some(({ options }) => options.owner.token === token)) this.#checked.delete(token);
    };
  }

  #encode(events: readonly StreamEvent[], ids: boolean): Uint8Array<ArrayBuffer> {
    const frames = events.map((event) => event.frame(ids ? this.#history.idOf(event) : ""));
    return frames.length === 1 ? frames[0]! : concat(frames);
  }

  /** All pending events as one chunk, made once for all listeners without a filter. */
  #sharedBatch(events: readonly StreamEvent[], ids: boolean): Uint8Array<ArrayBuffer> {
    let batch = this.#batches.get(ids);
    if (batch === undefined) this.#batches.set(ids, batch = this.#encode(events, ids));
    return batch;
  }

  /** A message without data, with the current position: all events up to it have been sent, or will follow. */
  #position(): Uint8Array<ArrayBuffer> {
    const seq = (this.#pending[0]?.seq ?? this.#seq + 1) - 1;
    return encoder.encode(`id: ${this.#history.idOf({ seq, size: 0 })}\n\n`);
  }

  /** The start of a stream: the time to reconnect, the missed events, and the position. */
  #greeting(options: ListenOptions): Uint8Array<ArrayBuffer> {
    const { ids = false, after } = options;
    const parts = [encoder.encode("retry: 400\n")];
    if (ids && after !== undefined) {
      const { wants } = filterOf(options);
      const { events, lost, missed } = this.#history.since(after);
      const data = missed === undefined ? "{}" : JSON.stringify({ missed });
      if (lost) parts.push(encoder.encode(`event: lost\ndata: ${data}\n\n`));
      // Pending events are sent with the next flush.
      const pending = new Set(this.#pending);
      const old = events.filter((event) => !pending.has(event) && wants(event));
      if (old.length > 0) parts.push(this.#encode(old, true));
    }
    if (ids) parts.push(this.#position());
    return concat(parts);
  }

  /** A stream of server-sent events; `end` closes it from this side. */
  stream(options: ListenOptions): { body: ReadableStream<Uint8Array<ArrayBuffer>>; end: () => void } {
    const { ids = false } = options;
    const filter = filterOf(options);
    let stopBeat = () => {};
    const outgoing = new OutgoingChunks(this.#greeting(options), this.#options.listenerBytes, () => {
      stopBeat();
      stop();
    });
    const stop = this.#listen({
      options,
      ...filter,
      deliver: (events) =>
        outgoing.push(filter.wantsAll() ? this.#sharedBatch(events, ids) : this.#encode(events, ids)),
      end: () => outgoing.end(),
    });
    if (ids) stopBeat = this.#beat(outgoing);
    return { body: outgoing.body, end: () => outgoing.end() };
  }

  /** Sends the position regularly, until the returned function is called. */
  #beat(outgoing: OutgoingChunks): () => void {
    const { clock } = this.#options;
    const send = () => {
      // The next beat is scheduled first: sending may end the stream, which cancels the beat.
      cancel = clock.after(BEAT_MS, send);
      outgoing.push(this.#position());
    };
    let cancel = clock.after(BEAT_MS, send);
    return () => cancel();
  }

  /**
   * Calls `onEvent` with every event until the returned function is called.
   *
   * @param onEnd called when the token expires or is revoked, or the hub closes
   */
  each(options: ListenOptions, onEvent: (event: StreamEvent) => void, onEnd: () => void): () => void {
    const stop = this.#listen({
      options,
      ...filterOf(options),
      deliver: (events) => events.forEach(onEvent),
      end: () => {
        stop();
        onEnd();
      },
    });
    return stop;
  }

  /** Sends pending events and ends all streams. */
  close(): void {
    this.#unsubscribe();
    this.#cancelFlush?.();
    if (this.#pending.length > 0) this.#flush();
    for (const listener of [...this.#listeners]) listener.end();
  }
}

/** The filter of a listener: events that it wants and may see. */
function filterOf({ tag, sight }: ListenOptions): Pick<Subscription, "wants" | "wantsAll"> {
  const wanted = tagFilter(tag);
  return {
    wants: (event) => maySee(sight, event.audience) && (wanted === undefined || wanted(event.tag)),
    wantsAll: () => sight.all && wanted === undefined,
  };
}
