import type { Clock } from "../async/clock.ts";
import { dirName } from "../config/paths.ts";
import { hex } from "../crypto/hex.ts";
import type { TokenRecord } from "../client/tokens.ts";
import { codeOf } from "../errors.ts";
import type { Crypto } from "../runtime/crypto.ts";
import type { FileSystem } from "../runtime/fs.ts";
import { fromHex } from "./from_hex.ts";

/** A key of the ring. */
interface RingKey {
  id: string;
  /** 32 octets as hex. */
  secret: string;
  /** Milliseconds since the epoch. */
  made: number;
}

export interface JwtOptions {
  clock: Clock;
  crypto: Crypto;
  fs: FileSystem;
  /** Where the ring is kept, so that tokens outlive the process. */
  path: string;
  /** False keeps the ring in memory alone. */
  keep: boolean;
  accessMs: number;
  refreshMs: number;
  rotateMs: number;
}

/** What a client gets. */
export interface TokenPair {
  access_token: string;
  /** Seconds since the epoch. */
  access_expire: number;
  refresh_token: string;
  refresh_expire: number;
}

const ISSUER = "brine";

/**
 * Sessions that are kept by the client: JSON Web Tokens, encrypted (dir, A256GCM), because what they carry is the eauth
 * token. The key is replaced every so often; those before it open tokens until the last of theirs has ended.
 */
export class Jwts {
  readonly #options: JwtOptions;
  #ring: RingKey[];

  constructor(options: JwtOptions) {
    this.#options = options;
    this.#ring = this.#load();
  }

  #load(): RingKey[] {
    const { fs, path, keep } = this.#options;
    if (!keep) return [];
    try {
      const ring: unknown = JSON.parse(fs.readText(path));
      if (Array.isArray(ring)) return ring as RingKey[];
    } catch (error) {
      // A ring that cannot be read is as good as none: its tokens are void, and people sign in again.
      if (codeOf(error) !== "ENOENT" && !(error instanceof SyntaxError)) throw error;
    }
    return [];
  }

  /** The key for new tokens; a new one when the last has served its time. */
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

  async #seal(record: TokenRecord, use: string, expire: number): Promise<string> {
    const { EncryptJWT } = await import("jose");
    const key = this.#current();
    return await new EncryptJWT({ use, record })
      .setProtectedHeader({ alg: "dir", enc: "A256GCM", kid: key.id })
      .setIssuer(ISSUER)
      .setSubject(record.name)
      .setIssuedAt(Math.floor(this.#options.clock.now() / 1000))
      .setExpirationTime(Math.floor(expire))
      .encrypt(fromHex(key.secret));
  }

  /** Tokens for somebody who has signed in; neither outlives what the master gave. */
  async issue(record: TokenRecord): Promise<TokenPair> {
    const { clock, accessMs, refreshMs } = this.#options;
    const now = clock.now();
    const access = Math.min(record.expire, (now + accessMs) / 1000);
    const refresh = Math.min(record.expire, (now + refreshMs) / 1000);
    return {
      access_token: await this.#seal(record, "access", access),
      access_expire: Math.floor(access),
      refresh_token: await this.#seal(record, "refresh", refresh),
      refresh_expire: Math.floor(refresh),
    };
  }

  /** What a token carries; undefined if it is none of ours, for another use, or over. */
  async open(token: string, use: "access" | "refresh"): Promise<TokenRecord | undefined> {
    const { jwtDecrypt } = await import("jose");
    try {
      const { payload } = await jwtDecrypt(token, ({ kid }) => {
        const key = this.#ring.find(({ id }) => id === kid);
        if (key === undefined) throw new RangeError("The token was made with a key that is no longer there");
        return fromHex(key.secret);
      }, {
        issuer: ISSUER,
        keyManagementAlgorithms: ["dir"],
        contentEncryptionAlgorithms: ["A256GCM"],
        currentDate: new Date(this.#options.clock.now()),
      });
      return payload.use === use ? payload.record as TokenRecord : undefined;
    } catch {
      // Whatever is wrong with it, it does not say who somebody is.
      return undefined;
    }
  }
}
