import type { Clock } from "../../../base/async/clock.ts";
import type { SessionKeyStore } from "../../../protocol/channel/key_store.ts";
import { joinPath } from "../../../base/paths.ts";
import { newKeyString } from "../../../protocol/crypto/crypticle.ts";
import { hex } from "../../../protocol/crypto/hex.ts";
import { cleanPem } from "../../../protocol/crypto/rsa_key.ts";
import { messageOf } from "../../../base/errors.ts";
import { isMinionId } from "../../../base/minion_id.ts";
import type { Logger } from "../../../base/log.ts";
import type { Crypto } from "../../../runtime/crypto.ts";
import type { FileSystem } from "../../../runtime/fs.ts";

const KEY_STRING = /^[A-Za-z0-9+/]{75}=$/;
/** The most bytes of the sessions file that is read at the start; a minion takes about 300. */
const MAX_FILE_BYTES = 2 ** 27;

interface SessionKey {
  keyString: string;
  /** When the session key was made, by `Clock.elapsed()`: setting the clock neither ends nor prolongs a session. */
  madeAt: number;
  /** The public key that the session key was made for; if the session was read from the disk, the hash of that key. */
  pem?: string;
  hash?: string;
  /** The newest time of a request that an earlier master has taken under this session key, in seconds. */
  floor?: number;
}

interface SessionKeysOptions {
  fs: FileSystem;
  crypto: Crypto;
  clock: Pick<Clock, "now" | "elapsed">;
  log: Logger;
  cacheDir: string;
  /** The master's public key: the next run uses the sessions that this run leaves only if it has the same key. */
  masterPem: string;
  /** After how many seconds a session is replaced: `publish_session`. */
  lifetimeSeconds: number;
}

/**
 * Session keys, each bound to the public key that it was made for. They are in memory: a master that was killed begins with
 * none, since it cannot know which requests the killed process has taken, and a captured request must be worthless. A
 * master that stops in order leaves them in `<cachedir>/.sessions`, with the newest request time of each, so that the
 * next run accepts the returns of minions without another sign-in. The file is removed before the first of these keys is used. A master
 * with another key does not use them: only a sign-in tells a minion that the master's key has changed.
 */
export class SessionKeys implements SessionKeyStore {
  readonly #options: SessionKeysOptions;
  readonly #path: string;
  readonly #keys = new Map<string, SessionKey>();

  constructor(options: SessionKeysOptions) {
    this.#options = options;
    this.#path = joinPath(options.cacheDir, ".sessions");
    try {
      this.#restore();
    } catch (error) {
      this.#keys.clear();
      options.log.warning("session keys of the last run not restored: minions will sign in again", {
        error: messageOf(error),
      });
    }
  }

  get(id: string, pem: string): string {
    if (!isMinionId(id.replace(/\0second$/, ""))) {
      throw new RangeError(`Cannot make a session key: "${id}" is not a minion id`);
    }
    const session = this.#keys.get(id);
    if (session !== undefined && this.#isGood(session) && this.#isFor(session, pem)) return session.keyString;
    const keyString = newKeyString(this.#options.crypto);
    this.#keys.set(id, { keyString, madeAt: this.#options.clock.elapsed(), pem });
    return keyString;
  }

  floor(id: string): number | undefined {
    return this.#keys.get(id)?.floor;
  }

  rotate(id: string): void {
    this.#keys.delete(id);
  }

  /** Forgets the sessions whose time is over. @returns how many */
  sweep(): number {
    let gone = 0;
    for (const [id, session] of this.#keys) {
      if (this.#isGood(session)) continue;
      this.#keys.delete(id);
      gone++;
    }
    return gone;
  }

  /**
   * Saves the session keys for the next master. Call it when no more requests are accepted.
   *
   * @param newest time of a request that was taken under the minion's session; undefined if none was, `"unknown"` if a
   * request without a time was: such a session cannot be used again
   */
  save(newest: (id: string) => number | "unknown" | undefined): void {
    const { fs, log, clock } = this.#options;
    const began = clock.now() - clock.elapsed();
    const lines = [JSON.stringify({ master: this.#hash(this.#options.masterPem) })];
    for (const [id, session] of this.#keys) {
      // A session of a second key is not saved: that minion signs in again.
      if (!isMinionId(id)) continue;
      const seen = newest(id);
      if (seen === "unknown" || !this.#isGood(session)) continue;
      const floor = seen ?? session.floor ?? null;
      const hash = session.hash ?? this.#hash(session.pem!);
      lines.push(JSON.stringify([id, session.keyString, began + session.madeAt, hash, floor]));
    }
    try {
      fs.write(this.#path, lines.join("\n"), { mode: 0o600 });
    } catch (error) {
      log.warning("session keys cannot be saved for the next run: minions will sign in again", {
        error: messageOf(error),
      });
    }
  }

  #restore(): void {
    const { fs, clock, log, masterPem } = this.#options;
    const stat = fs.stat(this.#path);
    if (stat === undefined) return;
    const text = stat.kind === "file" && stat.size <= MAX_FILE_BYTES ? fs.readText(this.#path) : "";
    // The file is removed first: if it were read twice, requests of this run could be accepted again, also after a power failure.
    fs.remove(this.#path, { sync: true });
    const [first, ...lines] = text.split("\n");
    const { master } = JSON.parse(first || "{}") as { master?: unknown };
    if (master !== this.#hash(masterPem)) {
      log.warning("session keys of the last run not used: minions will sign in again", {
        reason: "it had another master key",
      });
      return;
    }
    for (const line of lines) {
      if (line === "") continue;
      const [id, keyString, madeMs, hash, floor] = JSON.parse(line) as unknown[];
      if (typeof keyString !== "string" || !KEY_STRING.test(keyString) || typeof hash !== "string") continue;
      if (!isMinionId(id) || typeof madeMs !== "number" || floor !== null && typeof floor !== "number") continue;
      // A session made in the future means that the clock was set: it is not used any more.
      if (madeMs > clock.now()) continue;
      const madeAt = clock.elapsed() - (clock.now() - madeMs);
      this.#keys.set(id, { keyString, madeAt, hash, ...(floor === null ? {} : { floor }) });
    }
  }

  #isGood({ madeAt }: SessionKey): boolean {
    return this.#options.clock.elapsed() < madeAt + this.#options.lifetimeSeconds * 1000;
  }

  #isFor(session: SessionKey, pem: string): boolean {
    if (session.pem === undefined) {
      if (session.hash !== this.#hash(pem)) return false;
      session.pem = pem;
    }
    return session.pem === pem || cleanPem(session.pem) === cleanPem(pem);
  }

  #hash(pem: string): string {
    return hex(this.#options.crypto.hash("sha256", new TextEncoder().encode(cleanPem(pem))));
  }
}
