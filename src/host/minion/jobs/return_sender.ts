import { backoffDelay } from "../../../base/async/backoff.ts";
import type { Clock } from "../../../base/async/clock.ts";
import { messageOf } from "../../../base/errors.ts";
import type { Logger } from "../../../base/log.ts";
import type { Spool, SpoolEntry } from "./spool.ts";

type Load = Record<string, unknown>;

interface ReturnSenderOptions {
  clock: Clock;
  log: Logger;
  spool: Spool;
  random(): number;
  /** Resolves once the master has taken the load. */
  send(load: Load, timeoutMs: number): Promise<unknown>;
  /** Sends several loads in one request. Resolves with which of them the master has taken. */
  sendTogether(loads: readonly Load[], timeoutMs: number): Promise<readonly boolean[]>;
  /** True if the master takes several loads in one request. */
  together(): boolean;
  /** Bounds of the time that one attempt may take, in milliseconds: `return_retry_timer`, `return_retry_timer_max`. */
  leastMs: number;
  mostMs: number;
  /** After how many attempts a failure is logged as an error: `return_retry_tries`. */
  tries: number;
  /** Called when the master has the return, or it was dropped. */
  onDone(jid: string): void;
}

interface Waiting {
  entry: SpoolEntry;
  attempts: number;
  /** When the return is due to be sent. */
  dueMs: number;
  /** True if the master did not take the return together with others, so that it is sent alone. */
  alone: boolean;
}

interface Due {
  waiting: Waiting;
  load: Load;
}

const FIRST_DELAY_MS = 200;
/** The most returns in one request; the next constant bounds their bytes. */
const MAX_TOGETHER = 100;
const TOGETHER_BYTES = 262_144;

/**
 * Sends spooled returns to one master, in order and again until it has taken them. Returns that are due at the same time go in
 * one request.
 */
export class ReturnSender {
  readonly #options: ReturnSenderOptions;
  readonly #waiting: Waiting[] = [];
  readonly #closing = new AbortController();
  #wake = new AbortController();
  #running: Promise<void> | undefined;

  constructor(options: ReturnSenderOptions) {
    this.#options = options;
  }

  push(entry: SpoolEntry): void {
    this.#waiting.push({ entry, attempts: 0, dueMs: -Infinity, alone: false });
    this.#start();
  }

  /** Sends all returns now, because the master is connected again. */
  hurry(): void {
    for (const waiting of this.#waiting) waiting.dueMs = -Infinity;
    this.#start();
  }

  #start(): void {
    if (this.#closing.signal.aborted) return;
    this.#wake.abort();
    this.#running ??= this.#run().finally(() => this.#running = undefined);
  }

  async #run(): Promise<void> {
    const { clock, random, leastMs, mostMs } = this.#options;
    while (this.#waiting.length > 0 && !this.#closing.signal.aborted) {
      const now = clock.now();
      const due = this.#takeDue(now);
      if (due.length === 0) {
        this.#wake = new AbortController();
        let next = Infinity;
        for (const { dueMs } of this.#waiting) next = Math.min(next, dueMs);
        if (next < Infinity) await clock.sleep(Math.max(0, next - now), this.#wake.signal).catch(() => {});
        continue;
      }
      const timeoutMs = Math.round(leastMs + Math.max(0, mostMs - leastMs) * random());
      try {
        const kept = await this.#hand(due.map(({ load }) => load), timeoutMs);
        this.#settle(due.filter((_, at) => kept[at]));
        const left = due.filter((_, at) => !kept[at]);
        for (const { waiting } of left) waiting.alone = true;
        if (left.length > 0) this.#failed(left, "the master could not store it");
      } catch (error) {
        if (this.#closing.signal.aborted) return;
        this.#failed(due, messageOf(error));
      }
    }
  }

  async #hand(loads: readonly Load[], timeoutMs: number): Promise<readonly boolean[]> {
    if (loads.length > 1) return await this.#options.sendTogether(loads, timeoutMs);
    await this.#options.send(loads[0]!, timeoutMs);
    return [true];
  }

  /** Removes the loads to send now from the queue, in order: one load, or as many as go in one request. */
  #takeDue(now: number): Due[] {
    const { spool, onDone, mostMs, together } = this.#options;
    const due: Due[] = [];
    const several = together();
    let bytes = 0;
    for (let at = 0; at < this.#waiting.length;) {
      const waiting = this.#waiting[at]!;
      const { entry, dueMs, alone } = waiting;
      // A clock that was set back must not make a return wait longer.
      if (dueMs > now && dueMs <= now + 2 * mostMs) {
        at++;
        continue;
      }
      bytes += entry.size;
      if (due.length > 0 && (alone || due.length >= MAX_TOGETHER || bytes > TOGETHER_BYTES)) break;
      const load = spool.tooOld(entry) ? undefined : spool.load(entry);
      // A load that is not a return reports how a job ended without one: it has its own command.
      const single = alone || load !== undefined && load.cmd !== "_return";
      if (due.length > 0 && single) break;
      this.#waiting.splice(at, 1);
      if (load === undefined) {
        spool.done(entry);
        onDone(entry.jid);
        continue;
      }
      due.push({ waiting, load });
      if (single || !several) break;
    }
    return due;
  }

  #settle(taken: readonly Due[]): void {
    for (const { waiting: { entry } } of taken) {
      this.#options.spool.done(entry);
      this.#options.onDone(entry.jid);
    }
  }

  #failed(due: readonly Due[], error: string): void {
    const { clock, spool, log, random, mostMs, tries } = this.#options;
    const attempt = 1 + Math.max(...due.map(({ waiting }) => waiting.attempts));
    const givenUp = due.some(({ waiting }) => waiting.attempts === tries - 1);
    const dueMs = clock.now() + backoffDelay(attempt - 1, { initialMs: FIRST_DELAY_MS, maxMs: mostMs }, random());
    for (const { waiting } of due) {
      waiting.attempts++;
      waiting.dueMs = dueMs;
      spool.rest(waiting.entry);
    }
    this.#waiting.unshift(...due.map(({ waiting }) => waiting));
    const [{ waiting: { entry } }] = due as [Due];
    const fields = { jid: entry.jid, ...(due.length > 1 ? { returns: due.length } : {}), attempt, error };
    if (givenUp) log.error("return not accepted by the master: kept and sent again", fields);
    else log.warning("return not delivered", fields);
  }

  close(): void {
    this.#closing.abort();
    this.#wake.abort();
  }
}
