import type { ClusterKey } from "../../../feature/cluster/cluster_key.ts";
import type { Records } from "../../../feature/cluster/storage.ts";
import { isKeyString, newKeyString } from "../../../protocol/crypto/crypticle.ts";
import { ConfigError } from "../../../base/errors.ts";
import type { Logger } from "../../../base/log.ts";
import type { Runtime } from "../../../runtime/runtime.ts";
import type { RotatingMasterKey } from "../keys/publication_key.ts";

const KIND = "cluster";
const FINGERPRINT = "master.pem";
const KEY = "publication key";
const text = new TextEncoder();

interface SharedKeyOptions {
  records: Records;
  key: ClusterKey;
  runtime: Pick<Runtime, "crypto" | "fs">;
  log: Logger;
  masterKey: RotatingMasterKey;
  /** The file that keeps the latest key, sealed, for the next start. */
  path: string;
}

interface SealedKey {
  /** Grows with each change of the key: an older key that somebody puts back is refused. */
  generation: number;
  keyString: string;
}

/** The key that publications are encrypted with, the same on all masters: a record of the storage holds it, sealed. */
export class SharedKey {
  readonly #options: SharedKeyOptions;
  readonly #crypticle;
  /** The latest key that this master has seen; the next field is its sealed form. */
  #known: SealedKey = { generation: 0, keyString: "" };
  #sealed: Uint8Array = new Uint8Array();
  #version = 0;

  constructor(options: SharedKeyOptions) {
    this.#options = options;
    this.#crypticle = options.key.crypticle("publication key");
  }

  /**
   * Takes the key in the storage, or stores a new one if there is none.
   *
   * @param place where the storage is, for the text of the error
   * @throws {ConfigError} if the cluster was begun with another master.pem
   */
  async join(by: string, place: string): Promise<void> {
    const { records, key, runtime: { crypto } } = this.#options;
    const own = text.encode(key.fingerprint);
    await records.put(KIND, by, [{ name: FINGERPRINT, value: own, ifVersion: 0 }]);
    const stored = (await records.get(KIND, FINGERPRINT))?.value;
    if (stored === undefined || !crypto.equal(stored, own)) {
      throw new ConfigError(
        `Cannot join the cluster at ${place}: it was begun with another master.pem, or another cluster: name. All masters of a ` +
          "cluster have the same pki_dir/master.pem and master.pub. Keep a copy of this master's pair, then copy those of a " +
          "master that is in the cluster: minions that know this one must accept the other key",
        { place },
      );
    }
    this.#restore();
    await this.look(by);
  }

  /** The latest key that this master has seen. */
  get keyString(): string {
    return this.#known.keyString;
  }

  /**
   * Replaces the key; minions sign in again when they cannot decrypt a publication.
   *
   * @param old the key to replace; if the current key is another one, it stays
   */
  async rotate(by: string, old?: string): Promise<void> {
    await this.look(by);
    if (old !== undefined && old !== this.keyString) return;
    await this.#put(by, this.#version, newKeyString(this.#options.runtime.crypto));
    await this.look(by);
  }

  /** @param ifVersion the version that the record must still have: of two masters, one is first, and the other takes its key */
  async #put(by: string, ifVersion: number, keyString: string): Promise<void> {
    const value = this.#crypticle.seal(text.encode(`${this.#known.generation + 1} ${keyString}`));
    await this.#options.records.put(KIND, by, [{ name: KEY, value, ifVersion }]);
  }

  /** Takes a key that another master has stored; replaces a stored key that is not newer by the latest known key. */
  async look(by: string): Promise<void> {
    const { records, log, masterKey, runtime: { crypto } } = this.#options;
    // The second turn takes the key at once that this or another master has just stored.
    for (let tries = 0; tries < 2; tries++) {
      const record = await records.get(KIND, KEY);
      const { generation, keyString } = this.#known;
      if (record?.value !== undefined && crypto.equal(record.value, this.#sealed)) {
        this.#version = record.version;
        return masterKey.set(keyString);
      }
      const found = record?.value === undefined ? undefined : this.#opened(record.value);
      if (found !== undefined && found.generation > generation) {
        this.#take(found, record!.value!);
        this.#version = record!.version;
        return masterKey.set(found.keyString);
      }
      if (generation > 0) {
        log.error(
          "publication key of the cluster refused: it was removed, changed or replaced by an old one; the latest one stays in use",
          {
            by: record?.by,
            version: record?.version,
            generation,
          },
        );
      } else if (record?.value !== undefined) {
        throw new SyntaxError("Cannot use the publication key of the cluster: it was not made by a master of it");
      }
      const ifVersion = record?.value === undefined ? 0 : record.version;
      await this.#put(by, ifVersion, keyString === "" ? newKeyString(crypto) : keyString);
    }
  }

  #opened(sealed: Uint8Array): SealedKey | undefined {
    try {
      const [number = "", keyString = ""] = new TextDecoder().decode(this.#crypticle.open(sealed)).split(" ");
      const generation = Number(number);
      return Number.isSafeInteger(generation) && isKeyString(keyString) ? { generation, keyString } : undefined;
    } catch {
      return undefined;
    }
  }

  #take(found: SealedKey, sealed: Uint8Array): void {
    const { runtime: { fs }, path } = this.#options;
    this.#known = found;
    this.#sealed = sealed.slice();
    // The key is written to a file so that a master that restarts does not take an older key either.
    fs.write(path, sealed, { mode: 0o600, sync: true });
  }

  /** Reads the key that this master knew when it stopped. */
  #restore(): void {
    const { runtime: { fs }, path } = this.#options;
    if (fs.stat(path)?.kind !== "file") return;
    const sealed = fs.read(path);
    const found = this.#opened(sealed);
    // The file was sealed with another master.pem or for another cluster: ignore it.
    if (found === undefined) return;
    this.#known = found;
    this.#sealed = sealed;
  }
}
