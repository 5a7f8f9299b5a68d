import type { Clock } from "../../base/async/clock.ts";
import { isRecord } from "../../base/record.ts";
import { messageOf, ProtocolError } from "../../base/errors.ts";
import type { Logger } from "../../base/log.ts";
import type { HttpExchange } from "./exchange.ts";

/** The credentials of a login, and the backend of `external_auth` that checks them. */
export interface HttpLogin {
  /** The name of the user. */
  username: string;
  /** The user's password. */
  password: string;
  /** The backend that checks the password, such as `"pam"`. */
  eauth: string;
}

/** The options of a session: a token, or a login. */
interface SessionOptions {
  exchange: HttpExchange;
  clock: Clock;
  log: Logger;
  timeoutMs: number;
  token: string | undefined;
  login: HttpLogin | undefined;
}

/** How long before its expiry a token is no longer used, in milliseconds. */
const MARGIN_MS = 10_000;
/** The difference below which two clocks count as equal, in milliseconds: an answer takes a while. */
const SAME_CLOCK_MS = 2000;
const LOGOUT_MS = 5000;
/** True for a time that a job id can contain: a year with four digits, within the exact range of numbers. */
const hasJid = (ms: number): boolean => ms > 0 && ms < Date.UTC(2255, 0);

/** The token of a client: given, or from a login, which is repeated when the token has expired. */
export class HttpSession {
  readonly #options: SessionOptions;
  #token: string | undefined;
  #expireMs = Infinity;
  #pending: Promise<string> | undefined;
  /** How far the master's clock is ahead of the local clock, in milliseconds; 0 until a login has shown it. */
  aheadMs = 0;

  constructor(options: SessionOptions) {
    this.#options = options;
    this.#token = options.token;
  }

  /** The token to send. Concurrent callers share one login. */
  async token(): Promise<string> {
    const { clock, login } = this.#options;
    if (this.#token !== undefined && (login === undefined || clock.now() < this.#expireMs - MARGIN_MS)) {
      return this.#token;
    }
    return await (this.#pending ??= this.#logIn(login!).finally(() => this.#pending = undefined));
  }

  /**
   * Drops a token that the server does not accept.
   *
   * @returns true if another token can be obtained by a login
   */
  refused(token: string): boolean {
    if (this.#options.login === undefined) return false;
    if (this.#token === token) this.#token = undefined;
    return true;
  }

  async #logIn(login: HttpLogin): Promise<string> {
    const { exchange, clock, timeoutMs } = this.#options;
    const before = clock.now();
    const answer = await exchange.json({ method: "POST", path: ["login"], body: login, timeoutMs, safe: true });
    const [record] = isRecord(answer) && Array.isArray(answer.return) ? answer.return : [];
    const { token, expire, start } = isRecord(record) ? record : {};
    if (typeof token !== "string" || token === "") {
      throw new ProtocolError(`${exchange.origin} answered a login without a token: check that it is a salt-api`);
    }
    const after = clock.now();
    if (typeof start === "number") {
      const aheadMs = start * 1000 - (before + after) / 2;
      this.aheadMs = Math.abs(aheadMs) < SAME_CLOCK_MS || !hasJid(after + aheadMs) ? 0 : aheadMs;
    }
    this.#token = token;
    // Computed with the local clock. An implausibly short lifetime is ignored: otherwise each call would log in.
    this.#expireMs = typeof expire === "number"
      ? Math.max(expire * 1000 - this.aheadMs, after + 2 * MARGIN_MS)
      : Infinity;
    return token;
  }

  /** Ends the login at the server; a given token is not ended. */
  async close(): Promise<void> {
    const { exchange, login, log } = this.#options;
    const token = this.#token;
    this.#token = undefined;
    if (login === undefined || token === undefined) return;
    try {
      await exchange.json({ method: "POST", path: ["logout"], body: {}, token, timeoutMs: LOGOUT_MS });
    } catch (error) {
      log.warning("cannot log out of the server", { url: exchange.origin, error: messageOf(error) });
    }
  }
}
