import type { Clock } from "../../async/clock.ts";
import { hex } from "../../crypto/hex.ts";
import { fnmatch } from "../../event/tag.ts";
import type { Crypto } from "../../runtime/crypto.ts";
import type { TokenRecord } from "../../client/tokens.ts";
import type { Attempts } from "./failed_attempts.ts";
import type { Backend } from "../backend/backend.ts";
import type { Identity } from "../requests/call.ts";
import { HttpError } from "../wire/errors.ts";
import { fromHex } from "../wire/from_hex.ts";
import { type GuardedBackend, mayComeFrom } from "../backend/guarded_backend.ts";
import type { Jwts, Opened, TokenPair } from "./jwt.ts";
import type { Sessions } from "./sessions.ts";
import type { ApiKeySetting, GatewaySettings } from "../settings.ts";

/** What the gateway's own API keys begin with, so that they are not mistaken for anything else. */
export const API_KEY_PREFIX = "brine_";
/** A token that is this near its end is fetched anew, in seconds. */
const NEAR_END = 60;

export interface IdentitiesOptions {
  clock: Clock;
  crypto: Crypto;
  settings: GatewaySettings;
  backend: Backend;
  sessions: Sessions;
  jwts: Jwts | undefined;
  attempts: Attempts;
}

/** With what a token is renewed. */
export interface Renewal {
  backend: GuardedBackend;
  address: string;
}

/** Finds out who presents a token: the id of a session, a JWT, or an API key. */
export class Identities {
  readonly #options: IdentitiesOptions;
  /** API key → the eauth token that stands for it at the master. */
  readonly #tokens = new Map<string, Promise<TokenRecord | undefined>>();

  constructor(options: IdentitiesOptions) {
    this.#options = options;
  }

  get jwts(): Jwts | undefined {
    return this.#options.jwts;
  }

  /**
   * Who it is, or undefined.
   *
   * @throws {HttpError} 429 for one that does not hold, from an address that has shown too many of them
   */
  async find(presented: string, address: string): Promise<Identity | undefined> {
    const { sessions, jwts } = this.#options;
    const session = sessions.use(presented);
    if (session !== undefined) return { record: session.record, session, ending: session.onEnd };
    if (presented.startsWith(API_KEY_PREFIX)) return await this.#ofApiKey(presented, address);
    if (jwts === undefined || presented.split(".").length !== 5) return undefined;
    const opened = await this.#opened(presented, "access", address);
    if (opened === undefined) return undefined;
    const { record, family } = opened;
    return { record, family, ending: jwts.endings(family) };
  }

  /** A new pair for whoever presents a refresh token; undefined if it does not hold. */
  async refresh(presented: unknown, { backend, address }: Renewal): Promise<TokenPair | undefined> {
    const { jwts } = this.#options;
    if (jwts === undefined || typeof presented !== "string") return undefined;
    const opened = await this.#opened(presented, "refresh", address);
    // The master may have taken it back since.
    const known = opened === undefined ? undefined : await backend.token(opened.record.token);
    return known === undefined ? undefined : await jwts.renew(opened!, known);
  }

  /** Ends what somebody has signed in with, and what stood for it at the master: a token must not outlive its login. */
  async logOut({ session, family, record }: Identity): Promise<void> {
    const { sessions, jwts, backend } = this.#options;
    if (session === undefined && family === undefined) return;
    if (session !== undefined) sessions.end(session);
    if (family !== undefined) await jwts?.revoke(family);
    await backend.revoke(record.token);
  }

  async #opened(presented: string, use: "access" | "refresh", address: string): Promise<Opened | undefined> {
    const opened = await this.#options.jwts!.open(presented, use);
    if (opened === undefined) await this.#failed(presented, address);
    return opened;
  }

  /** What holds is known here without asking anybody, so that only what does not has to be counted. */
  async #failed(secret: string, address: string): Promise<void> {
    const end = await this.#options.attempts.begin({ address, secret });
    end("failed");
  }

  async #ofApiKey(key: string, address: string): Promise<Identity | undefined> {
    const { crypto, settings, settings: { apiKeys } } = this.#options;
    const digest = crypto.hash("sha256", new TextEncoder().encode(key));
    let found: ApiKeySetting | undefined;
    // All are compared, so that the time it takes tells nothing of which one is near.
    for (const setting of apiKeys) if (crypto.equal(digest, fromHex(setting.sha256))) found = setting;
    if (found === undefined) {
      await this.#failed(key, address);
      return undefined;
    }
    if (!mayComeFrom(settings, found.user, address)) return undefined;
    const record = await this.#tokenOf(found);
    return record === undefined ? undefined : { record, scopes: found.scopes };
  }

  async #tokenOf(setting: ApiKeySetting): Promise<TokenRecord | undefined> {
    const { clock, backend, settings: { sharedSecret } } = this.#options;
    if (sharedSecret === undefined) {
      throw new HttpError(503, "API keys need the master option sharedsecret, and external_auth for sharedsecret");
    }
    const known = await this.#tokens.get(setting.name);
    if (known !== undefined && known.expire - NEAR_END > clock.now() / 1000) return known;
    const asked = backend.login({ eauth: "sharedsecret", username: setting.user, password: sharedSecret });
    this.#tokens.set(setting.name, asked);
    asked.then((record) => record === undefined && this.#tokens.delete(setting.name), () => {
      this.#tokens.delete(setting.name);
    });
    return await asked;
  }
}

/**
 * True if an API key's scopes cover something.
 *
 * @param wanted `client:function`, `events` or `hook`
 */
export function inScope(identity: Identity, wanted: string): boolean {
  return identity.scopes === undefined || identity.scopes.some((scope) => fnmatch(scope)(wanted));
}

/** A new API key, for whoever writes the configuration: the key itself, and what is put there. */
export function newApiKey(crypto: Crypto): { key: string; sha256: string } {
  const key = `${API_KEY_PREFIX}${hex(crypto.randomBytes(32))}`;
  return { key, sha256: hex(crypto.hash("sha256", new TextEncoder().encode(key))) };
}
