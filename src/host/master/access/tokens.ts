import type { Clock } from "../../../base/async/clock.ts";
import { hex } from "../../../protocol/crypto/hex.ts";
import { joinPath } from "../../../base/paths.ts";
import type { MasterOpts } from "../../../model/config/master_opts.ts";
import { messageOf } from "../../../base/errors.ts";
import type { Logger } from "../../../base/log.ts";
import type { Crypto, HashName } from "../../../runtime/crypto.ts";
import type { FileSystem } from "../../../runtime/fs.ts";
import type { Runtime } from "../../../runtime/runtime.ts";
import { decode, encode, Float } from "../../../protocol/wire/msgpack.ts";
import { isRecord } from "../load.ts";

/** A token, which authenticates a user of external authentication until it expires. */
export interface Token {
  /** When the token was made, in seconds since the epoch, with fractions. */
  start: number;
  expire: number;
  name: string;
  eauth: string;
  groups?: string[];
  auth_list?: unknown[];
  token: string;
}

interface TokenFilesOptions {
  fs: FileSystem;
  crypto: Crypto;
  clock: Clock;
  log: Logger;
  /** The directory of the tokens; it is made with the first token. */
  directory: string;
  /** Salt's `hash_type`: makes the token of random bytes. */
  hashName: HashName;
}

/** Matches the hex digits of any of the hashes; no other text is used as a file name. */
const TOKEN = /^[0-9a-f]{32,128}$/;

/**
 * Tokens as files in Salt's form, `<token_dir>/<token>`, readable by the master's user alone.
 *
 * @see salt/tokens/localfs.py
 */
export class TokenFiles {
  readonly #options: TokenFilesOptions;
  /** Called after a token was written or removed. @default not called */
  onChange: ((token: string) => void) | undefined;

  constructor(options: TokenFilesOptions) {
    this.#options = options;
  }

  #path(token: unknown): string | undefined {
    return typeof token === "string" && TOKEN.test(token) ? joinPath(this.#options.directory, token) : undefined;
  }

  /**
   * Makes a token that is valid for a number of seconds.
   *
   * @param otherName a second name of the token, in hex digits, which expires with it; ignored if another token has this name
   */
  create(
    owner: Pick<Token, "name" | "eauth" | "groups" | "auth_list">,
    seconds: number,
    otherName?: unknown,
  ): Token {
    const { crypto, clock, hashName } = this.#options;
    const start = clock.now() / 1000;
    const { name, eauth, groups, auth_list } = owner;
    const token: Token = {
      start,
      expire: start + seconds,
      name,
      eauth,
      ...(groups === undefined ? {} : { groups }),
      ...(auth_list === undefined ? {} : { auth_list }),
      token: hex(crypto.hash(hashName, crypto.randomBytes(512))),
    };
    this.store(token);
    const other = this.#path(otherName);
    if (other !== undefined && this.#options.fs.stat(other, { follow: false }) === undefined) {
      this.store(token, otherName as string);
    }
    return token;
  }

  store(token: Token, name = token.token): void {
    const { fs, directory } = this.#options;
    const path = this.#path(name);
    if (path === undefined) throw new RangeError("Cannot store a token: expected the hex digits of a hash");
    fs.mkdir(directory, 0o700);
    // Python would read a whole number as an int, but Salt's tools expect floats here.
    const wire = { ...token, start: new Float(token.start), expire: new Float(token.expire) };
    fs.write(path, encode(wire, "wire"), { mode: 0o600 });
    this.onChange?.(name);
  }

  /** Returns the token of a name; undefined if it is unknown or has expired. An expired token is removed. */
  get(name: unknown): Token | undefined {
    const found = this.#read(name);
    return found === undefined || found.token === name || this.#read(found.token)?.token === found.token
      ? found
      : undefined;
  }

  #read(token: unknown): Token | undefined {
    const { fs, clock, log } = this.#options;
    if (!this.has(token)) return undefined;
    const path = this.#path(token)!;
    let fields: unknown;
    try {
      fields = decode(fs.read(path), { mode: "wire" });
    } catch (error) {
      log.warning("token file cannot be read and is ignored", { error: messageOf(error) });
      return undefined;
    }
    if (!isRecord(fields) || typeof fields.token !== "string") return undefined;
    const [start, expire] = [Number(fields.start), Number(fields.expire)];
    if (!(expire > clock.now() / 1000)) {
      fs.remove(path);
      return undefined;
    }
    return { ...fields, start, expire } as Token;
  }

  /** True if there is a file of this name, even if its token is no longer valid. */
  has(name: unknown): boolean {
    const path = this.#path(name);
    return path !== undefined && this.#options.fs.stat(path, { follow: false })?.kind === "file";
  }

  /** Removes a token. @returns false if there was none */
  remove(token: unknown): boolean {
    if (!this.has(token)) return false;
    this.#options.fs.remove(this.#path(token)!);
    this.onChange?.(token as string);
    return true;
  }

  /** True if there is a token with this SHA-256. */
  hasHash(sha256: string): boolean {
    return this.list().some((token) => this.hashOf(token) === sha256);
  }

  /** Returns the SHA-256 of a token, which records keep instead of the token: nobody can log in with it. */
  hashOf(token: string): string {
    return hex(this.#options.crypto.hash("sha256", new TextEncoder().encode(token)));
  }

  list(): string[] {
    const { fs, directory } = this.#options;
    return fs.stat(directory)?.kind === "directory" ? fs.list(directory).filter((name) => TOKEN.test(name)) : [];
  }
}

/** The directory of a master's tokens. As in Salt, the option `token_dir` does not change it. */
export const tokenDirectory = ({ cachedir }: Pick<MasterOpts, "cachedir">): string => joinPath(cachedir, "tokens");

export function tokenFiles({ fs, crypto, clock }: Runtime, log: Logger, opts: MasterOpts): TokenFiles {
  return new TokenFiles({
    fs,
    crypto,
    clock,
    log,
    directory: tokenDirectory(opts),
    hashName: opts.hash_type as HashName,
  });
}
