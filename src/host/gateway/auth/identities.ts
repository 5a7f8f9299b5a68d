import type { Clock } from "../../../base/async/clock.ts";
import type { Crypto } from "../../../runtime/crypto.ts";
import type { TokenRecord } from "../../../client/tokens.ts";
import { mayComeFrom } from "./sign_in_limits.ts";
import { API_KEY_PREFIX, apiKeyOf } from "./api_keys.ts";
import type { FailedAttempts, Verdict } from "./failed_attempts.ts";
import type { Backend } from "../backend/backend.ts";
import type { Identity } from "./permissions.ts";
import { HttpError } from "../wire/errors.ts";
import type { Jwts, Opened, TokenPair } from "./jwt.ts";
import type { Sessions } from "./sessions.ts";
import type { ApiKeySetting, GatewaySettings } from "../settings.ts";

/** The remaining seconds below which a token is replaced. */
const MIN_SECONDS_LEFT = 60;

interface IdentitiesOptions {
  clock: Clock;
  crypto: Crypto;
  settings: GatewaySettings;
  backend: Backend;
  sessions: Sessions;
  jwts: Jwts | undefined;
  attempts: FailedAttempts;
}

/** The arguments of a refresh: the master as the caller may use it, and the caller's address. */
interface Renewal {
  backend: Pick<Backend, "token">;
  address: string;
}

/** Authenticates callers by a session id, a JSON Web Token, or an API key. */
export class Identities {
  readonly #options: IdentitiesOptions;
  /** Name of an API key → the eauth token that the gateway got for it. */
  readonly #tokens = new Map<string, Promise<TokenRecord | undefined>>();

  constructor(options: IdentitiesOptions) {
    this.#options = options;
  }

  get jwts(): Jwts | undefined {
    return this.#options.jwts;
  }

  /**
   * The caller; undefined if the presented credential is not valid.
   *
   * @throws {HttpError} 429 after too many invalid ones from that address
   */
  async find(presented: string, address: string): Promise<Identity | undefined> {
    const { sessions, jwts } = this.#options;
    const session = sessions.use(presented) ??
      await sessions.takeUp(presented, (name) => this.#recordOf(name, presented, address));
    if (session !== undefined) return { record: session.record, session, endListeners: session.onEnd };
    if (presented.startsWith(API_KEY_PREFIX)) return await this.#ofApiKey(presented, address);
    if (jwts === undefined || presented.split(".").length !== 5) return undefined;
    const opened = await this.#opened(presented, "access", address);
    if (opened === undefined) return undefined;
    const { record, family } = opened;
    return { record, family, endListeners: jwts.endListeners(family) };
  }

  /** The master's record of a session, by its name there; undefined if the address has presented too many invalid ones. */
  async #recordOf(name: string, secret: string, address: string): Promise<TokenRecord | undefined> {
    const { attempts, backend, settings } = this.#options;
    const finish = await attempts.begin({ address, secret }).catch(() => undefined);
    if (finish === undefined) return undefined;
    let verdict: Verdict = "untried";
    try {
      const record = await backend.token(name);
      verdict = record === undefined ? "failed" : "valid";
      return record !== undefined && mayComeFrom(settings, record.name, address) ? record : undefined;
    } finally {
      finish(verdict);
    }
  }

  /** A new pair of tokens for a refresh token; undefined if the refresh token is not valid. */
  async refresh(presented: unknown, { backend, address }: Renewal): Promise<TokenPair | undefined> {
    const { jwts } = this.#options;
    if (jwts === undefined || typeof presented !== "string") return undefined;
    const opened = await this.#opened(presented, "refresh", address);
    // The master may have revoked the eauth token meanwhile.
    const known = opened === undefined ? undefined : await backend.token(opened.record.token);
    return known === undefined ? undefined : await jwts.renew(opened!, known);
  }

  /** Ends a caller's session or login, and revokes its eauth token, which must not outlive the login. */
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

  /** Counts an invalid token. Valid tokens are recognized without asking the master, and need no place. */
  async #failed(secret: string, address: string): Promise<void> {
    const finish = await this.#options.attempts.begin({ address, secret });
    finish("failed");
  }

  async #ofApiKey(key: string, address: string): Promise<Identity | undefined> {
    const { crypto, settings, settings: { apiKeys } } = this.#options;
    const found = apiKeyOf(crypto, apiKeys, key);
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
    if (known !== undefined && known.expire - MIN_SECONDS_LEFT > clock.now() / 1000) return known;
    const asked = backend.login({ eauth: "sharedsecret", username: setting.user, password: sharedSecret });
    this.#tokens.set(setting.name, asked);
    asked.then((record) => record === undefined && this.#tokens.delete(setting.name), () => {
      this.#tokens.delete(setting.name);
    });
    return await asked;
  }
}
