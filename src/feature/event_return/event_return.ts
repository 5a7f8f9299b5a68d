import { messageOf } from "../../base/errors.ts";
import type { BusEvent } from "../../model/event/bus.ts";
import type { BusPosition } from "../../model/event/follow_bus.ts";
import type { ReturnerContext, ReturnerModule } from "../../model/loader/family.ts";
import type { Logger } from "../../base/log.ts";
import type { Runtime } from "../../runtime/runtime.ts";
import { EventOutlet } from "./event_outlet.ts";
import { EventSpool } from "./event_spool.ts";
import { LossReport } from "./loss_report.ts";
import { fnmatch } from "../../model/event/tag.ts";

/**
 * Decides which events are stored: those that match a glob of the whitelist (all events if it is empty), and match no glob of the
 * blacklist.
 *
 * @see salt/utils/event.py EventReturn._filter
 */
export function eventFilter(whitelist: readonly unknown[], blacklist: readonly unknown[]): (tag: string) => boolean {
  const white = whitelist.map((glob) => fnmatch(String(glob)));
  const black = blacklist.map((glob) => fnmatch(String(glob)));
  return (tag) =>
    (white.length === 0 || white.some((matches) => matches(tag))) && !black.some((matches) => matches(tag));
}

/** The settings of event returns, from the master's configuration. */
export interface EventReturnSettings {
  whitelist: readonly unknown[];
  blacklist: readonly unknown[];
  /** The number of events that are collected before a store is called. */
  queue: number;
  /** How long events are collected, in seconds; 0 means without limit. */
  queueSeconds: number;
  /** The most bytes of events in the spool. */
  spoolBytes: number;
}

interface EventReturnOptions {
  runtime: Runtime;
  log: Logger;
  settings: EventReturnSettings;
  /** The directory of the spool, which nothing else uses. */
  directory: string;
  context: ReturnerContext;
  returners: ReadonlyMap<string, ReturnerModule>;
  /** Fires an event about lost events. */
  fire(data: Record<string, unknown>): void;
}

interface EventReturnStatus {
  spool: { bytes: number; limit: number; lost: number };
  returners: Record<string, EventOutlet["counts"] & { waiting: number; works: boolean }>;
}

/** How often the position on the bus is saved, in milliseconds. */
const SAVE_MS = 2000;

/** Takes the events of a bus, and gives them to stores. Events that a store does not have yet are kept on the disk. */
export class EventReturn {
  readonly #options: EventReturnOptions;
  readonly #wants: (tag: string) => boolean;
  readonly #spool: EventSpool;
  readonly #losses: LossReport;
  readonly #outlets: EventOutlet[];
  #cancelSave: (() => void) | undefined;
  #isDirty = false;
  #lost = 0;

  constructor(options: EventReturnOptions) {
    this.#options = options;
    const { runtime, log, settings, directory, context, returners } = options;
    this.#wants = eventFilter(settings.whitelist, settings.blacklist);
    this.#losses = new LossReport({ clock: runtime.clock, log, fire: options.fire });
    this.#outlets = [];
    this.#spool = EventSpool.open({
      fs: runtime.fs,
      directory: `${directory}/spool`,
      maxBytes: settings.spoolBytes,
      onRemoved: (first, count) => {
        for (const outlet of this.#outlets) outlet.removed(first, count);
      },
    });
    for (const [name, { eventReturn }] of returners) {
      this.#outlets.push(
        new EventOutlet({
          name,
          eventReturn: eventReturn!,
          context,
          spool: this.#spool,
          placePath: `${directory}/${encodeURIComponent(name)}.place`,
          queue: settings.queue,
          queueSeconds: settings.queueSeconds,
          lost: (loss) => this.#losses.add(loss),
          moved: () => this.#spool.release(Math.min(...this.#outlets.map(({ at }) => at))),
        }),
      );
    }
  }

  /** The last event that was read, by this process or a previous one. */
  get last(): BusPosition | undefined {
    return this.#spool.last;
  }

  /** Starts after the given event: the master has restarted, and its events are numbered from the start. */
  begin(at: BusPosition): void {
    this.#spool.begin(at);
  }

  run(): void {
    for (const outlet of this.#outlets) void outlet.run();
  }

  take(event: BusEvent, at: BusPosition): void {
    const { last } = this.#spool;
    const gap = last?.boot === at.boot ? at.n - last.n - 1 : 0;
    if (gap > 0) this.#lose(gap, "the master dropped them before this process read them");
    if (this.#wants(event.tag)) {
      this.#spool.add(at, event.bytes);
      if (!this.#isDirty) {
        this.#isDirty = true;
        this.#options.runtime.later(() => this.#write());
      }
    } else this.#spool.pass(at);
    this.#cancelSave ??= this.#options.runtime.clock.after(SAVE_MS, () => {
      this.#cancelSave = undefined;
      this.#save();
    });
  }

  #save(): void {
    try {
      this.#spool.save();
    } catch (error) {
      this.#options.log.warning("the position in the events cannot be saved", { error: messageOf(error) });
    }
  }

  /** Counts events that were lost before they were stored. */
  #lose(count: number, reason: string): void {
    this.#lost += count;
    this.#losses.add({ returner: "", reason, count });
  }

  #write(): void {
    this.#isDirty = false;
    try {
      this.#spool.flush();
    } catch (error) {
      this.#lose((error as { lost?: number }).lost ?? 0, `the spool cannot be written: ${messageOf(error)}`);
    }
    for (const outlet of this.#outlets) outlet.more();
  }

  status(): EventReturnStatus {
    const { spoolBytes } = this.#options.settings;
    const isWaiting = this.#outlets.some(({ waiting }) => waiting > 0);
    return {
      spool: { bytes: isWaiting ? this.#spool.bytes : 0, limit: spoolBytes, lost: this.#lost },
      returners: Object.fromEntries(
        this.#outlets.map(({ name, counts, waiting, works }) => [name, { ...counts, waiting, works }]),
      ),
    };
  }

  /** Sends waiting events; resolves when all working stores have them. */
  async flush(): Promise<void> {
    this.#write();
    this.#save();
    await Promise.all(this.#outlets.map((outlet) => outlet.flush()));
  }

  close(): void {
    this.#cancelSave?.();
    for (const outlet of this.#outlets) outlet.close();
  }
}
