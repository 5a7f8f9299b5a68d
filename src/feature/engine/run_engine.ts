/** One engine in its process: its context, and its counts. */
import type { BusEvent } from "../../model/event/bus.ts";
import type { EngineContext, EngineEvents, EngineMaster } from "../../model/loader/engines.ts";
import type { Logger } from "../../base/log.ts";
import type { Runtime } from "../../runtime/runtime.ts";
import { packEvent } from "../../protocol/wire/event_frame.ts";
import { BusLink, type BusPaths } from "./bus_link.ts";
import { EventBuffer } from "./event_buffer.ts";
import { FireRate } from "./fire_rate.ts";

interface EngineRunOptions {
  runtime: Runtime;
  log: Logger;
  name: string;
  role: "master" | "minion";
  id: string;
  opts: Record<string, unknown>;
  bus: BusPaths;
  /** True on a minion with a master: events go to its masters. */
  hasMaster: boolean;
  master?: EngineMaster;
  call: EngineContext["call"];
  /** Called when the engine cannot continue. */
  failed(error: Error): void;
}

/** The counts of an engine since its process was started. */
export interface EngineCounts {
  seen: number;
  /** Events that were left out because the engine did not read. */
  missed: number;
  fired: number;
  /** Events that were not fired because too many waited. */
  dropped: number;
  /** Events that wait to be fired. */
  waiting: number;
}

/** The most characters of a tag: every listener has to match it. */
const MAX_TAG_CHARACTERS = 1024;
/** The most fields that an engine may report, and the most characters of each. */
const MAX_DETAILS = 20;
const MAX_DETAIL_CHARACTERS = 500;

/** Runs one engine: gives it access to the bus, and counts its events. */
export class EngineRun {
  readonly #options: EngineRunOptions;
  readonly #bus: BusLink;
  readonly #rate: FireRate;
  readonly #buffers = new Set<EventBuffer>();
  readonly #counts = { seen: 0, missed: 0, fired: 0, dropped: 0 };
  readonly #details = new Map<string, unknown>();
  readonly #ending = new AbortController();
  #listening: Promise<void> | undefined;

  constructor(options: EngineRunOptions) {
    this.#options = options;
    const { runtime, bus, opts } = options;
    this.#bus = new BusLink(runtime, bus);
    this.#rate = new FireRate(runtime.clock, Number(opts.engine_events_per_second ?? 1000));
  }

  get context(): EngineContext {
    const { name, role, id, opts, runtime, log, master, call } = this.#options;
    return {
      name,
      role,
      id,
      opts,
      runtime,
      log,
      call,
      signal: this.#ending.signal,
      ...(master === undefined ? {} : { master }),
      events: (wants = () => true) => this.#events(wants),
      fire: (tag, data, { here = false } = {}) => this.#fire(tag, data, here),
      report: (details) => this.#report(details),
    };
  }

  get counts(): EngineCounts {
    return { ...this.#counts, waiting: this.#rate.waiting };
  }

  get details(): Record<string, unknown> {
    return Object.fromEntries(this.#details);
  }

  /** Tells the engine to end, and sends the events that it has fired. */
  async close(): Promise<void> {
    this.#ending.abort(new Error("The engine is stopping"));
    for (const buffer of this.#buffers) buffer.close();
    await this.#bus.close();
  }

  #events(wants: (tag: string) => boolean): EngineEvents {
    const buffer = new EventBuffer(wants, () => this.#buffers.delete(buffer));
    this.#buffers.add(buffer);
    const { failed } = this.#options;
    this.#listening ??= this.#bus.listen({
      onEvent: (event) => this.#take(event),
      onMissed: (count) => void (this.#counts.missed += count),
      onClose: () => failed(new Error("The event bus of this host has closed the connection")),
    });
    this.#listening.catch(failed);
    return buffer;
  }

  #take(event: BusEvent): void {
    this.#counts.seen++;
    for (const buffer of this.#buffers) if (!buffer.take(event)) this.#counts.missed++;
  }

  async #fire(tag: string, data: Record<string, unknown>, here: boolean): Promise<void> {
    const { runtime: { clock }, opts, role, hasMaster } = this.#options;
    if (tag === "" || tag.length > MAX_TAG_CHARACTERS || tag.includes("\n")) {
      const shown = tag.length > MAX_TAG_CHARACTERS ? `${tag.length} characters` : JSON.stringify(tag);
      throw new TypeError(
        `Cannot fire an event under ${shown}: expected one line of 1 to ${MAX_TAG_CHARACTERS} characters`,
      );
    }
    try {
      await this.#rate.take();
    } catch (error) {
      this.#counts.dropped++;
      throw error;
    }
    // Waits until the engine listens: it must not miss an answer to its event.
    await this.#listening;
    const packing = { now: clock.now(), maxBytes: Number(opts.max_event_size ?? Infinity) };
    const isForwarded = !here && role === "minion" && hasMaster;
    await this.#bus.send(
      isForwarded
        // The minion forwards `fire_master` to its masters, as for its jobs.
        ? packEvent("fire_master", { tag, data, events: null, pretag: null }, packing)
        : packEvent(tag, data, packing),
    );
    this.#counts.fired++;
  }

  #report(details: Record<string, unknown>): void {
    for (const [name, value] of Object.entries(details)) {
      if (!this.#details.has(name) && this.#details.size >= MAX_DETAILS) continue;
      const plain = typeof value === "number" || typeof value === "boolean" || value === null;
      this.#details.set(
        name.slice(0, MAX_DETAIL_CHARACTERS),
        plain ? value : String(value).slice(0, MAX_DETAIL_CHARACTERS),
      );
    }
  }
}
