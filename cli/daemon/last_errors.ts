import { type LogRecord, passes } from "../../src/base/log.ts";

/** Messages that are kept, at most; the oldest are dropped. */
const MAX_KEPT = 20;

/** A logged message in the form of the status report. */
interface LastError {
  /** Time of its last occurrence: `2026-11-22T10:15:00.123Z`. */
  time: string;
  level: string;
  part: string;
  message: string;
  /** How often it was logged. */
  count: number;
}

/** The last errors in a daemon's log, each message once. Only constant texts are kept, without the values of fields. */
export class LastErrors {
  readonly #now: () => number;
  readonly #errors = new Map<string, LastError>();

  /** @param now returns milliseconds since the epoch */
  constructor(now: () => number) {
    this.#now = now;
  }

  note({ level, name, message }: LogRecord): void {
    if (!passes(level, "error")) return;
    const key = `${name} ${message}`;
    const count = (this.#errors.get(key)?.count ?? 0) + 1;
    // Move the message to the end, as the latest.
    this.#errors.delete(key);
    this.#errors.set(key, { time: new Date(this.#now()).toISOString(), level, part: name, message, count });
    if (this.#errors.size > MAX_KEPT) this.#errors.delete(this.#errors.keys().next().value!);
  }

  /** The messages, latest first. */
  list(): LastError[] {
    return [...this.#errors.values()].reverse();
  }
}
