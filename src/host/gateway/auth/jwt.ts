import type { Clock } from "../../../base/async/clock.ts";
import { dirName } from "../../../base/paths.ts";
import { fromHex, hex } from "../../../protocol/crypto/hex.ts";
import type { TokenRecord } from "../../../client/tokens.ts";
import { codeOf } from "../../../base/errors.ts";
import type { Crypto } from "../../../runtime/crypto.ts";
import type { FileSystem } from "../../../runtime/fs.ts";
import { type EndListeners, type Family, TokenFamilies } from "./token_families.ts";

/** One of the keys that tokens are encrypted with. */
interface RingKey {
  id: string;
  /** The key: 32 bytes as hex. */
  secret: string;
  /** When the key was made, in milliseconds since the epoch. */
  made: number;
}

interface JwtOptions {
  clock: Clock;
  crypto: Crypto;
  fs: FileSystem;
  /** The file of the keys, so that tokens outlive the process. */
  path: string;
  /** The file of revoked logins. */
  familiesPath: string;
  /** False keeps both in memory only. */
  keep: boolean;
  accessMs: number;
  refreshMs: number;
  rotateMs: number;
}

/** The tokens of a login, in the form for the client. */
export interface TokenPair {
  access_token: string;
  /** When the access token expires, in seconds since the epoch. */
  access_expire: number;
  refresh_token: string;
  refresh_expire: number;
}

export interface Opened {
  record: TokenRecord;
  family: Family;
  /** For a refresh token: the number of renewals of its login. */
  generation: number;
}

const ISSUER = "brine";

/**
 * Sessions that the client keeps: JSON Web Tokens, encrypted (dir, A256GCM) because they contain the eauth token. The key is
 * replaced every {@link JwtOptions.rotateMs}; older keys decrypt tokens until the last of their tokens has expired.
 */
export class Jwts {
  readonly #options: JwtOptions;
  readonly #families: TokenFamilies;
  #ring: RingKey[];

  constructor(options: JwtOptions) {
    const { clock, fs, familiesPath: path, keep } = options;
    this.#options = options;
    this.#families = new TokenFamilies({ clock, fs, path, keep });
    this.#ring = this.#load();
  }

  #load(): RingKey[] {
    const { fs, path, keep } = this.#options;
    if (!keep) return [];
    try {
      const ring: unknown = JSON.parse(fs.readText(path));
      if (Array.isArray(ring)) return ring as RingKey[];
    } catch (error) {
      // Without readable keys all tokens are invalid, and users sign in again.
      if (codeOf(error) !== "ENOENT" && !(error instanceof SyntaxError)) throw error;
    }
    return [];
  }

  /** The key for new tokens; makes a new one if the last key is too old. */
  #current(): RingKey {
    const { clock, crypto, fs, path, keep, rotateMs, refreshMs } = this.#options;
    const now = clock.now();
    const newest = this.#ring.at(-1);
    if (newest !== undefined && now - newest.made < rotateMs) return newest;
    const key = { id: hex(crypto.randomBytes(8)), secret: hex(crypto.randomBytes(32)), made: now };
    this.#ring = [...this.#ring.filter(({ made }) => now - made < rotateMs + refreshMs), key];
    if (!keep) return key;
    fs.mkdir(dirName(path), 0o700);
    fs.write(path, JSON.stringify(this.#ring), { mode: 0o600 });
    return key;
  }

  async #seal(opened: Opened, use: string, expire: number): Promise<string> {
    const { EncryptJWT } = await import("jose");
    const { crypto } = this.#options;
    const key = this.#current();
    const { record, family: { id }, generation } = opened;
    return await new EncryptJWT({ use, record, family: id, generation })
      .setJti(hex(crypto.randomBytes(16)))
      .setProtectedHeader({ alg: "dir", enc: "A256GCM", kid: key.id })
      .setIssuer(ISSUER)
      .setSubject(record.name)
      .setIssuedAt(Math.floor(this.#options.clock.now() / 1000))
      .setExpirationTime(Math.floor(expire))
      .encrypt(fromHex(key.secret));
  }

  /** Tokens for a new login; neither outlives the eauth token. */
  async issue(record: TokenRecord): Promise<TokenPair> {
    const id = hex(this.#options.crypto.randomBytes(16));
    return await this.#pair({ record, family: { id, user: record.name, expire: record.expire }, generation: 0 });
  }

  /**
   * The next tokens of a login; undefined if the refresh token was used before, which ends the login.
   *
   * @param record the master's current record of the eauth token
   */
  async renew({ family, generation }: Opened, record: TokenRecord): Promise<TokenPair | undefined> {
    const next = await this.#families.renew(family, generation);
    return next === undefined ? undefined : await this.#pair({ record, family, generation: next });
  }

  /** Revokes all tokens of a login, including renewed ones. */
  async revoke(family: Family): Promise<void> {
    await this.#families.revoke(family);
  }

  /** Functions to call when a login is revoked. */
  endListeners(family: Family): EndListeners {
    return this.#families.endListeners(family);
  }

  async #pair(opened: Opened): Promise<TokenPair> {
    const { record } = opened;
    const { clock, accessMs, refreshMs } = this.#options;
    const now = clock.now();
    const access = Math.min(record.expire, (now + accessMs) / 1000);
    const refresh = Math.min(record.expire, (now + refreshMs) / 1000);
    return {
      access_token: await this.#seal(opened, "access", access),
      access_expire: Math.floor(access),
      refresh_token: await this.#seal(opened, "refresh", refresh),
      refresh_expire: Math.floor(refresh),
    };
  }

  /** The content of a token; undefined if it was not made by this gateway, is for another use, has expired, or was revoked. */
  async open(token: string, use: "access" | "refresh"): Promise<Opened | undefined> {
    const { jwtDecrypt } = await import("jose");
    try {
      const { payload } = await jwtDecrypt(token, ({ kid }) => {
        const key = this.#ring.find(({ id }) => id === kid);
        if (key === undefined) throw new RangeError("The key of the token is unknown");
        return fromHex(key.secret);
      }, {
        issuer: ISSUER,
        keyManagementAlgorithms: ["dir"],
        contentEncryptionAlgorithms: ["A256GCM"],
        currentDate: new Date(this.#options.clock.now()),
      });
      if (payload.use !== use || typeof payload.family !== "string") return undefined;
      const record = payload.record as TokenRecord;
      const family = { id: payload.family, user: record.name, expire: record.expire };
      if (this.#families.isRevoked(family, payload.iat ?? 0)) return undefined;
      return { record, family, generation: Number(payload.generation) };
    } catch {
      // With any invalid token, the caller is not authenticated.
      return undefined;
    }
  }
}
