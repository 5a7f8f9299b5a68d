import type { Clock } from "../async/clock.ts";
import { hex } from "../crypto/hex.ts";
import { fnmatch } from "../event/tag.ts";
import type { Crypto } from "../runtime/crypto.ts";
import type { TokenRecord } from "../client/tokens.ts";
import type { Backend } from "./backend.ts";
import type { Identity } from "./call.ts";
import { HttpError } from "./errors.ts";
import { fromHex } from "./from_hex.ts";
import type { Jwts } from "./jwt.ts";
import type { Sessions } from "./sessions.ts";
import type { ApiKeySetting, GatewaySettings } from "./settings.ts";

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

  /** Who it is, or undefined. */
  async find(presented: string): Promise<Identity | undefined> {
    const { sessions, jwts } = this.#options;
    const session = sessions.use(presented);
    if (session !== undefined) return { record: session.record, session };
    if (presented.startsWith(API_KEY_PREFIX)) return await this.#ofApiKey(presented);
    if (jwts === undefined || presented.split(".").length !== 5) return undefined;
    const record = await jwts.open(presented, "access");
    return record === undefined ? undefined : { record };
  }

  async #ofApiKey(key: string): Promise<Identity | undefined> {
    const { crypto, settings: { apiKeys } } = this.#options;
    const digest = crypto.hash("sha256", new TextEncoder().encode(key));
    let found: ApiKeySetting | undefined;
    // All are compared, so that the time it takes tells nothing of which one is near.
    for (const setting of apiKeys) if (crypto.equal(digest, fromHex(setting.sha256))) found = setting;
    if (found === undefined) return undefined;
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
