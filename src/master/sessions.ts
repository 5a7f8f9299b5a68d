import type { Clock } from "../async/clock.ts";
import type { SessionStore } from "../channel/key_store.ts";
import { joinPath } from "../config/paths.ts";
import { newKeyString } from "../crypto/crypticle.ts";
import { isMinionId } from "../job/minion_id.ts";
import type { Crypto } from "../runtime/crypto.ts";
import type { FileSystem } from "../runtime/fs.ts";

const KEY_STRING = /^[A-Za-z0-9+/]{75}=$/;

/**
 * Session keys on disk (`<cachedir>/sessions/<id>`), so that a restart of the master does not make a whole fleet sign in
 * at once. A key older than `publish_session` seconds is replaced.
 */
export class SessionFiles implements SessionStore {
  readonly #fs: FileSystem;
  readonly #crypto: Crypto;
  readonly #clock: Clock;
  readonly #directory: string;
  readonly #lifetimeMs: number;
  readonly #known = new Map<string, { keyString: string; expires: number }>();

  constructor(fs: FileSystem, crypto: Crypto, clock: Clock, cacheDir: string, lifetimeSeconds: number) {
    this.#fs = fs;
    this.#crypto = crypto;
    this.#clock = clock;
    this.#directory = joinPath(cacheDir, "sessions");
    this.#lifetimeMs = lifetimeSeconds * 1000;
    fs.mkdir(this.#directory, 0o700);
  }

  get(id: string): string {
    const now = this.#clock.now();
    const known = this.#known.get(id);
    if (known !== undefined && now < known.expires) return known.keyString;
    if (!isMinionId(id)) throw new RangeError(`Cannot keep a session: "${id}" is not a minion id`);
    const path = joinPath(this.#directory, id);
    const stat = this.#fs.stat(path);
    if (stat?.kind === "file" && now < stat.mtimeMs + this.#lifetimeMs && stat.size < 200) {
      const keyString = this.#fs.readText(path).trim();
      if (KEY_STRING.test(keyString)) {
        this.#known.set(id, { keyString, expires: stat.mtimeMs + this.#lifetimeMs });
        return keyString;
      }
    }
    return this.#create(id, path, now);
  }

  rotate(id: string): void {
    if (isMinionId(id)) this.#create(id, joinPath(this.#directory, id), this.#clock.now());
  }

  #create(id: string, path: string, now: number): string {
    const keyString = newKeyString(this.#crypto);
    this.#fs.write(path, keyString, { mode: 0o600 });
    this.#known.set(id, { keyString, expires: now + this.#lifetimeMs });
    return keyString;
  }
}
