import { joinPath } from "../config/paths.ts";
import { newKeyString } from "../crypto/crypticle.ts";
import type { Crypto } from "../runtime/crypto.ts";
import type { FileSystem } from "../runtime/fs.ts";

/** Who a publication counts as, once its key has proven it. */
export interface ClientUser {
  /** The name that the job runs under. */
  user: string;
  /** True if it may do anything: root, or the user that the master runs as. */
  privileged: boolean;
}

/**
 * The secrets by which programs on the master's host prove which user they run as: `<cachedir>/.<user>_key`, readable by
 * that user alone.
 */
export class ClientKeys {
  readonly #keys = new Map<string, Uint8Array>();
  readonly #crypto: Crypto;
  readonly #masterUser: string;

  /** Makes a new key for each user; the files of before are worthless from then on. */
  constructor(fs: FileSystem, crypto: Crypto, cacheDir: string, masterUser: string) {
    this.#crypto = crypto;
    this.#masterUser = masterUser;
    for (const user of new Set([masterUser])) {
      const key = newKeyString(crypto);
      fs.write(joinPath(cacheDir, `.${user.replaceAll("\\", "_").replaceAll("/", "_")}_key`), key, { mode: 0o600 });
      this.#keys.set(user, new TextEncoder().encode(key));
    }
  }

  /** Undefined unless `key` is one that this user may have. */
  authenticate(user: unknown, key: unknown): ClientUser | undefined {
    if (typeof user !== "string" || typeof key !== "string") return undefined;
    const offered = new TextEncoder().encode(key);
    let known = false;
    // Every key is compared, so that the time taken tells nothing.
    for (const secret of this.#keys.values()) if (this.#crypto.equal(secret, offered)) known = true;
    if (!known) return undefined;
    if (user.startsWith("sudo_")) return { user, privileged: true };
    return { user, privileged: user === "root" || user === this.#masterUser };
  }
}
