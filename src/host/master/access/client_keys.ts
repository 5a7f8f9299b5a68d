import { joinPath } from "../../../base/paths.ts";
import { newKeyString } from "../../../protocol/crypto/crypticle.ts";
import { messageOf } from "../../../base/errors.ts";
import type { Logger } from "../../../base/log.ts";
import { type AccountHost, allAccounts, findAccount } from "../../../runtime/accounts.ts";
import type { Crypto } from "../../../runtime/crypto.ts";
import type { FileSystem } from "../../../runtime/fs.ts";
import type { ProcessAccount } from "../../../runtime/process.ts";

interface ClientUser {
  /** The user name that the job runs under. */
  user: string;
  /** True if everything is permitted: the key belongs to the user that the master runs as. */
  privileged: boolean;
  /** True if the user is root by way of sudo. */
  sudo: boolean;
}

interface ClientKeysOptions {
  fs: FileSystem;
  crypto: Crypto;
  log: Logger;
  cacheDir: string;
  masterUser: string;
  /** The accounts, beside the master's own, that `publisher_acl` permits something. @default none */
  accounts?: readonly ProcessAccount[];
  /** The previous keys: users that may still call keep their keys, and all other keys are removed. @default none: all keys are new */
  before?: ClientKeys;
}

/** Returns the accounts of this host that have one of the names, or whose name satisfies a test. */
export function accountsOfHost(
  host: AccountHost,
  names: readonly string[],
  wanted: (name: string) => boolean,
): ProcessAccount[] {
  const listed = allAccounts(host).filter(({ name }) => names.includes(name) || wanted(name));
  // A directory service may know accounts that it does not list: look them up by name.
  const unlisted = names.filter((name) => !listed.some((account) => account.name === name))
    .map((name) => findAccount(host, name)).filter((account) => account !== undefined);
  return [...listed, ...unlisted].map(({ name, uid, gid }) => ({ name, uid, gid }));
}

const keyFile = (cacheDir: string, user: string) =>
  joinPath(cacheDir, `.${user.replaceAll("\\", "_").replaceAll("/", "_")}_key`);

/** The mode bit of a directory with which other users can open files whose names they know, but list none. */
const SEARCHABLE = 0o001;

/**
 * The secrets by which programs on the master's host authenticate as the user they run as: `<cachedir>/.<user>_key`, readable by
 * that user alone.
 */
export class ClientKeys {
  readonly #keys = new Map<string, Uint8Array>();
  readonly #crypto: Crypto;
  readonly #masterUser: string;

  /** Makes a new key for each user, which replaces the key of the last run. */
  constructor({ fs, crypto, log, cacheDir, masterUser, accounts = [], before }: ClientKeysOptions) {
    this.#crypto = crypto;
    this.#masterUser = masterUser;
    if (!this.#keep(before, masterUser)) this.#make(fs, cacheDir, masterUser);
    const mode = fs.stat(cacheDir)?.mode ?? 0;
    if (accounts.length > 0 && (mode & SEARCHABLE) === 0) fs.chmod(cacheDir, (mode & 0o7777) | SEARCHABLE);
    for (const { name, uid, gid } of accounts) {
      if (name === masterUser || this.#keep(before, name)) continue;
      try {
        const path = this.#make(fs, cacheDir, name);
        fs.chown(path, uid, gid);
      } catch (error) {
        this.#keys.delete(name);
        log.error("key file of a publisher_acl user could not be written", { user: name, error: messageOf(error) });
      }
    }
    const former = before === undefined ? [] : [...before.#keys.keys()];
    for (const user of former) if (!this.#keys.has(user)) fs.remove(keyFile(cacheDir, user));
  }

  /** Takes over the previous key of a user. @returns false if there was none */
  #keep(before: ClientKeys | undefined, user: string): boolean {
    const key = before === undefined ? undefined : before.#keys.get(user);
    if (key !== undefined) this.#keys.set(user, key);
    return key !== undefined;
  }

  #make(fs: FileSystem, cacheDir: string, user: string): string {
    const key = newKeyString(this.#crypto);
    const path = keyFile(cacheDir, user);
    // An existing key file may belong to that user, who could hold it open and read the new key.
    fs.remove(path);
    fs.write(path, key, { mode: 0o600, sync: true });
    this.#keys.set(user, new TextEncoder().encode(key));
    return path;
  }

  has(user: string): boolean {
    return this.#keys.has(user);
  }

  /**
   * Authenticates a user of this host; undefined unless `key` is valid for this user.
   *
   * @param user the user that the load names; a load without a user is from the master's own user
   * @see salt/auth/__init__.py LoadAuth.authenticate_key
   */
  authenticate(user: unknown = this.#masterUser, key: unknown): ClientUser | undefined {
    if (typeof user !== "string" || typeof key !== "string") return undefined;
    const offered = new TextEncoder().encode(key);
    let owner: string | undefined;
    // Every key is compared, so that the time taken does not reveal which key matched.
    for (const [name, secret] of this.#keys) if (this.#crypto.equal(secret, offered)) owner = name;
    if (owner === undefined) return undefined;
    // A user's own key is valid for that user alone; only the master's key is valid for every user.
    if (owner !== this.#masterUser && owner !== "root") {
      return user === owner ? { user, privileged: false, sudo: false } : undefined;
    }
    if (user.startsWith("sudo_")) return { user, privileged: true, sudo: true };
    return { user, privileged: true, sudo: false };
  }
}
