import type { Clock } from "../../../base/async/clock.ts";
import { grouped } from "../../../base/async/deferred.ts";
import type { AcceptedKey, KeyStatus, KeyStore } from "../../../protocol/channel/key_store.ts";
import { isMinionId } from "../../../base/minion_id.ts";
import type { Crypto, RsaPublicKey } from "../../../runtime/crypto.ts";
import type { FileStat, FileSystem } from "../../../runtime/fs.ts";
import { joinPath } from "../../../base/paths.ts";
import { DirectoryLook, type DirectoryState, isSameFile, SETTLED_MS } from "./directory_look.ts";

/** The directories of `pki_dir`, one for each state, under Salt's names. */
export const KEY_DIRECTORIES: Record<KeyStatus, string> = {
  accepted: "minions",
  pre: "minions_pre",
  rejected: "minions_rejected",
  denied: "minions_denied",
};

/**
 * An accepted key as it is remembered. The loaded form is not: a thousand of them weigh more than their minions' connections,
 * and each is needed twice, at sign-in and for the first token.
 */
class Remembered implements AcceptedKey {
  readonly id: string;
  readonly pem: string;
  readonly #load: (pem: string) => RsaPublicKey | undefined;
  provenToken?: Uint8Array;
  /** The data of the file when the key was read. */
  stat: FileStat;
  /** True if `stat` can be trusted: a later change would show in it. */
  settled: boolean;
  /** The directory just before the last look at the file, and when that was. */
  directory: DirectoryState | undefined;
  lookedMs = 0;

  constructor(
    id: string,
    pem: string,
    stat: FileStat,
    settled: boolean,
    load: (pem: string) => RsaPublicKey | undefined,
  ) {
    this.id = id;
    this.pem = pem;
    this.stat = stat;
    this.settled = settled;
    this.#load = load;
  }

  /** Records that the file of the key was read. */
  looked(directory: DirectoryState | undefined, nowMs: number): this {
    this.directory = directory;
    this.lookedMs = nowMs;
    return this;
  }

  get key(): RsaPublicKey | undefined {
    return this.#load(this.pem);
  }
}

/**
 * For how long a file is taken for unchanged where its directory is: what is written over a file in place changes the file alone. Keys
 * are accepted and revoked by moving and removing files, which the directory shows at once.
 */
const LOOK_AGAIN_MS = 1000;

/** A key file is a few hundred bytes; a larger file is not a key. */
const MAX_KEY_FILE_BYTES = 64 * 1024;

/**
 * The key directories on disk. `salt-key`, Brine's or Salt's, may change them at any time: every look goes to the disk, one for all
 * requests of a turn of the event loop where it is told when that ends.
 *
 * @example
 * ```ts
 * import { startMaster } from "brine/master";
 *
 * await using master = await startMaster({ rootDir: "/srv/run" });
 * console.log(master.keys.list("pre"));
 * ```
 */
export class KeyDirectories implements KeyStore {
  readonly #fs: FileSystem;
  readonly #crypto: Crypto;
  readonly #pkiDir: string;
  readonly #remembered = new Map<string, Remembered>();
  readonly #clock: Pick<Clock, "now"> | undefined;
  /** Called after a key of a minion has been written or removed here. @default not called */
  onChange: ((id: string) => void) | undefined;
  /** The last key that was loaded: a sign-in asks for it more than once. */
  #loaded: { pem: string; key: RsaPublicKey | undefined } | undefined;
  readonly #load = (pem: string): RsaPublicKey | undefined => {
    if (this.#loaded?.pem !== pem) {
      this.#loaded = { pem, key: undefined };
      try {
        this.#loaded.key = this.#crypto.loadPublicKey(pem);
      } catch {
        // The file is not a key: the caller refuses and logs it.
      }
    }
    return this.#loaded.key;
  };
  readonly #look: DirectoryLook | undefined;
  #listing: { stamp: string; ids: string[] } | undefined;
  /** Files and directories whose changes a power failure could lose. */
  #unsynced = new Set<string>();
  /** Syncs two files at a time: other parts need the disk and the syncing threads, too. */
  readonly #sync = grouped(async () => {
    const paths = [...this.#unsynced];
    this.#unsynced.clear();
    const next = async (): Promise<void> => {
      for (let path = paths.pop(); path !== undefined; path = paths.pop()) await this.#fs.sync(path);
    };
    await Promise.all([next(), next()]);
  });

  /**
   * Reads and writes the keys below `pkiDir`.
   *
   * @param pkiDir the master's `pki_dir`
   * @param clock when given, listings of directories that have not changed for a while are remembered
   * @param later calls back in the next turn of the event loop; when given, too, one look serves all requests of a turn
   */
  constructor(
    fs: FileSystem,
    crypto: Crypto,
    pkiDir: string,
    clock?: Pick<Clock, "now">,
    later?: (call: () => void) => void,
  ) {
    this.#fs = fs;
    this.#crypto = crypto;
    this.#pkiDir = pkiDir;
    this.#clock = clock;
    if (clock !== undefined && later !== undefined) {
      this.#look = new DirectoryLook(fs, later, joinPath(pkiDir, KEY_DIRECTORIES.accepted));
    }
  }

  /** Makes the directories, closed to others. */
  prepare(): void {
    this.#fs.mkdir(this.#pkiDir, 0o700);
    // Salt tightens a directory that it finds, too; readable by a group is what permissive_pki_access means.
    if ((this.#fs.stat(this.#pkiDir)!.mode & 0o027) !== 0) this.#fs.chmod(this.#pkiDir, 0o700);
    for (const name of [...Object.values(KEY_DIRECTORIES), "minions_autosign"]) {
      this.#fs.mkdir(joinPath(this.#pkiDir, name), 0o700);
    }
  }

  #path(state: KeyStatus, id: string): string {
    if (!isMinionId(id)) throw new RangeError(`Cannot look up a key: "${id}" is not a minion id`);
    return `${this.#pkiDir}/${KEY_DIRECTORIES[state]}/${id}`;
  }

  accepted(id: string): AcceptedKey | undefined {
    // Look at the directory before the file, so that a change between the two shows.
    const now = this.#clock?.now() ?? 0;
    const directory = this.#look?.state(now);
    const remembered = directory === undefined ? undefined : this.#remembered.get(id);
    if (remembered?.settled && remembered.directory === directory) {
      const ago = now - remembered.lookedMs;
      if (ago >= 0 && ago < LOOK_AGAIN_MS) return remembered;
    }
    const path = this.#path("accepted", id);
    const stat = this.#fs.stat(path);
    // A power failure may leave an empty file: its minion signs in again.
    if (stat?.kind !== "file" || stat.size === 0 || stat.size > MAX_KEY_FILE_BYTES) {
      this.#remembered.delete(id);
      return undefined;
    }
    const known = this.#remembered.get(id);
    if (known?.settled && isSameFile(known.stat, stat)) return known.looked(directory, now);
    const pem = this.#fs.readText(path);
    const settled = this.#clock !== undefined && now - stat.ctimeMs > SETTLED_MS;
    if (known?.pem === pem) {
      Object.assign(known, { stat, settled });
      return known.looked(directory, now);
    }
    const entry = new Remembered(id, pem, stat, settled, this.#load);
    this.#remembered.set(id, entry);
    return entry.looked(directory, now);
  }

  read(state: KeyStatus, id: string): string | undefined {
    const path = this.#path(state, id);
    const stat = this.#fs.stat(path);
    // The file is too large for a key: empty text is equal to no key.
    return stat?.kind !== "file" ? undefined : stat.size > MAX_KEY_FILE_BYTES ? "" : this.#fs.readText(path);
  }

  /** True if the minion has a key in this state. */
  has(state: KeyStatus, id: string): boolean {
    return this.#fs.stat(this.#path(state, id))?.kind === "file";
  }

  obstructed(state: KeyStatus, id: string): boolean {
    const kind = this.#fs.stat(this.#path(state, id))?.kind;
    return kind !== undefined && kind !== "file";
  }

  /** A pending or denied key is not synced: its minion sends it again. See {@link KeyDirectories.synced}. */
  write(state: KeyStatus, id: string, pem: string): void {
    const path = this.#path(state, id);
    this.#fs.write(path, pem, { mode: 0o644 });
    if (state === "accepted" || state === "rejected") this.#changed(state, path);
    this.onChange?.(id);
  }

  /** Removes the minion's key of this state. */
  remove(state: KeyStatus, id: string): void {
    this.#fs.remove(this.#path(state, id));
    // A new key that the minion has offered in place of the removed key is removed with it.
    if (state === "accepted") this.#fs.remove(`${this.#pkiDir}/minions_rotating/${id}`);
    this.#changed(state);
    this.onChange?.(id);
  }

  #changed(state: KeyStatus, ...paths: string[]): void {
    this.#look?.again();
    for (const path of [...paths, joinPath(this.#pkiDir, KEY_DIRECTORIES[state])]) this.#unsynced.add(path);
    // Sync even if no caller waits, as for a key that a rule accepted. Callers of `synced` receive the error.
    this.#sync().catch(() => {});
  }

  /** Resolves once all changes would survive a power failure. @throws {SystemError} if a file cannot be synced */
  synced(): Promise<void> {
    return this.#sync();
  }

  /** Ids with a key in this state: regular files whose name does not begin with a dot, sorted without regard to case. */
  list(state: KeyStatus): string[] {
    const directory = `${this.#pkiDir}/${KEY_DIRECTORIES[state]}`;
    const stat = this.#fs.stat(directory);
    if (stat?.kind !== "directory") return [];
    const stamp = `${stat.ino}:${stat.mtimeMs}:${stat.ctimeMs}:${stat.nlink}`;
    if (state === "accepted" && this.#listing?.stamp === stamp) return this.#listing.ids;
    const ids = this.#fs.list(directory).filter((name) => !name.startsWith(".") && isMinionId(name));
    const sorted = sortIds(ids);
    // A directory that changed a moment ago may change again without a new modification time.
    const settled = this.#clock !== undefined && this.#clock.now() - stat.mtimeMs > SETTLED_MS;
    if (state === "accepted") this.#listing = settled ? { stamp, ids: sorted } : undefined;
    return sorted;
  }
}

/** Sorts ids without regard to case, as Salt lists them. */
export function sortIds(ids: readonly string[]): string[] {
  return ids.map((id): [string, string] => [id.toLowerCase(), id])
    .sort((a, b) => a[0] < b[0] ? -1 : a[0] > b[0] ? 1 : 0)
    .map(([, id]) => id);
}
