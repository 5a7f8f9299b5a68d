import { backoffDelay } from "../async/backoff.ts";
import type { Clock } from "../async/clock.ts";
import { messageOf } from "../errors.ts";
import type { Logger } from "../log.ts";
import type { Spool, SpoolEntry } from "./spool.ts";

export interface ReturnSenderOptions {
  clock: Clock;
  log: Logger;
  spool: Spool;
  random(): number;
  /** Resolves once the master has taken the load. */
  send(load: Record<string, unknown>, timeoutMs: number): Promise<unknown>;
  /** Bounds of the time that one attempt may take, in milliseconds: `return_retry_timer`, `return_retry_timer_max`. */
  leastMs: number;
  mostMs: number;
  /** Attempts after which the log speaks of it as an error: `return_retry_tries`. */
  tries: number;
  /** The master has it. */
  onDone(jid: string): void;
}

interface Waiting {
  entry: SpoolEntry;
  attempts: number;
  /** When it is due. */
  dueMs: number;
}

const FIRST_DELAY_MS = 200;

/** Hands spooled returns to one master, in order, until it has taken them. */
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
    this.#waiting.push({ entry, attempts: 0, dueMs: -Infinity });
    this.#start();
  }

  /** The master is there again: nothing waits any longer. */
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
    const { clock, spool, log, random, leastMs, mostMs, tries } = this.#options;
    while (this.#waiting.length > 0 && !this.#closing.signal.aborted) {
      const now = clock.now();
      // A clock that was set back must not keep anything waiting.
      const at = this.#waiting.findIndex(({ dueMs }) => dueMs <= now || dueMs > now + 2 * mostMs);
      if (at < 0) {
        this.#wake = new AbortController();
        const next = Math.min(...this.#waiting.map(({ dueMs }) => dueMs));
        await clock.sleep(next - now, this.#wake.signal).catch(() => {});
        continue;
      }
      const [waiting] = this.#waiting.splice(at, 1) as [Waiting];
      const { entry } = waiting;
      if (spool.tooOld(entry)) {
        this.#options.onDone(entry.jid);
        continue;
      }
      const load = spool.load(entry);
      if (load === undefined) {
        spool.done(entry);
        this.#options.onDone(entry.jid);
        continue;
      }
      const timeoutMs = Math.round(leastMs + Math.max(0, mostMs - leastMs) * random());
      try {
        await this.#options.send(load, timeoutMs);
        spool.done(entry);
        this.#options.onDone(entry.jid);
      } catch (error) {
        if (this.#closing.signal.aborted) return;
        waiting.attempts++;
        const fields = { jid: entry.jid, attempt: waiting.attempts, error: messageOf(error) };
        if (waiting.attempts === tries) log.error("return not taken by the master: kept and tried on", fields);
        else log.warning("return not delivered", fields);
        spool.rest(entry);
        waiting.dueMs = clock.now() +
          backoffDelay(waiting.attempts - 1, { initialMs: FIRST_DELAY_MS, maxMs: mostMs }, random());
        this.#waiting.unshift(waiting);
      }
    }
  }

  close(): void {
    this.#closing.abort();
    this.#wake.abort();
  }
}
