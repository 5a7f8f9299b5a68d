import { backoffDelay } from "../../base/async/backoff.ts";
import type { Clock } from "../../base/async/clock.ts";
import { messageOf } from "../../base/errors.ts";
import { jobNew, jobOutcome } from "../../model/event/tag.ts";
import type { Logger } from "../../base/log.ts";
import type { ForwardedJob, HeldReturn, Load, ReturnFields } from "./forwarded_job.ts";

export interface UplinkOptions {
  clock: Clock;
  log: Logger;
  random(): number;
  /** The syndic's. */
  id: string;
  /** The jobs whose returns go to this master, oldest first. */
  jobs(): Iterable<ForwardedJob>;
  /** True for a Brine master, which needs to be told less. */
  isBrine(): boolean;
  /** The returns of a job in the local job cache. @throws if it cannot be read now */
  readReturns(job: ForwardedJob): Promise<Map<string, ReturnFields>>;
  /** The load of a local job, if the higher master lacks it; otherwise undefined. */
  readLoad(job: ForwardedJob): Promise<Load | undefined>;
  /** Resolves once the master has taken the load. */
  send(load: Load, timeoutMs: number): Promise<unknown>;
  /** Called when the master has something that it did not have before. */
  onSent(job: ForwardedJob): void;
  /** Memory of a return that is not held any more. */
  release(held: HeldReturn): void;
  /** Bounds of the time that one attempt may take, in milliseconds: `return_retry_timer`, `return_retry_timer_max`. */
  leastMs: number;
  mostMs: number;
  /** What is to be sent within so many milliseconds goes in one request: `syndic_event_forward_timeout`. */
  gatherMs: number;
}

/** A request, and what to do once the master has it, or has not. */
interface Outgoing {
  load: Load;
  /** How many returns, or events. */
  count: number;
  /** True if more is waiting that had no room. */
  isFull: boolean;
  done(): void;
  failed?(): void;
}

/** What goes in one request at most. */
const MOST_RETURNS = 500;
const MOST_BYTES = 524_288;
const MOST_EVENTS = 500;
/** Events that wait at most, and their bytes: they are not acknowledged below, and the oldest are dropped. */
const HELD_EVENTS = 5000;
const HELD_EVENT_BYTES = 4 * 1024 * 1024;
const FIRST_DELAY_MS = 200;

/**
 * Brings what a local master says up to one higher master: the minions of its jobs, outcomes, returns, and other events. Everything
 * but those other events is sent again until the master has taken it.
 */
export class Uplink {
  readonly #options: UplinkOptions;
  readonly #closing = new AbortController();
  readonly #events: { tag: string; data: Load; size: number }[] = [];
  #eventBytes = 0;
  #dropped = 0;
  #pause = new AbortController();
  #gathering = new AbortController();
  #running: Promise<void> | undefined;

  constructor(options: UplinkOptions) {
    this.#options = options;
  }

  /** Events that were dropped because too many waited. */
  get dropped(): number {
    return this.#dropped;
  }

  /** Something is due. */
  poke(): void {
    if (this.#closing.signal.aborted) return;
    this.#running ??= this.#run().finally(() => this.#running = undefined);
  }

  /** The master is connected again: what failed before is tried at once. */
  hurry(): void {
    this.#pause.abort();
    this.poke();
  }

  /** Every minion of a job has returned: nothing is gained by waiting for more. */
  wake(): void {
    this.#gathering.abort();
    this.poke();
  }

  /** Passes on an event that is no part of a job's life. */
  event(tag: string, data: Load, size: number): void {
    this.#events.push({ tag, data, size });
    this.#eventBytes += size;
    while (this.#events.length > HELD_EVENTS || this.#eventBytes > HELD_EVENT_BYTES) {
      this.#eventBytes -= this.#events.shift()!.size;
      if (this.#dropped++ === 0) {
        this.#options.log.warning("events dropped: the higher master is too slow", {
          held: HELD_EVENTS,
        });
      }
    }
    this.poke();
  }

  async #run(): Promise<void> {
    const { clock, log, random, send, leastMs, mostMs, gatherMs } = this.#options;
    const { signal } = this.#closing;
    for (let failures = 0; !signal.aborted;) {
      let outgoing: Outgoing | undefined;
      try {
        outgoing = this.#jobEvents() ?? await this.#returns() ?? this.#otherEvents();
        if (outgoing === undefined) return;
        const { load } = outgoing;
        await send(load, Math.round(leastMs + Math.max(0, mostMs - leastMs) * random()));
        failures = 0;
        outgoing.done();
        // What the minions of a job return within a moment goes in one request.
        if (!outgoing.isFull) {
          this.#gathering = new AbortController();
          await clock.sleep(gatherMs, AbortSignal.any([signal, this.#gathering.signal])).catch(() => {});
        }
      } catch (error) {
        outgoing?.failed?.();
        if (signal.aborted) return;
        const fields = { attempt: failures + 1, count: outgoing?.count ?? 0, error: messageOf(error) };
        if (failures === 2) log.error("not accepted by the higher master: kept and sent again", fields);
        else log.debug("not delivered to the higher master", fields);
        this.#pause = new AbortController();
        const pauseMs = backoffDelay(failures++, { initialMs: FIRST_DELAY_MS, maxMs: mostMs }, random());
        await clock.sleep(pauseMs, AbortSignal.any([signal, this.#pause.signal])).catch(() => {});
      }
    }
  }

  /** The minions of jobs, and how those stand that have not returned. */
  #jobEvents(): Outgoing | undefined {
    const events: Load[] = [];
    const done: (() => void)[] = [];
    const failed: (() => void)[] = [];
    for (const job of this.#options.jobs()) {
      if (!job.isPublished || events.length >= MOST_EVENTS) continue;
      if (job.needsNaming) {
        job.needsNaming = false;
        events.push(...this.#naming(job));
        failed.push(() => job.needsNaming = true);
        done.push(() => this.#options.onSent(job));
      }
      for (const [minion, data] of job.outcomes) {
        events.push({ tag: jobOutcome(job.jid, minion), data });
        done.push(() => {
          if (job.outcomes.get(minion) === data) job.outcomes.delete(minion);
          this.#options.onSent(job);
        });
      }
    }
    if (events.length === 0) return undefined;
    return {
      load: this.#eventLoad(events),
      count: events.length,
      isFull: true,
      done: () => done.forEach((call) => call()),
      failed: () => failed.forEach((call) => call()),
    };
  }

  /** The events by which a master learns of the minions of a job. Salt keeps the last list of each syndic: it is always whole. */
  #naming(job: ForwardedJob): Load[] {
    const minions = [...job.targets];
    job.unnamed.clear();
    const more = job.below.size > 0;
    if (this.#options.isBrine()) return [{ tag: job.jid, data: { jid: job.jid, minions, ...(more ? { more } : {}) } }];
    const { tgt, tgt_type, user, fun, arg } = job.load;
    return [
      { tag: job.jid, data: { minions } },
      { tag: jobNew(job.jid), data: { jid: job.jid, tgt_type, tgt, user, fun, arg, minions, missing: [] } },
    ];
  }

  #eventLoad(events: readonly Load[]): Load {
    return { cmd: "_minion_event", events, pretag: `syndic/${this.#options.id}` };
  }

  #otherEvents(): Outgoing | undefined {
    if (this.#events.length === 0) return undefined;
    const events = this.#events.splice(0, MOST_EVENTS);
    for (const { size } of events) this.#eventBytes -= size;
    return {
      load: this.#eventLoad(events.map(({ tag, data }) => ({ tag, data }))),
      count: events.length,
      isFull: this.#events.length > 0,
      done: () => {},
      // Newer ones may have come: what has no room is dropped as any other.
      failed: () => {
        this.#events.unshift(...events);
        for (const { size } of events) this.#eventBytes += size;
      },
    };
  }

  /** As many returns as go in one request, of the oldest jobs. */
  async #returns(): Promise<Outgoing | undefined> {
    const { jobs, log, onSent, release } = this.#options;
    const batch = new ReturnBatch(this.#options.id);
    const taken: { job: ForwardedJob; minion: string; held: HeldReturn }[] = [];
    let isFull = false;
    for (const job of [...jobs()]) {
      if (!job.isPublished || job.unsent.size === 0) continue;
      const stored = [...job.unsent.values()].some(({ result }) => result === undefined)
        ? await this.#options.readReturns(job)
        : undefined;
      const load = job.isLocal ? await this.#options.readLoad(job) : undefined;
      for (const [minion, held] of [...job.unsent]) {
        isFull = batch.count >= MOST_RETURNS || batch.bytes >= MOST_BYTES;
        if (isFull) break;
        const result = held.result ?? stored?.get(minion);
        if (result === undefined) {
          log.error("return cannot be forwarded: it is not in the local job cache", { jid: job.jid, minion });
          job.unsent.delete(minion);
          job.sent.add(minion);
          continue;
        }
        batch.add(job, minion, result, { load, size: held.size || 1024 });
        taken.push({ job, minion, held });
      }
      if (isFull) break;
    }
    if (taken.length === 0) return undefined;
    return {
      load: batch.load,
      count: taken.length,
      isFull,
      done: () => {
        for (const { job, minion, held } of taken) {
          job.sent.add(minion);
          if (job.unsent.get(minion) === held) job.unsent.delete(minion);
          release(held);
        }
        for (const job of new Set(taken.map(({ job }) => job))) onSent(job);
      },
    };
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#running;
  }
}

/** The load of `_syndic_return`: an entry for each job and outputter. */
class ReturnBatch {
  readonly #id: string;
  readonly #parts = new Map<string, Load & { return: Load }>();
  count = 0;
  bytes = 0;

  constructor(id: string) {
    this.#id = id;
  }

  add(
    { jid, load: { fun, arg, tgt, tgt_type, master_id } }: ForwardedJob,
    minion: string,
    { out, ...result }: ReturnFields,
    { load = {}, size }: { load: Load | undefined; size: number },
  ): void {
    const key = `${jid} ${out ?? ""}`;
    let part = this.#parts.get(key);
    if (part === undefined) {
      part = { id: this.#id, jid, fun, arg, tgt, tgt_type, load, return: {} };
      if (master_id !== undefined) part.master_id = master_id;
      if (out !== undefined) part.out = out;
      this.#parts.set(key, part);
    }
    // An id may be "__proto__": that must become an entry, too.
    Object.defineProperty(part.return, minion, { value: result, enumerable: true, configurable: true, writable: true });
    this.count++;
    this.bytes += size;
  }

  get load(): Load {
    return { cmd: "_syndic_return", load: [...this.#parts.values()] };
  }
}
