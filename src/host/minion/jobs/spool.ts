import { messageOf } from "../../../base/errors.ts";
import { packRecord, SpoolFiles, type SpoolFilesOptions, type SpoolPlace, type SpoolRecord } from "./spool_files.ts";

type Load = Record<string, unknown>;

/** A load that is kept until its master has taken it. */
export interface SpoolEntry {
  readonly jid: string;
  readonly master: string;
  /** When it was added, in milliseconds since the epoch. */
  readonly atMs: number;
  /** Bytes on the disk. */
  readonly size: number;
  /** False while the disk is full: the load is lost when this process ends. */
  readonly onDisk: boolean;
}

class Kept implements SpoolEntry {
  readonly record: SpoolRecord;
  /** The file of the load; undefined while it is not on the disk. */
  place: SpoolPlace | undefined;
  /** The load in memory, until the first attempt to send it has failed, and while it is not on the disk. */
  load: Load | undefined;

  constructor(record: SpoolRecord, load: Load | undefined, place?: SpoolPlace) {
    this.record = record;
    this.load = load;
    this.place = place;
  }

  get jid(): string {
    return this.record.jid;
  }

  get master(): string {
    return this.record.master;
  }

  get atMs(): number {
    return this.record.atMs;
  }

  get size(): number {
    return this.place?.size ?? 0;
  }

  get onDisk(): boolean {
    return this.place !== undefined;
  }
}

interface SpoolOptions extends SpoolFilesOptions {
  /** The age in milliseconds at which a load is dropped. */
  ageMs: number;
  /** Makes the small return that replaces a dropped return. */
  tombstone(load: Load, reason: string): Load;
}

/**
 * Keeps the returns that no master has acknowledged yet, on the disk, so that they survive the end of either side. A return that has
 * to be dropped is replaced by a small return that says so.
 */
export class Spool {
  readonly #options: SpoolOptions;
  readonly #files: SpoolFiles;
  readonly #entries = new Set<Kept>();
  #bytes = 0;
  #writable = true;

  constructor(options: SpoolOptions) {
    this.#options = options;
    this.#files = new SpoolFiles(options);
  }

  /** Reads what an earlier process has left, oldest first. */
  open(): SpoolEntry[] {
    for (const { record, place } of this.#files.open()) {
      this.#entries.add(new Kept(record, undefined, place));
      this.#bytes += place.size;
    }
    return [...this.#entries];
  }

  /** Stops writing: the minion has ended, and another one may read the files. */
  close(): void {
    this.#files.close();
  }

  get size(): number {
    return this.#entries.size;
  }

  /** Bytes on the disk. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Returns the jids of the entries for one master, or of all entries. */
  jids(master?: string): string[] {
    return [...this.#entries].filter((entry) => (master ?? entry.master) === entry.master).map(({ jid }) => jid);
  }

  /** All entries, oldest first. */
  entries(): SpoolEntry[] {
    return [...this.#entries];
  }

  /** Makes an entry that is only in memory, for the answer to a question that is asked again if the answer is lost. */
  hold(jid: string, master: string, load: Load): SpoolEntry {
    return new Kept({ number: 0, jid, master, atMs: this.#options.clock.now() }, load);
  }

  /** Keeps a load until {@link Spool.done}. */
  add(jid: string, master: string, load: Load): SpoolEntry {
    const record = { number: this.#files.nextNumber(), jid, master, atMs: this.#options.clock.now() };
    const entry = new Kept(record, load);
    this.#entries.add(entry);
    this.#write(entry, load);
    return entry;
  }

  #write(entry: Kept, load: Load): void {
    const { log, directory, bytes: bound, tombstone } = this.#options;
    let bytes = packRecord(entry.record, load);
    if (bytes.length > bound) {
      entry.load = tombstone(load, `its ${bytes.length} bytes are more than return_spool_bytes (${bound})`);
      log.error("return dropped: it is larger than return_spool_bytes", { jid: entry.jid, bytes: bytes.length, bound });
      bytes = packRecord(entry.record, entry.load);
    }
    for (const oldest of this.#entries) {
      if (this.#bytes + bytes.length <= bound) break;
      if (oldest !== entry && oldest.onDisk) this.#replace(oldest);
    }
    try {
      entry.place = this.#files.append(bytes);
      this.#bytes += entry.place.size;
    } catch (error) {
      if (this.#writable) {
        log.error(
          "returns cannot be spooled, and a restart of the minion would lose them: free disk space, or fix the directory",
          { directory, error: messageOf(error) },
        );
      }
      this.#writable = false;
      return;
    }
    if (!this.#writable) this.#writeAll();
  }

  /** Writes the returns that are only in memory, since the disk takes them again and it may take long until they are sent. */
  #writeAll(): void {
    const { log, directory } = this.#options;
    this.#writable = true;
    for (const other of [...this.#entries]) {
      if (!other.onDisk && other.load !== undefined) this.#write(other, other.load);
    }
    // Log it once they are on the disk: an operator who reads the line may end the minion.
    if (this.#writable) log.info("returns can be spooled again", { directory });
  }

  /** Replaces a return by a small one, to make room. */
  #replace(entry: Kept): void {
    const { log, bytes: bound, tombstone } = this.#options;
    const load = this.load(entry);
    if (load === undefined || load.tombstone === true) return;
    log.error("return dropped: the spool is full (return_spool_bytes)", {
      jid: entry.jid,
      fun: load.fun,
      bytes: entry.size,
      bound,
    });
    this.#forget(entry);
    entry.load = { ...tombstone(load, `the spool of ${bound} bytes was full (return_spool_bytes)`), tombstone: true };
    this.#write(entry, entry.load);
  }

  /** Returns the load to send; undefined if its file cannot be read. */
  load(entry: SpoolEntry): Load | undefined {
    const { load, place, jid } = entry as Kept;
    if (load !== undefined) return load;
    try {
      return this.#files.load(place!);
    } catch (error) {
      this.#options.log.error("a spooled return cannot be read", { jid, error: messageOf(error) });
      return undefined;
    }
  }

  /** Called when an attempt to send a load has failed: a load on the disk leaves the memory, any other is written again. */
  rest(entry: SpoolEntry): void {
    const kept = entry as Kept;
    if (!this.#entries.has(kept)) return;
    if (kept.onDisk) kept.load = undefined;
    else if (kept.load !== undefined) this.#write(kept, kept.load);
  }

  /** True if it is too old to be sent: it is dropped then, and logged. */
  tooOld(entry: SpoolEntry): boolean {
    const { clock, ageMs, log } = this.#options;
    if (clock.now() - entry.atMs <= ageMs) return false;
    log.error("return dropped: no master accepted it in time (return_spool_seconds)", {
      jid: entry.jid,
      bytes: entry.size,
    });
    this.done(entry);
    return true;
  }

  done(entry: SpoolEntry): void {
    this.#entries.delete(entry as Kept);
    this.#forget(entry as Kept);
  }

  #forget(entry: Kept): void {
    const { place } = entry;
    if (place === undefined) return;
    this.#bytes -= place.size;
    entry.place = undefined;
    this.#files.remove(place, entry.record.number);
  }
}
