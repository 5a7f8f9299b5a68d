import type { Clock } from "../../../base/async/clock.ts";
import type { TokenRecord } from "../../../client/tokens.ts";
import { hex } from "../../../protocol/crypto/hex.ts";
import type { Crypto } from "../../../runtime/crypto.ts";
import type { GatewaySettings } from "../settings.ts";

/** How long after its last request a session ends, in milliseconds. */
export const SESSION_MS = 10 * 3_600_000;

export interface Session {
  readonly id: string;
  /** The eauth token; never sent to a client of `rest_cherrypy`. */
  readonly record: TokenRecord;
  /** The time of the last request, in milliseconds since the epoch. */
  lastUsed: number;
  /** Functions to call when the session ends, so that its streams end too. */
  readonly onEnd: Set<() => void>;
}

/**
 * The cookie of a session, the gateway's only cookie. Scripts cannot read it, a browser does not send it for other sites, and
 * with TLS it is never sent over plain HTTP.
 *
 * @param lifetime an attribute such as `Max-Age=…`
 */
export function sessionCookie(
  id: string,
  { tls }: Pick<GatewaySettings, "tls">,
  ...lifetime: readonly string[]
): string {
  const secure = tls === undefined ? [] : ["Secure"];
  return [`session_id=${id}`, ...lifetime, "Path=/", "HttpOnly", "SameSite=Lax", ...secure].join("; ");
}

/** The most sessions that are kept; beyond that, the session that was not used for longest ends. */
const MAX_SESSIONS = 100_000;
/** Time between two searches for expired sessions, in milliseconds. */
const SWEEP_MS = 60_000;

/** Matches a session id: 40 hex digits. */
const ID = /^[0-9a-f]{40}$/;

/**
 * The sessions of the logins at this gateway, in memory. The master finds the token of a login by a name made from the session's id,
 * so another gateway of the master, or of another master of its cluster, can continue the session.
 */
export class Sessions {
  readonly #clock: Clock;
  readonly #crypto: Crypto;
  /** The sessions by id, in the order of their last use. */
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

  /** Makes a session id: 40 random hex digits. */
  newId(): string {
    return hex(this.#crypto.randomBytes(20));
  }

  /** The session with an id, which counts as used; undefined if there is none. */
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

  /** The name under which the master keeps the token of a session; the id cannot be derived from the name. */
  nameOf(id: string): string {
    return hex(this.#crypto.hash("sha256", new TextEncoder().encode(`session ${id}`)));
  }

  /**
   * Continues a session that this gateway does not know, from the master's record; undefined if it may have ended for lack of requests
   * since its login.
   *
   * @param find reads the record by the session's name at the master
   */
  async takeUp(
    id: string,
    find: (name: string) => Promise<TokenRecord | undefined>,
  ): Promise<Session | undefined> {
    const record = ID.test(id) ? await find(this.nameOf(id)) : undefined;
    if (record === undefined || this.#clock.now() - record.start * 1000 >= SESSION_MS) return undefined;
    return this.#sessions.get(id) ?? this.start(id, record);
  }

  /** Starts a session. @param id made by {@link Sessions.newId} */
  start(id: string, record: TokenRecord): Session {
    const session: Session = { id, record, lastUsed: this.#clock.now(), onEnd: new Set() };
    this.#sessions.set(session.id, session);
    if (this.#sessions.size > MAX_SESSIONS) this.end(this.#sessions.values().next().value!);
    return session;
  }

  end(session: Session): void {
    if (!this.#sessions.delete(session.id)) return;
    for (const onEnd of [...session.onEnd]) onEnd();
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
