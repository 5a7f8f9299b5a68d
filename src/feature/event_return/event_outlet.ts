import { within } from "../../base/async/within.ts";
import { backoffDelay } from "../../base/async/backoff.ts";
import { type Deferred, deferred } from "../../base/async/deferred.ts";
import { codeOf, messageOf } from "../../base/errors.ts";
import type { EventLogReader } from "../../model/event/event_log.ts";
import type { EventBatch, ReturnedEvent, ReturnerContext, ReturnerModule } from "../../model/loader/family.ts";
import type { Logger } from "../../base/log.ts";
import { unpackEvent } from "../../protocol/wire/event_frame.ts";
import { type EventSpool, spooledEvent } from "./event_spool.ts";
import type { Loss } from "./loss_report.ts";

interface EventOutletOptions {
  name: string;
  eventReturn: NonNullable<ReturnerModule["eventReturn"]>;
  context: ReturnerContext;
  spool: EventSpool;
  /** The file that holds the position of the store in the spool. */
  placePath: string;
  /** Salt's `event_return_queue`: the number of events that are collected before the store is called. */
  queue: number;
  /** Salt's `event_return_queue_max_seconds`: how long events are collected; 0 means without limit. */
  queueSeconds: number;
  lost(loss: Loss): void;
  /** Called when the store has taken events. */
  moved(): void;
}

/** The position of a store: it has the entries of the spool before `at`. */
interface Place {
  at: number;
  /** The number of entries that were given to the store and not acknowledged. */
  sending?: number;
  /** The entry before which all lost entries were counted. */
  counted?: number;
}

/** The most events that are given to a store at once. */
const MAX_EVENTS = 500;
/** The most bytes of events that are given to a store at once. */
const MAX_BYTES = 1024 * 1024;
/** The time for one call of a store, in milliseconds. */
const CALL_MS = 60_000;
/** The waits between two tries while a store is down, in milliseconds. */
const DELAYS = { initialMs: 250, maxMs: 30_000 };
/** The least time between two log lines about a store that is down, in milliseconds. */
const SAY_AGAIN_MS = 60_000;

/** Sends events from the spool to one store: in order, each batch until the store has it. */
export class EventOutlet {
  readonly name: string;
  readonly #options: EventOutletOptions;
  readonly #log: Logger;
  readonly #reader: EventLogReader;
  #place: Place;
  /** The entry before which lost entries need not be counted: those before it are stored, were read, or were counted as lost. */
  #counted: number;
  #failures = 0;
  #saidMs = -Infinity;
  /** Resolved when there are more entries. */
  #wake: Deferred<void> | undefined;
  /** Resolved when the next try is due. */
  #retry: Deferred<void> | undefined;
  #closed = false;
  #isFlushing = false;
  #isDue = false;
  #cancel: (() => void) | undefined;
  /** Resolved when a try has ended. */
  #moved: Deferred<void> | undefined;
  readonly counts = { stored: 0, refused: 0, lost: 0, failures: 0 };

  constructor(options: EventOutletOptions) {
    const { name, context, spool } = options;
    this.name = name;
    this.#options = options;
    this.#log = context.log;
    this.#place = this.#read();
    // A removed spool starts again at its first entry.
    if (this.#place.at > spool.next) this.#place = { at: spool.first };
    const { at, sending = 0, counted = at } = this.#place;
    this.#counted = Math.max(at + sending, counted);
    this.#reader = spool.reader(at);
    // Entries that the previous process was giving to the store when the files of the spool were removed.
    const gone = Math.min(spool.first, at + sending) - at;
    if (gone > 0) this.#lose("they are no longer in the spool", gone);
  }

  #read(): Place {
    const { context: { runtime: { fs } }, placePath, spool } = this.#options;
    try {
      const place = JSON.parse(fs.readText(placePath));
      if (["at", "sending", "counted"].every((name) => Number.isSafeInteger(place[name] ?? 0)) && place.at > 0) {
        return place;
      }
    } catch {
      // A new store gets events from now on.
    }
    return { at: spool.next };
  }

  #save(place: Place): void {
    this.#place = place;
    try {
      this.#options.context.runtime.fs.write(this.#options.placePath, JSON.stringify(place), { mode: 0o600 });
    } catch (error) {
      this.#log.warning("the position of a store cannot be saved: after a restart it gets events again", {
        returner: this.name,
        error: messageOf(error),
      });
    }
  }

  /** The store has all entries before this one. */
  get at(): number {
    return this.#place.at;
  }

  /** The number of entries that the store does not have. */
  get waiting(): number {
    return this.#options.spool.next - Math.max(this.#place.at, this.#options.spool.first);
  }

  /** False while the store does not take events. */
  get works(): boolean {
    return this.#failures === 0;
  }

  /** Reports that the spool has more entries. */
  more(): void {
    const { queue, queueSeconds, context: { runtime: { clock } } } = this.#options;
    if (this.#closed || this.waiting === 0) return;
    if (this.waiting >= queue) this.#wake?.resolve();
    else if (queueSeconds > 0) {
      this.#cancel ??= clock.after(queueSeconds * 1000, () => {
        this.#isDue = true;
        this.#wake?.resolve();
      });
    }
  }

  /** Notes that entries were removed from the spool to make room for newer ones. */
  removed(first: number, count: number): void {
    const end = first + count;
    const from = Math.max(first, this.#counted, this.#reader.at);
    if (end <= from) return;
    this.#counted = end;
    this.#save({ ...this.#place, counted: end });
    this.#lose("the store is behind, and the spool is full (event_return_spool_bytes)", end - from);
  }

  #lose(reason: string, count: number, tag?: string): void {
    this.counts.lost += count;
    this.#options.lost({ returner: this.name, reason, count, ...tag === undefined ? {} : { tag } });
  }

  /** Gives all waiting entries to the store, without collecting more; resolves once the store has them, or fails. */
  async flush(): Promise<void> {
    this.#isFlushing = true;
    this.#wake?.resolve();
    this.#retry?.resolve();
    while (!this.#closed && this.waiting > 0) {
      this.#moved ??= deferred();
      await this.#moved.promise;
      if (!this.works) return;
    }
  }

  close(): void {
    this.#closed = true;
    this.#cancel?.();
    this.#wake?.resolve();
    this.#retry?.resolve();
    this.#tried();
  }

  /** Gives events to the store until {@link EventOutlet.close}. */
  async run(): Promise<void> {
    while (!this.#closed) {
      const { queue } = this.#options;
      const isReady = this.waiting > 0 &&
        (this.waiting >= queue || this.#isDue || this.#isFlushing || this.#place.sending !== undefined);
      if (!isReady) {
        this.#wake = deferred();
        this.more();
        await this.#wake.promise;
        continue;
      }
      this.#isDue = false;
      this.#cancel?.();
      this.#cancel = undefined;
      try {
        await this.#store();
      } catch (error) {
        this.#log.error("events cannot be read from the spool", { returner: this.name, error: messageOf(error) });
        await this.#options.context.runtime.clock.sleep(DELAYS.maxMs);
      }
    }
  }

  /** Takes the next entries, and gives them to the store until it has them. */
  async #store(): Promise<void> {
    const { sending } = this.#place;
    const { entries, skipped } = this.#reader.read(sending ?? MAX_EVENTS, sending === undefined ? MAX_BYTES : Infinity);
    const from = this.#reader.at - entries.length;
    if (skipped > 0 && from > this.#counted) this.#lose("they are no longer in the spool", from - this.#counted);
    this.#counted = Math.max(this.#counted, this.#reader.at);
    if (entries.length === 0) return this.#save({ at: this.#reader.at });
    this.#save({ at: from, sending: entries.length });
    const events = this.#decoded(entries);
    await this.#insist(events, sending !== undefined && skipped === 0);
    if (this.#closed) return;
    this.#save({ at: this.#reader.at });
    this.#options.moved();
    this.#tried();
  }

  #tried(): void {
    this.#moved?.resolve();
    this.#moved = undefined;
  }

  #decoded(entries: readonly Uint8Array[]): ReturnedEvent[] {
    const events: ReturnedEvent[] = [];
    for (const entry of entries) {
      const spooled = spooledEvent(entry);
      try {
        if (spooled === undefined) throw new TypeError("the spool is damaged");
        events.push({ id: spooled.id, ...unpackEvent(spooled.bytes) });
      } catch (error) {
        this.#lose(`they cannot be read: ${messageOf(error)}`, 1);
      }
    }
    return events;
  }

  /** Tries until the store has the events, or refuses them for good. */
  async #insist(events: readonly ReturnedEvent[], before: boolean): Promise<void> {
    const { runtime } = this.#options.context;
    for (let again = before; events.length > 0 && !this.#closed; again = true) {
      try {
        await this.#call({ id: `${events[0]!.id}+${events.length}`, events, again });
        this.counts.stored += events.length;
        if (this.#failures > 0) this.#log.info("events are stored again", { returner: this.name });
        this.#failures = 0;
        return;
      } catch (error) {
        if (codeOf(error) === "EVENTS_REFUSED") return await this.#divide(events, again, error);
        this.#failed(error);
        const waited = deferred<void>();
        this.#retry = waited;
        const cancel = runtime.clock.after(backoffDelay(this.#failures - 1, DELAYS, runtime.random()), waited.resolve);
        await waited.promise;
        cancel();
      }
    }
  }

  async #call(batch: EventBatch): Promise<void> {
    const { eventReturn, context } = this.#options;
    await within(context.runtime.clock, CALL_MS, undefined, Promise.resolve(eventReturn(context, batch)), () => {
      throw new Error(`It has not answered within ${CALL_MS / 1000} seconds`);
    });
  }

  /** Finds out which of the events the store refuses, by halving the batch. */
  async #divide(events: readonly ReturnedEvent[], again: boolean, error: unknown): Promise<void> {
    if (events.length === 1) {
      this.counts.refused++;
      this.#options.lost({
        returner: this.name,
        reason: `the store refuses them: ${messageOf(error)}`,
        count: 1,
        tag: events[0]!.tag,
      });
      return;
    }
    const middle = events.length >> 1;
    await this.#insist(events.slice(0, middle), again);
    await this.#insist(events.slice(middle), again);
  }

  #failed(error: unknown): void {
    const { clock } = this.#options.context.runtime;
    this.counts.failures++;
    this.#failures++;
    this.#tried();
    if (this.#failures > 1 && clock.elapsed() - this.#saidMs < SAY_AGAIN_MS) return;
    this.#saidMs = clock.elapsed();
    this.#log.error("events not stored yet: trying the store again", {
      returner: this.name,
      waiting: this.waiting,
      error: messageOf(error),
    });
  }
}
