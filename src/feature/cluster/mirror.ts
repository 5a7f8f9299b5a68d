import { messageOf } from "../../base/errors.ts";
import { hex } from "../../protocol/crypto/hex.ts";
import type { Crypticle } from "../../protocol/crypto/crypticle.ts";
import type { Logger } from "../../base/log.ts";
import type { Crypto } from "../../runtime/crypto.ts";
import type { FileSystem } from "../../runtime/fs.ts";
import { decode, encode } from "../../protocol/wire/msgpack.ts";
import type { LedgerStorage, RecordPut, StoredRecord } from "./storage.ts";

/** Files of a master that are shared with the cluster: keys, minion data, tokens. */
export interface MirroredFiles {
  readonly kind: string;
  /** Every existing name, with a stamp that differs when the content differs. */
  scan(): Map<string, string>;
  /**
   * A cheap text that differs when names were added or removed: while it stays the same, files are checked less often.
   *
   * @default files are checked each time
   */
  overview?(): string;
  /** The stamp of one name; undefined if the file is missing. */
  stamp(name: string): string | undefined;
  read(name: string): Uint8Array | undefined;
  /** Writes the value of another master; undefined removes the file. @throws {RangeError} for an invalid name or value */
  apply(name: string, value: Uint8Array | undefined): void;
  /** The value to use if this master and another one have both changed it. @param base the value before both changes, if known */
  merge(
    mine: Uint8Array | undefined,
    theirs: Uint8Array | undefined,
    base: Uint8Array | undefined,
  ): Uint8Array | undefined;
  /** True if only a master of the cluster may remove the value: otherwise anyone who can write to the storage could undo a decision. */
  isDecision(value: Uint8Array | undefined): boolean;
  /** The name of the record in the storage, if the file's name is a secret. @default the file's name */
  sharedName?(name: string): string;
  /** True if values are remembered, for `merge`. */
  readonly keepsBase: boolean;
}

interface MirrorOptions {
  storage: LedgerStorage;
  files: MirroredFiles;
  /** Seals records: nobody without the cluster's key can read or make one. */
  seal: Crypticle;
  crypto: Pick<Crypto, "hash">;
  by: string;
  fs: FileSystem;
  /** The path of the file that holds this mirror's state between restarts. */
  statePath: string;
  /** Identifies the cluster: a state file of another cluster is not used. */
  cluster: string;
  /** The even clock, in milliseconds. */
  elapsed(): number;
  log: Logger;
  /** How often all files are checked, in milliseconds; names of {@link Mirror.touch} are checked each time. @default 1000 */
  scanMs?: number;
  /** Called after a file was changed because another master has changed its record. */
  onChange?(name: string, before: Uint8Array | undefined, now: Uint8Array | undefined): void;
  /** Called when changes of this master are in the storage: the other masters can be told to read them. */
  onSent?(): void;
}

/** The last state of a name that was the same here and in the storage. */
interface Known {
  version: number;
  /** The number of the change, inside the seal: an older record that somebody puts back is refused. */
  generation: number;
  hash: string;
  stamp: string | undefined;
  base?: Uint8Array | undefined;
}

/** The content of a sealed record. */
interface Opened {
  name: string;
  generation: number;
  value: Uint8Array | undefined;
}

/** The most records that are read or written in one call. */
const AT_ONCE = 200;
const BYTES_AT_ONCE = 8 * 2 ** 20;
/** The most bytes of a value that is shared: a larger value stays on its master. */
const MAX_BYTES = 8 * 2 ** 20;
/** How long an overview must be unchanged before it counts as settled, in milliseconds: times of files have coarse ticks. */
const SETTLED_MS = 2000;
/** How often files are checked while their overview is settled, in milliseconds: somebody may have written into a file. */
const SETTLED_SCAN_MS = 10_000;
/** How far versions are raised in a storage that was restored: other masters may have read higher versions than this one. */
const LEAP = 1_000_000;
/** How often a change is tried if other masters change the same names. */
const ROUNDS = 5;
const NOTHING = "-";
/** A hash that no value has: the local value then always counts as changed. */
const UNKNOWN = "-unknown";

/**
 * Keeps files of this master and records of the storage equal: changes of other masters are downloaded, changes of this master are
 * uploaded, and if both have changed the same name, {@link MirroredFiles.merge} decides. A record that is missing from a new or
 * restored storage does not count as removed: such a storage is filled again.
 */
export class Mirror {
  readonly #options: MirrorOptions;
  readonly #known = new Map<string, Known>();
  /** Names of records → names of files, if the names of files are secret. */
  readonly #locals = new Map<string, string>();
  readonly #touched = new Set<string>();
  /** The version up to which the feed was read; 0: this process has not read it. */
  #after = 0;
  #scannedMs = -Infinity;
  #overview: { text: string; sinceMs: number } | undefined;
  #running: Promise<number> | undefined;
  #again: Promise<number> | undefined;
  #refused = 0;
  #dirty = false;

  constructor(options: MirrorOptions) {
    this.#options = options;
    this.#restore();
  }

  /** The number of refused records: made without the cluster's key, altered, or replaced by an old record. */
  get refused(): number {
    return this.#refused;
  }

  /** Notes that this master has changed, made or removed a file: the next {@link Mirror.sync} checks it without a scan of all files. */
  touch(name: string): void {
    this.#touched.add(name);
  }

  /**
   * Synchronizes files and storage. A call during a run is served by one more run after it, so that all changes before the
   * call are seen.
   *
   * @returns the number of files that were changed here
   * @throws {SystemError} if the storage cannot be reached; changes of this master are uploaded later
   */
  sync(): Promise<number> {
    if (this.#running === undefined) return this.#running = this.#sync().finally(() => this.#running = undefined);
    return this.#again ??= this.#running.catch(() => {}).then(() => {
      this.#again = undefined;
      return this.sync();
    });
  }

  async #sync(): Promise<number> {
    let changed = 0;
    try {
      for (let round = 0; round < ROUNDS; round++) {
        changed += await this.#down();
        if (await this.#up()) break;
      }
    } finally {
      this.#save();
    }
    return changed;
  }

  async #down(): Promise<number> {
    const { storage: { records }, files: { kind } } = this.#options;
    let changed = 0;
    let whole: Set<string> | undefined = this.#after === 0 ? new Set() : undefined;
    if (whole !== undefined) await this.#checkStorage();
    for (;;) {
      const page = await records.changes(kind, this.#after, AT_ONCE, BYTES_AT_ONCE);
      if (page.gap && whole === undefined) {
        await this.#checkStorage(this.#after);
        this.#after = 0;
        whole = new Set();
        continue;
      }
      // There is no `await` in this loop, so that no file changes between a check and a write.
      for (const record of page.records) changed += this.#take(record, whole);
      this.#after = page.upTo;
      if (!page.more) break;
    }
    if (whole !== undefined) changed += this.#vanished(whole);
    return changed;
  }

  /**
   * Detects another storage than before, or an older state of the same: then all local files count as changed.
   *
   * @param read the version up to which the feed was read
   */
  async #checkStorage(read = 0): Promise<void> {
    const { storage: { records }, files, log } = this.#options;
    const { kind } = files;
    const highest = [...this.#known.values()].reduce((most, { version }) => Math.max(most, version), read);
    if (await records.latest(kind) >= highest) return;
    await records.raise(kind, highest + LEAP);
    log.warning("the cluster's storage is older than this master's copy: it gets the newer data from this master", {
      kind,
    });
    for (const [name, known] of this.#known) {
      // A file that was removed here since the last upload is a change as well.
      const isRemoval = known.hash !== NOTHING && files.stamp(name) === undefined;
      Object.assign(known, { version: 0, hash: isRemoval ? UNKNOWN : NOTHING, stamp: undefined });
    }
    this.#scannedMs = -Infinity;
  }

  #take(record: StoredRecord, whole: Set<string> | undefined): number {
    const opened = this.#open(record);
    if (opened === undefined) return 0;
    const { files } = this.#options;
    const { name, generation, value: theirs } = opened;
    whole?.add(name);
    const known = this.#known.get(name);
    if (known !== undefined && known.version === record.version) {
      if (files.keepsBase) known.base = theirs;
      return 0;
    }
    const stamp = files.stamp(name);
    const mine = files.read(name);
    // Only decisions and removed names are guarded: other records may have been removed and created again, which restarts their generation.
    const isGuarded = known !== undefined && (files.isDecision(mine) || known.hash === NOTHING);
    if (isGuarded && record.value !== undefined && generation <= known.generation) {
      return this.#heal(name, record, "it was replaced by an older record");
    }
    const isSame = this.#hash(mine) === (known?.hash ?? NOTHING);
    const merged = isSame ? theirs : files.merge(mine, theirs, known?.base);
    let changed = 0;
    if (this.#hash(merged) !== this.#hash(mine)) {
      try {
        files.apply(name, merged);
      } catch (error) {
        if (!(error instanceof RangeError)) throw error;
        return this.#refuse(record, messageOf(error));
      }
      changed = 1;
      this.#options.onChange?.(name, mine, merged);
    }
    // A merged value that differs from theirs is a change of this master, to be uploaded.
    if (this.#hash(merged) !== this.#hash(theirs)) this.touch(name);
    if (record.value === undefined) {
      this.#drop(name);
      return changed;
    }
    this.#know(name, {
      version: record.version,
      generation: Math.max(generation, known?.generation ?? 0),
      hash: this.#hash(theirs),
      stamp: changed === 0 ? stamp : files.stamp(name),
      ...(files.keepsBase ? { base: theirs } : {}),
    });
    return changed;
  }

  /** Handles names that were known and are missing from a storage that was read completely. @returns the number of files removed */
  #vanished(whole: ReadonlySet<string>): number {
    const { files } = this.#options;
    let changed = 0;
    for (const [name, known] of this.#known) {
      if (whole.has(name) || known.version === 0) continue;
      const mine = files.read(name);
      const hasChanged = this.#hash(mine) !== known.hash;
      if (hasChanged || files.isDecision(mine)) {
        Object.assign(known, { version: 0, hash: NOTHING, stamp: undefined });
        this.touch(name);
        continue;
      }
      this.#drop(name);
      if (mine === undefined) continue;
      files.apply(name, undefined);
      this.#options.onChange?.(name, mine, undefined);
      changed++;
    }
    return changed;
  }

  #open(record: StoredRecord): Opened | undefined {
    const { files, seal } = this.#options;
    if (record.value === undefined) return this.#removed(record);
    try {
      const value = decode(seal.open(record.value), { mode: "bin" });
      const [kind, sharedName, name, generation, bytes] = Array.isArray(value) ? value : [];
      const isRecord = kind === files.kind && sharedName === record.name && typeof name === "string" &&
        Number.isSafeInteger(generation) && (bytes === null || bytes instanceof Uint8Array);
      if (isRecord) return { name, generation, value: bytes ?? undefined };
      this.#refuse(record, "it belongs to another record");
    } catch (error) {
      this.#refuse(record, messageOf(error));
    }
    const name = this.#localName(record.name);
    if (name !== undefined) this.#heal(name, record);
    return undefined;
  }

  /** Handles a removed record, which has no seal, so it is accepted only for values that are no decision. */
  #removed(record: StoredRecord): Opened | undefined {
    const { files } = this.#options;
    const name = this.#localName(record.name);
    if (name === undefined) return undefined;
    const known = this.#known.get(name)!;
    if (known.version === record.version) return undefined;
    if (files.isDecision(files.read(name))) {
      this.#heal(name, record, "only a master may remove it");
      return undefined;
    }
    return { name, generation: known.generation, value: undefined };
  }

  #localName(shared: string): string | undefined {
    const { sharedName } = this.#options.files;
    if (sharedName !== undefined) return this.#locals.get(shared);
    return this.#known.has(shared) ? shared : undefined;
  }

  #refuse({ name, version, by }: StoredRecord, reason: string): 0 {
    const { log, files: { kind } } = this.#options;
    this.#refused++;
    log.error(
      "record of the cluster refused: it was not made by a master of the cluster, or was changed or replaced by an old one",
      {
        kind,
        name: kind === "token" ? "" : name,
        version,
        by,
        reason,
      },
    );
    return 0;
  }

  /** Replaces a refused record by the local value, with the next upload. */
  #heal(name: string, record: StoredRecord, reason?: string): 0 {
    if (reason !== undefined) this.#refuse(record, reason);
    const known = this.#known.get(name)!;
    Object.assign(known, { version: record.version, hash: UNKNOWN, stamp: undefined });
    this.touch(name);
    return 0;
  }

  /** Uploads the changes. @returns false if another master was faster with one of them */
  async #up(): Promise<boolean> {
    const { files, storage: { records }, by } = this.#options;
    const changes = this.#changes();
    let all = true;
    for (let from = 0; from < changes.length;) {
      let [to, bytes] = [from, 0];
      const puts: (RecordPut & { local: string; mine: Uint8Array | undefined; generation: number })[] = [];
      while (to < changes.length && puts.length < AT_ONCE && bytes < BYTES_AT_ONCE) {
        const local = changes[to++]!;
        const put = this.#put(local);
        if (put === undefined) continue;
        puts.push(put);
        bytes += put.value?.length ?? 0;
      }
      from = to;
      const stamps = puts.map(({ local }) => files.stamp(local));
      const versions = await records.put(
        files.kind,
        by,
        puts.map(({ name, value, ifVersion }) => ({
          name,
          value,
          ...(ifVersion === undefined ? {} : { ifVersion }),
        })),
      );
      if (versions.some((version) => version !== undefined)) this.#options.onSent?.();
      versions.forEach((version, at) => {
        const { local, mine, generation, value } = puts[at]!;
        if (version === undefined) return void (all = false);
        this.#touched.delete(local);
        if (value === undefined) return this.#drop(local);
        const base = files.keepsBase ? { base: mine } : {};
        this.#know(local, { version, generation, hash: this.#hash(mine), stamp: stamps[at], ...base });
      });
    }
    return all;
  }

  #isScanDue(): boolean {
    const { files, elapsed, scanMs = 1000 } = this.#options;
    const sinceScanMs = elapsed() - this.#scannedMs;
    if (sinceScanMs < scanMs) return false;
    const text = files.overview?.();
    if (text === undefined) return true;
    if (text !== this.#overview?.text) this.#overview = { text, sinceMs: elapsed() };
    return sinceScanMs >= SETTLED_SCAN_MS || this.#scannedMs < this.#overview.sinceMs + SETTLED_MS;
  }

  #changes(): string[] {
    const { files, elapsed } = this.#options;
    const names = new Set(this.#touched);
    if (this.#isScanDue()) {
      this.#scannedMs = elapsed();
      const there = files.scan();
      for (const [name, stamp] of there) if (this.#known.get(name)?.stamp !== stamp) names.add(name);
      for (const [name, { hash }] of this.#known) if (!there.has(name) && hash !== NOTHING) names.add(name);
    }
    return [...names].filter((name) => {
      const known = this.#known.get(name);
      const mine = files.read(name);
      const isChanged = this.#hash(mine) !== (known?.hash ?? NOTHING);
      if (!isChanged && known !== undefined) known.stamp = files.stamp(name);
      if (!isChanged) this.#touched.delete(name);
      return isChanged;
    });
  }

  #put(local: string) {
    const { files, seal, log } = this.#options;
    const mine = files.read(local);
    const known = this.#known.get(local);
    if (mine !== undefined && mine.length > MAX_BYTES) {
      log.warning("record too large for the other masters: it stays on this master", {
        kind: files.kind,
        name: local,
        bytes: mine.length,
        most: MAX_BYTES,
      });
      this.#touched.delete(local);
      this.#know(local, {
        version: known?.version ?? 0,
        generation: known?.generation ?? 0,
        hash: this.#hash(mine),
        stamp: files.stamp(local),
      });
      return undefined;
    }
    const name = files.sharedName?.(local) ?? local;
    const generation = (known?.generation ?? 0) + 1;
    // The removal of a decision is stored as a sealed record; any other record is simply removed.
    const vanishes = mine === undefined && known?.base !== undefined && !files.isDecision(known.base) ||
      mine === undefined && !files.keepsBase;
    const sealed = () => seal.seal(encode([files.kind, name, local, generation, mine ?? null], "bin"));
    return {
      name,
      value: vanishes ? undefined : sealed(),
      ifVersion: known?.version ?? 0,
      local,
      mine,
      generation,
    };
  }

  #hash(value: Uint8Array | undefined): string {
    return value === undefined ? NOTHING : hex(this.#options.crypto.hash("sha256", value)).slice(0, 32);
  }

  #know(name: string, known: Known): void {
    this.#remember(name, known);
    this.#dirty = true;
  }

  #remember(name: string, known: Known): void {
    const { sharedName } = this.#options.files;
    if (sharedName !== undefined && !this.#known.has(name)) this.#locals.set(sharedName(name), name);
    this.#known.set(name, known);
  }

  #drop(name: string): void {
    const { sharedName } = this.#options.files;
    if (sharedName !== undefined) this.#locals.delete(sharedName(name));
    this.#known.delete(name);
    this.#dirty = true;
  }

  #save(): void {
    if (!this.#dirty) return;
    this.#dirty = false;
    const { fs, statePath, cluster } = this.#options;
    const names = [...this.#known].map(([name, { version, generation, hash }]) => [name, version, generation, hash]);
    fs.write(statePath, encode([cluster, names], "bin"), { mode: 0o600 });
  }

  #restore(): void {
    const { fs, statePath, cluster, log } = this.#options;
    if (fs.stat(statePath)?.kind !== "file") return;
    try {
      const [of, names] = decode(fs.read(statePath), { mode: "bin" }) as [unknown, never[][]];
      if (of !== cluster) return;
      for (const [name, version, generation, hash] of names) {
        this.#remember(name!, { version: version!, generation: generation!, hash: hash!, stamp: undefined });
      }
    } catch (error) {
      log.warning("the local copy of the cluster's data cannot be read: this master starts with an empty copy", {
        path: statePath,
        error: messageOf(error),
      });
      this.#known.clear();
      this.#locals.clear();
    }
  }
}
