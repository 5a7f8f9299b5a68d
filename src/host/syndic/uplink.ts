import { backoffDelay } from "../../base/async/backoff.ts";
import type { Clock } from "../../base/async/clock.ts";
import { messageOf } from "../../base/errors.ts";
import { jobNew, jobOutcome } from "../../model/event/tag.ts";
import type { Logger } from "../../base/log.ts";
import type { ForwardedJob, HeldReturn, ReturnFields, SyndicLoad } from "./forwarded_job.ts";

export interface UplinkOptions {
  clock: Clock;
  log: Logger;
  random(): number;
  id: string;
  /** The jobs whose returns go to this master, oldest first. */
  jobs(): Iterable<ForwardedJob>;
  /** True for a Brine master, which needs fewer messages. */
  isBrine(): boolean;
  /** Reads the returns of a job from the local job cache. @throws if it cannot be read now */
  readReturns(job: ForwardedJob): Promise<Map<string, ReturnFields>>;
  /** The load of a local job, if the higher master lacks it; otherwise undefined. */
  readLoad(job: ForwardedJob): Promise<SyndicLoad | undefined>;
  /** Resolves once the master has taken the load. */
  send(load: SyndicLoad, timeoutMs: number): Promise<unknown>;
  /** Called when the master has received something new. */
  onSent(job: ForwardedJob): void;
  /** Called with a return that is no longer held in memory. */
  release(held: HeldReturn): void;
  /** Bounds of the time that one attempt may take, in milliseconds: `return_retry_timer`, `return_retry_timer_max`. */
  leastMs: number;
  mostMs: number;
  /** How long messages are gathered for one request, in milliseconds: `syndic_event_forward_timeout`. */
  gatherMs: number;
}

/** A request, and what to do once the master has taken it or not. */
interface Outgoing {
  load: SyndicLoad;
  /** How many returns or events the request has. */
  count: number;
  /** True if more waits that had no room in the request. */
  isFull: boolean;
  done(): void;
  failed?(): void;
}

/** The most returns of one request; the next constants bound its bytes and its events. */
const MAX_RETURNS = 500;
const MAX_BYTES = 524_288;
const MAX_EVENTS = 500;
/** The most events that wait (the next constant bounds their bytes): minions need no acknowledgement of them, and the oldest are dropped. */
const MAX_HELD_EVENTS = 5000;
const MAX_HELD_EVENT_BYTES = 4 * 1024 * 1024;
const FIRST_DELAY_MS = 200;

/**
 * Sends the news of a local master up to one higher master: the minions of its jobs, outcomes, returns, and other events. Everything
 * except other events is sent again until the master has taken it.
 */
export class Uplink {
  readonly #options: UplinkOptions;
  readonly #closing = new AbortController();
  readonly #events: { tag: string; data: SyndicLoad; size: number }[] = [];
  #eventBytes = 0;
  #dropped = 0;
  #pause = new AbortController();
  #gathering = new AbortController();
  #running: Promise<void> | undefined;

  constructor(options: UplinkOptions) {
    this.#options = options;
  }

  /** The number of events that were dropped because too many waited. */
  get dropped(): number {
    return this.#dropped;
  }

  /** Notes that there is something to send. */
  poke(): void {
    if (this.#closing.signal.aborted) return;
    this.#running ??= this.#run().finally(() => this.#running = undefined);
  }

  /** Called when the master is connected again: sends that failed before are tried at once. */
  hurry(): void {
    this.#pause.abort();
    this.poke();
  }

  /** Called when every minion of a job has returned: waiting for more would gain nothing. */
  wake(): void {
    this.#gathering.abort();
    this.poke();
  }

  /** Passes on an event that does not belong to a job. */
  event(tag: string, data: SyndicLoad, size: number): void {
    this.#events.push({ tag, data, size });
    this.#eventBytes += size;
    while (this.#events.length > MAX_HELD_EVENTS || this.#eventBytes > MAX_HELD_EVENT_BYTES) {
      this.#eventBytes -= this.#events.shift()!.size;
      if (this.#dropped++ === 0) {
        this.#options.log.warning("events dropped: the higher master is too slow", {
          held: MAX_HELD_EVENTS,
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
        // Returns that the minions of a job send within a moment go in one request.
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

  /** Returns the request with the minions of jobs, and the outcomes of those that have not returned. */
  #jobEvents(): Outgoing | undefined {
    const events: SyndicLoad[] = [];
    const done: (() => void)[] = [];
    const failed: (() => void)[] = [];
    for (const job of this.#options.jobs()) {
      if (!job.isPublished || events.length >= MAX_EVENTS) continue;
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

  /** Returns the events that tell a master the minions of a job. Salt keeps only the last list of each syndic, so each list is whole. */
  #naming(job: ForwardedJob): SyndicLoad[] {
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

  #eventLoad(events: readonly SyndicLoad[]): SyndicLoad {
    return { cmd: "_minion_event", events, pretag: `syndic/${this.#options.id}` };
  }

  #otherEvents(): Outgoing | undefined {
    if (this.#events.length === 0) return undefined;
    const events = this.#events.splice(0, MAX_EVENTS);
    for (const { size } of events) this.#eventBytes -= size;
    return {
      load: this.#eventLoad(events.map(({ tag, data }) => ({ tag, data }))),
      count: events.length,
      isFull: this.#events.length > 0,
      done: () => {},
      // Newer events may have come: events without room are dropped.
      failed: () => {
        this.#events.unshift(...events);
        for (const { size } of events) this.#eventBytes += size;
      },
    };
  }

  /** Returns the request with as many returns as have room, those of the oldest jobs first. */
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
        isFull = batch.count >= MAX_RETURNS || batch.bytes >= MAX_BYTES;
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

/** Makes the load of `_syndic_return`: an entry for each job and outputter. */
class ReturnBatch {
  readonly #id: string;
  readonly #parts = new Map<string, SyndicLoad & { return: SyndicLoad }>();
  count = 0;
  bytes = 0;

  constructor(id: string) {
    this.#id = id;
  }

  add(
    { jid, load: { fun, arg, tgt, tgt_type, master_id } }: ForwardedJob,
    minion: string,
    { out, ...result }: ReturnFields,
    { load = {}, size }: { load: SyndicLoad | undefined; size: number },
  ): void {
    const key = `${jid} ${out ?? ""}`;
    let part = this.#parts.get(key);
    if (part === undefined) {
      part = { id: this.#id, jid, fun, arg, tgt, tgt_type, load, return: {} };
      if (master_id !== undefined) part.master_id = master_id;
      if (out !== undefined) part.out = out;
      this.#parts.set(key, part);
    }
    // An id may be "__proto__", which must become an entry like any other.
    Object.defineProperty(part.return, minion, { value: result, enumerable: true, configurable: true, writable: true });
    this.count++;
    this.bytes += size;
  }

  get load(): SyndicLoad {
    return { cmd: "_syndic_return", load: [...this.#parts.values()] };
  }
}
