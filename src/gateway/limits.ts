import type { Clock } from "../async/clock.ts";
import { HttpError } from "./errors.ts";

const WINDOW_MS = 60_000;
/** Addresses that are remembered. */
const MOST_ADDRESSES = 10_000;

/** Counts failed sign-ins by address, and makes those wait who fail too often. */
export class LoginLimit {
  readonly #clock: Clock;
  readonly #limit: number;
  readonly #failures = new Map<string, { count: number; since: number }>();

  /** @param limit failures within a minute; 0 is no limit */
  constructor(clock: Clock, limit: number) {
    this.#clock = clock;
    this.#limit = limit;
  }

  /** @throws {HttpError} 429 with `Retry-After` for an address that has failed too often */
  check(address: string): void {
    const entry = this.#failures.get(address);
    if (this.#limit === 0 || entry === undefined) return;
    const left = entry.since + WINDOW_MS - this.#clock.now();
    if (left <= 0) this.#failures.delete(address);
    else if (entry.count >= this.#limit) {
      throw new HttpError(429, "Too many failed logins from this address", {
        "Retry-After": String(Math.ceil(left / 1000)),
      });
    }
  }

  failed(address: string): void {
    const now = this.#clock.now();
    const entry = this.#failures.get(address);
    if (entry !== undefined && now - entry.since < WINDOW_MS) entry.count++;
    else {
      this.#failures.delete(address);
      this.#failures.set(address, { count: 1, since: now });
    }
    if (this.#failures.size > MOST_ADDRESSES) this.#failures.delete(this.#failures.keys().next().value!);
  }
}
