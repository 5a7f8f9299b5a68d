import type { Clock } from "../../async/clock.ts";
import type { TokenRecord } from "../../client/tokens.ts";
import { hex } from "../../crypto/hex.ts";
import type { Crypto } from "../../runtime/crypto.ts";
import { type GatewaySettings, SESSION_MS } from "../settings.ts";

/** Somebody who has signed in at the gateway. */
export interface Session {
  /** What the client presents. */
  readonly id: string;
  /** What the master gave; never shown to a client of the default profile. */
  readonly record: TokenRecord;
  /** Milliseconds since the epoch; moves on with each request. */
  lastUsed: number;
  /** Called when it ends: streams that live on it end, too. */
  readonly onEnd: Set<() => void>;
}

/**
 * The cookie of a session, the only one that there is: no script of a page reads it, no other site has the browser send it, and
 * with TLS it never goes out without.
 *
 * @param rest how long it lives: `Max-Age=…`
 */
export function sessionCookie(id: string, { tls }: Pick<GatewaySettings, "tls">, ...rest: readonly string[]): string {
  const secure = tls === undefined ? [] : ["Secure"];
  return [`session_id=${id}`, ...rest, "Path=/", "HttpOnly", "SameSite=Lax", ...secure].join("; ");
}

/** As many as are kept; the one that was used longest ago gives way. */
const MOST_SESSIONS = 100_000;
/** Between two looks for sessions that are over, in milliseconds. */
const SWEEP_MS = 60_000;

/** Who has signed in. Kept in memory: with the process all sessions are gone. */
export class Sessions {
  readonly #clock: Clock;
  readonly #crypto: Crypto;
  /** In order of their last use: a session is put at the end when it is used. */
  readonly #sessions = new Map<string, Session>();
  #swept: number;

  constructor(clock: Clock, crypto: Crypto) {
    this.#clock = clock;
    this.#crypto = crypto;
    this.#swept = clock.now();
  }

  get size(): number {
    return this.#sessions.size;
  }

  /** 40 hex digits that nobody can guess. */
  newId(): string {
    return hex(this.#crypto.randomBytes(20));
  }

  /** The session of that id, which thereby lives on; undefined if there is none. */
  use(id: string): Session | undefined {
    const now = this.#clock.now();
    if (now - this.#swept > SWEEP_MS) this.#sweep(now);
    const session = this.#sessions.get(id);
    if (session === undefined) return undefined;
    if (now - session.lastUsed >= SESSION_MS) {
      this.end(session);
      return undefined;
    }
    session.lastUsed = now;
    this.#sessions.delete(id);
    this.#sessions.set(id, session);
    return session;
  }

  /** A new session, under an id that was never shown to anybody before. */
  start(record: TokenRecord): Session {
    const session: Session = { id: this.newId(), record, lastUsed: this.#clock.now(), onEnd: new Set() };
    this.#sessions.set(session.id, session);
    if (this.#sessions.size > MOST_SESSIONS) this.end(this.#sessions.values().next().value!);
    return session;
  }

  end(session: Session): void {
    if (!this.#sessions.delete(session.id)) return;
    for (const tell of [...session.onEnd]) tell();
    session.onEnd.clear();
  }

  #sweep(now: number): void {
    this.#swept = now;
    for (const session of this.#sessions.values()) {
      if (now - session.lastUsed < SESSION_MS) break;
      this.end(session);
    }
  }
}
