import { type LogRecord, passes } from "../../src/base/log.ts";

/** Messages that are kept: the latest. */
const KEPT = 20;

/** A message of the log, as the status report shows it. */
export interface LastError {
  /** Time of the last occurrence: `2026-11-22T10:15:00.123Z`. */
  time: string;
  level: string;
  part: string;
  message: string;
  /** How often it was logged. */
  count: number;
}

/**
 * The last errors of a daemon's log, each message once. Only the constant texts: values of fields stay in the log.
 */
export class LastErrors {
  readonly #now: () => number;
  readonly #errors = new Map<string, LastError>();

  /** @param now milliseconds since the epoch */
  constructor(now: () => number) {
    this.#now = now;
  }

  note({ level, name, message }: LogRecord): void {
    if (!passes(level, "error")) return;
    const key = `${name} ${message}`;
    const count = (this.#errors.get(key)?.count ?? 0) + 1;
    // The latest stands last.
    this.#errors.delete(key);
    this.#errors.set(key, { time: new Date(this.#now()).toISOString(), level, part: name, message, count });
    if (this.#errors.size > KEPT) this.#errors.delete(this.#errors.keys().next().value!);
  }

  /** The latest first. */
  list(): LastError[] {
    return [...this.#errors.values()].reverse();
  }
}
