import type { Clock } from "../../async/clock.ts";
import type { BusEvent } from "../../event/bus.ts";
import { fnmatch } from "../../event/tag.ts";
import type { Backend } from "../backend/backend.ts";
import { json } from "../wire/json.ts";

/** An event on its way to listeners; what they are sent is made once for all. */
export class StreamEvent {
  /** Counts the events of this hub. */
  readonly seq: number;
  readonly tag: string;
  readonly #event: BusEvent;
  #text: string | undefined;
  #frames = new Map<string, Uint8Array<ArrayBuffer>>();

  constructor(seq: number, event: BusEvent) {
    this.seq = seq;
    this.tag = event.tag;
    this.#event = event;
  }

  get data(): Record<string, unknown> {
    return this.#event.data;
  }

  /** `{"data": …, "tag": …}`. */
  get text(): string {
    return this.#text ??= json({ data: withoutToken(this.#event.data), tag: this.tag });
  }

  /** Server-sent event; the line with the tag is for those who read with `grep`. @param id of the `id:` line, if any */
  frame(id: string): Uint8Array<ArrayBuffer> {
    let frame = this.#frames.get(id);
    if (frame === undefined) {
      // A tag is somebody's text: it must not begin a line of its own.
      const tag = this.tag.replace(/[\r\n]+/g, " ");
      const head = id === "" ? "" : `id: ${id}\n`;
      frame = encoder.encode(`${head}tag: ${tag}\ndata: ${this.text}\n\n`);
      this.#frames.set(id, frame);
    }
    return frame;
  }

  /** Bytes that it takes at least, for the bound of the history. */
  get size(): number {
    return this.#event.bytes.length;
  }
}

const encoder = new TextEncoder();

/** The runner that makes tokens returns one, and its arguments are a password: whoever may listen would have both. */
const MAKES_TOKENS = "runner.auth.mk_token";

function withoutToken(data: Record<string, unknown>): Record<string, unknown> {
  if (data.fun !== MAKES_TOKENS) return data;
  const { return: made, fun_args: _, ...rest } = data;
  return { ...rest, fun_args: ["** hidden **"], ...(made === undefined ? {} : { return: "** hidden **" }) };
}

export interface HubOptions {
  backend: Backend;
  clock: Clock;
  /** Events kept for listeners that come back. */
  history: number;
  /** Bytes held for one listener. */
  listenerBytes: number;
  /** Tells the ids of this process from those of the one before. */
  boot: string;
}

/** What a listener wants. */
export interface ListenOptions {
  /** The eauth token on which it listens; the master is asked for it again and again. */
  token: string;
  /** When that token ends, in seconds since the epoch. */
  expire: number;
  /** Only tags that fit this glob. @default all */
  tag?: string;
  /** Number the events, so that a listener can say where it was. @default false */
  ids?: boolean;
  /** The last event that the listener has. */
  after?: string;
  /** Called once, when it listens no more. */
  onStop?(): void;
}

interface Listener {
  options: ListenOptions;
  wants: ((tag: string) => boolean) | undefined;
  deliver(events: readonly StreamEvent[]): void;
  end(): void;
}

/** A stream that gets many events is written to so often at most, in milliseconds: a write costs more than an event. */
const PACE_MS = 15;
/** Bytes of history. */
const HISTORY_BYTES = 16 * 1024 * 1024;
/** Between two questions whether a token still holds, in milliseconds. */
const RECHECK_MS = 15_000;

/**
 * Hands the master's events on to everybody who listens over HTTP. One listener that does not read never holds up another:
 * it is sent away when more than {@link HubOptions.listenerBytes} wait for it.
 */
export class EventHub {
  readonly #options: HubOptions;
  readonly #listeners = new Set<Listener>();
  readonly #checked = new Map<string, number>();
  readonly #off: () => void;
  #history: StreamEvent[] = [];
  #historyBytes = 0;
  #pending: StreamEvent[] = [];
  #seq = 0;
  #flushed = 0;
  #timer: (() => void) | undefined;
  /** Shared by all who want the same. */
  #batches = new Map<string, Uint8Array<ArrayBuffer>>();

  constructor(options: HubOptions) {
    this.#options = options;
    this.#off = options.backend.onEvent((event) => this.#take(event));
  }

  get listeners(): number {
    return this.#listeners.size;
  }

  #take(bus: BusEvent): void {
    const event = new StreamEvent(++this.#seq, bus);
    this.#keep(event);
    if (this.#listeners.size === 0) return;
    this.#pending.push(event);
    if (this.#timer !== undefined) return;
    const { clock } = this.#options;
    // The first after a silence goes out at once.
    const wait = Math.max(0, Math.min(PACE_MS, this.#flushed + PACE_MS - clock.now()));
    this.#timer = clock.after(wait, () => this.#flush());
  }

  #keep(event: StreamEvent): void {
    this.#history.push(event);
    this.#historyBytes += event.size;
    let surplus = 0;
    while (
      this.#history.length - surplus > this.#options.history ||
      (this.#historyBytes > HISTORY_BYTES && surplus < this.#history.length)
    ) {
      this.#historyBytes -= this.#history[surplus++]!.size;
    }
    // Not at every event: to move all the others costs as much as they are many.
    if (surplus > 0) this.#history.splice(0, surplus);
  }

  #flush(): void {
    this.#timer = undefined;
    this.#flushed = this.#options.clock.now();
    const events = this.#pending;
    this.#pending = [];
    this.#batches = new Map();
    for (const listener of this.#listeners) {
      const { wants } = listener;
      const wanted = wants === undefined ? events : events.filter(({ tag }) => wants(tag));
      if (wanted.length > 0) listener.deliver(wanted);
    }
    this.#batches = new Map();
    this.#recheck();
  }

  /** Sends away those whose token has been taken back. */
  #recheck(): void {
    const { backend, clock } = this.#options;
    const now = clock.now();
    for (const { options: { token } } of this.#listeners) {
      const last = this.#checked.get(token);
      if (last === undefined) this.#checked.set(token, now);
      if (last === undefined || now - last < RECHECK_MS) continue;
      this.#checked.set(token, now);
      backend.token(token).then((known) => {
        if (known !== undefined) return;
        for (const listener of [...this.#listeners]) if (listener.options.token === token) listener.end();
        // A master that cannot be asked just now sends no events either.
      }, () => {});
    }
  }

  #listen(listener: Listener): () => void {
    const { clock } = this.#options;
    this.#listeners.add(listener);
    this.#checked.set(listener.options.token, clock.now());
    const expires = clock.after(Math.max(0, listener.options.expire * 1000 - clock.now()), () => listener.end());
    return () => {
      expires();
      if (!this.#listeners.delete(listener)) return;
      listener.options.onStop?.();
      const { token } = listener.options;
      if (![...this.#listeners].some(({ options }) => options.token === token)) this.#checked.delete(token);
    };
  }

  /** The events after an id that is still kept; how many in between are not, if that can be told. */
  #since(id: string): { events: StreamEvent[]; lost: boolean } {
    const [boot, number] = id.split("-");
    const seq = Number(number);
    if (boot !== this.#options.boot || !Number.isInteger(seq)) return { events: [...this.#history], lost: true };
    const events = this.#history.filter((event) => event.seq > seq);
    const first = this.#history[0]?.seq ?? this.#seq + 1;
    return { events, lost: seq + 1 < first };
  }

  /** All frames as one chunk; those who want the same share it. */
  #batch(events: readonly StreamEvent[], ids: boolean, shared: boolean): Uint8Array<ArrayBuffer> {
    const name = String(ids);
    const known = shared ? this.#batches.get(name) : undefined;
    if (known !== undefined) return known;
    const { boot } = this.#options;
    const frames = events.map((event) => event.frame(ids ? `${boot}-${event.seq}` : ""));
    const batch = frames.length === 1 ? frames[0]! : concat(frames);
    if (shared) this.#batches.set(name, batch);
    return batch;
  }

  /** A stream of server-sent events; `end` closes it from this side. */
  stream(options: ListenOptions): { body: ReadableStream<Uint8Array<ArrayBuffer>>; end: () => void } {
    const { tag, ids = false, after } = options;
    const wants = tag === undefined ? undefined : fnmatch(tag);
    const first = [encoder.encode("retry: 400\n")];
    if (ids && after !== undefined) {
      const { events, lost } = this.#since(after);
      if (lost) first.push(encoder.encode("event: lost\ndata: {}\n\n"));
      // Those that wait for the next turn would come twice.
      const waiting = new Set(this.#pending);
      const old = events.filter((event) => !waiting.has(event) && (wants === undefined || wants(event.tag)));
      if (old.length > 0) first.push(this.#batch(old, true, false));
    }
    const outgoing = new Outgoing(concat(first), this.#options.listenerBytes, () => stop());
    const stop = this.#listen({
      options,
      wants,
      deliver: (events) => outgoing.push(this.#batch(events, ids, wants === undefined)),
      end: () => outgoing.end(),
    });
    return { body: outgoing.body, end: () => outgoing.end() };
  }

  /** Calls `each` with every event; the returned function ends it. `end` is called when the token no longer holds. */
  each(options: ListenOptions, each: (event: StreamEvent) => void, end: () => void): () => void {
    const stop = this.#listen({
      options,
      wants: options.tag === undefined ? undefined : fnmatch(options.tag),
      deliver: (events) => events.forEach(each),
      end: () => {
        stop();
        end();
      },
    });
    return stop;
  }

  /** Ends all streams. */
  close(): void {
    this.#off();
    this.#timer?.();
    if (this.#pending.length > 0) this.#flush();
    for (const listener of [...this.#listeners]) listener.end();
  }
}

/**
 * Chunks on their way to one reader. They are kept here rather than in the stream, whose own queue nobody can empty: of a
 * reader that does not read, nothing stays in memory.
 */
class Outgoing {
  readonly body: ReadableStream<Uint8Array<ArrayBuffer>>;
  readonly #limit: number;
  readonly #onEnd: () => void;
  #controller!: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>>;
  #chunks: Uint8Array<ArrayBuffer>[];
  #bytes = 0;
  #wanted = false;
  #over = false;

  /**
   * @param first what it begins with, which does not count
   * @param limit bytes that may wait, beside one chunk of whatever size; beyond that the stream ends
   */
  constructor(first: Uint8Array<ArrayBuffer>, limit: number, onEnd: () => void) {
    this.#chunks = [first];
    this.#limit = limit;
    this.#onEnd = onEnd;
    this.body = new ReadableStream<Uint8Array<ArrayBuffer>>({
      start: (controller) => void (this.#controller = controller),
      pull: () => this.#pull(),
      cancel: () => this.#finish(),
    }, { highWaterMark: 0 });
  }

  #pull(): void {
    if (this.#chunks.length === 0) {
      this.#wanted = true;
      return;
    }
    const [chunk] = this.#chunks;
    const whole = this.#chunks.length === 1 ? chunk! : concat(this.#chunks);
    this.#chunks = [];
    this.#bytes = 0;
    this.#controller.enqueue(whole);
  }

  push(chunk: Uint8Array<ArrayBuffer>): void {
    if (this.#over) return;
    if (this.#wanted) {
      this.#wanted = false;
      this.#controller.enqueue(chunk);
      return;
    }
    const before = this.#bytes;
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    if (before > 0 && this.#bytes > this.#limit) {
      this.#chunks = [];
      this.end();
    }
  }

  /** Ends the stream, in good order if there is a reader who reads. */
  end(): void {
    if (this.#over) return;
    if (this.#chunks.length > 0) this.#controller.enqueue(concat(this.#chunks));
    this.#finish();
    this.#controller.close();
  }

  #finish(): void {
    if (this.#over) return;
    this.#over = true;
    this.#chunks = [];
    this.#onEnd();
  }
}

function concat(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(parts.reduce((size, part) => size + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
