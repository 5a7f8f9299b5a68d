import type { Clock } from "../../async/clock.ts";
import { grouped } from "../../async/grouped.ts";
import { joinPath } from "../../config/paths.ts";
import { messageOf } from "../../errors.ts";
import type { Logger } from "../../log.ts";
import type { FileSystem } from "../../runtime/fs.ts";
import { decode, encode } from "../../wire/msgpack.ts";

/** A load that a master has to take before it may be forgotten. */
export interface SpoolEntry {
  readonly jid: string;
  /** The address of the master that it is for. */
  readonly master: string;
  /** Milliseconds since the epoch. */
  readonly atMs: number;
  /** Bytes on the disk. */
  readonly size: number;
  /** False while there was no room on the disk: it lives as long as this process. */
  readonly onDisk: boolean;
}

/** A file of the spool. */
interface Segment {
  readonly path: string;
  /** Bytes, those of records that say nothing any more among them. */
  size: number;
  /** Entries in it that have to be kept. */
  live: number;
}

interface Kept extends SpoolEntry {
  size: number;
  onDisk: boolean;
  number: number;
  /** Where its record is, and begins; undefined as long as it is not on the disk. */
  segment: Segment | undefined;
  offset: number;
  /** In memory until the first attempt to send it has failed, and as long as it is not on the disk. */
  load: Record<string, unknown> | undefined;
}

/** What stands in a segment: an entry, or that an earlier one is done. */
type Written =
  | { number: number; jid: string; master: string; atMs: number; load: Uint8Array }
  | { number: number; done: true };

/** A segment that has reached this size is not added to any more. */
const SEGMENT_BYTES = 262_144;
/** Until what is not with its master is synced. */
const SYNC_AFTER_MS = 100;
/** Bytes before each record: its length. */
const HEAD = 4;

function framed(record: Written): Uint8Array {
  const bytes = encode(record, "wire");
  const whole = new Uint8Array(HEAD + bytes.length);
  new DataView(whole.buffer).setUint32(0, bytes.length);
  whole.set(bytes, HEAD);
  return whole;
}

export interface SpoolOptions {
  fs: FileSystem;
  clock: Clock;
  log: Logger;
  directory: string;
  /** Bytes on the disk at most. */
  bytes: number;
  /** Milliseconds after which a load is given up. */
  ageMs: number;
  /** What goes to the master in the place of a return that had to be dropped. */
  tombstone(load: Record<string, unknown>, why: string): Record<string, unknown>;
}

/**
 * Returns that no master has acknowledged yet, on the disk, so that they survive the death of either side. What must be
 * dropped leaves a small return that says so.
 *
 * They are written one after the other into files, and what is done with is marked there: making a file for each would cost
 * more than all else that a minion does for a short job, and wear out the flash of small machines. A file goes when nothing
 * in it is needed; one that was cut off by a crash or a full disk is not added to.
 */
export class Spool {
  readonly #options: SpoolOptions;
  readonly #entries = new Set<Kept>();
  readonly #segmentBytes: number;
  /** The one that is added to. */
  #segment: Segment | undefined;
  #bytes = 0;
  #next = 1;
  #writable = true;
  /** Files with something in them that a loss of power might take, and whether one of these is new. */
  #unsynced = new Set<string>();
  #unsyncedNames = false;
  #syncing = false;
  readonly #sync = grouped(async () => {
    const { fs, directory } = this.#options;
    const [paths, names] = [this.#unsynced, this.#unsyncedNames];
    [this.#unsynced, this.#unsyncedNames] = [new Set(), false];
    await Promise.all([...paths, ...(names ? [directory] : [])].map((path) => fs.sync(path)));
  });

  constructor(options: SpoolOptions) {
    this.#options = options;
    // What is done with in a file that is still needed must stay small beside the bound.
    this.#segmentBytes = Math.min(SEGMENT_BYTES, options.bytes / 8);
  }

  /** Takes up what an earlier minion has left, oldest first. */
  open(): SpoolEntry[] {
    const { fs, log, directory } = this.#options;
    fs.mkdir(directory, 0o700);
    const found = new Map<number, Kept>();
    const segments: Segment[] = [];
    for (const name of fs.list(directory)) {
      const path = joinPath(directory, name);
      if (!/^\d{12}$/.test(name)) continue;
      this.#next = Math.max(this.#next, Number(name) + 1);
      const segment: Segment = { path, size: 0, live: 0 };
      try {
        this.#read(segment, fs.read(path), found);
        segments.push(segment);
      } catch (error) {
        // It stays where it is: a next life may have more luck.
        log.error("spooled returns cannot be read", { path, error: messageOf(error) });
      }
    }
    for (const number of [...found.keys()].sort((a, b) => a - b)) {
      const entry = found.get(number)!;
      entry.segment!.live++;
      this.#entries.add(entry);
      this.#bytes += entry.size;
      this.#next = Math.max(this.#next, number + 1);
    }
    for (const { path, live } of segments) if (live === 0) fs.remove(path);
    return [...this.#entries];
  }

  /** Finds the entries of a file, up to where it was cut off. */
  #read(segment: Segment, bytes: Uint8Array, found: Map<number, Kept>): void {
    const { log } = this.#options;
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    while (segment.size + HEAD <= bytes.length) {
      const offset = segment.size + HEAD;
      const size = view.getUint32(segment.size);
      if (size === 0 || offset + size > bytes.length) return;
      try {
        const record = decode(bytes.subarray(offset, offset + size), { mode: "wire" }) as Written;
        const number = Number(record.number);
        if ("done" in record) found.delete(number);
        else {
          const { jid, master } = record;
          const atMs = Number(record.atMs);
          // One of the same number has taken the place of another.
          found.set(number, { jid, master, atMs, size, onDisk: true, number, segment, offset, load: undefined });
        }
      } catch (error) {
        log.error("a spooled return cannot be read and is dropped", {
          path: segment.path,
          offset,
          error: messageOf(error),
        });
      }
      segment.size = offset + size;
    }
  }

  get size(): number {
    return this.#entries.size;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Jids of what is spooled for a master. */
  jids(master?: string): string[] {
    return [...this.#entries].filter((entry) => (master ?? entry.master) === entry.master).map(({ jid }) => jid);
  }

  /** Everything that is kept, oldest first. */
  entries(): SpoolEntry[] {
    return [...this.#entries];
  }

  /** Keeps a load in memory alone: an answer that its asker will ask for again. */
  hold(jid: string, master: string, load: Record<string, unknown>): SpoolEntry {
    const atMs = this.#options.clock.now();
    return this.#entry({ jid, master, atMs, number: 0, load });
  }

  /** Keeps a load until {@link Spool.done}. */
  add(jid: string, master: string, load: Record<string, unknown>): SpoolEntry {
    const atMs = this.#options.clock.now();
    const entry = this.#entry({ jid, master, atMs, number: this.#next++, load });
    this.#entries.add(entry);
    this.#write(entry, load);
    return entry;
  }

  #entry(entry: Pick<Kept, "jid" | "master" | "atMs" | "number" | "load">): Kept {
    return { ...entry, size: 0, onDisk: false, segment: undefined, offset: 0 };
  }

  #write(entry: Kept, load: Record<string, unknown>): void {
    const { log, directory, bytes: bound, tombstone } = this.#options;
    const { number, jid, master, atMs } = entry;
    const packed = (value: Record<string, unknown>) =>
      framed({ number, jid, master, atMs, load: encode(value, "wire") });
    let bytes = packed(load);
    if (bytes.length > bound) {
      entry.load = tombstone(load, `its ${bytes.length} bytes are more than return_spool_bytes (${bound})`);
      log.error("return dropped: it is larger than return_spool_bytes", { jid, bytes: bytes.length, bound });
      bytes = packed(entry.load);
    }
    for (const oldest of this.#entries) {
      if (this.#bytes + bytes.length <= bound) break;
      if (oldest !== entry && oldest.onDisk) this.#bury(oldest);
    }
    try {
      this.#append(entry, bytes);
      if (!this.#writable) {
        this.#writable = true;
        log.info("returns can be spooled again", { directory });
        // Those that were kept in memory alone: nobody knows when their turn to be sent comes.
        for (const other of [...this.#entries]) {
          if (!other.onDisk && other.load !== undefined) this.#write(other, other.load);
        }
      }
    } catch (error) {
      if (this.#writable) {
        log.error(
          "returns cannot be spooled and would not survive the end of this minion: free space, or mend the directory",
          {
            directory,
            error: messageOf(error),
          },
        );
      }
      this.#writable = false;
    }
  }

  /** @throws {SystemError} if the disk does not take it */
  #append(entry: Kept, bytes: Uint8Array): void {
    const { fs, directory } = this.#options;
    // Somebody may have cleaned up: what is written must be found again where it is thought to be.
    if (this.#segment !== undefined && fs.stat(this.#segment.path)?.size !== this.#segment.size) {
      this.#segment = undefined;
    }
    const segment = this.#segment ??= {
      path: joinPath(directory, String(this.#next++).padStart(12, "0")),
      size: 0,
      live: 0,
    };
    try {
      fs.append(segment.path, bytes, 0o600);
    } catch (error) {
      // It may end in half a record.
      this.#segment = undefined;
      if (segment.live === 0) this.#drop(segment);
      throw error;
    }
    this.#unsynced.add(segment.path);
    if (segment.size === 0) this.#unsyncedNames = true;
    this.#syncLater();
    entry.segment = segment;
    entry.offset = segment.size + HEAD;
    entry.size = bytes.length - HEAD;
    entry.onDisk = true;
    this.#bytes += entry.size;
    segment.live++;
    segment.size += bytes.length;
    if (segment.size >= this.#segmentBytes) this.#segment = undefined;
  }

  /**
   * Syncs what is still there after a moment. Most returns are with their master by then, and need no disk; of one that is lost
   * with the power before, the journal knows that its job had begun, and the next life says so.
   */
  #syncLater(): void {
    if (this.#syncing) return;
    this.#syncing = true;
    const { clock, log, directory } = this.#options;
    clock.after(SYNC_AFTER_MS, () => {
      this.#syncing = false;
      const kept = new Set([...this.#entries].map(({ segment }) => segment?.path));
      for (const path of this.#unsynced) if (!kept.has(path)) this.#unsynced.delete(path);
      if (this.#unsynced.size === 0) return;
      this.#sync().catch((error) =>
        log.error("returns may not outlive a loss of power", { directory, error: messageOf(error) })
      );
    });
  }

  /** Puts a small return in the place of one that had to go. */
  #bury(entry: Kept): void {
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

  /** What is to be sent; undefined if its file has gone. */
  load(entry: SpoolEntry): Record<string, unknown> | undefined {
    const kept = entry as Kept;
    if (kept.load !== undefined) return kept.load;
    const { fs, log } = this.#options;
    try {
      const bytes = fs.readAt(kept.segment!.path, kept.offset, kept.size);
      const { load } = decode(bytes, { mode: "wire" }) as { load: Uint8Array };
      // Its value goes on as it is.
      return decode(load, { mode: "wire", keep: ["return"] }) as Record<string, unknown>;
    } catch (error) {
      log.error("a spooled return cannot be read", { jid: kept.jid, error: messageOf(error) });
      return undefined;
    }
  }

  /** It could not be sent for now: what is on the disk need not be in memory, and what is not there is tried again. */
  rest(entry: SpoolEntry): void {
    const kept = entry as Kept;
    if (!this.#entries.has(kept)) return;
    if (kept.onDisk) kept.load = undefined;
    else if (kept.load !== undefined) this.#write(kept, kept.load);
  }

  /** True if it has grown too old to be sent; it is forgotten then, and the log says so. */
  tooOld(entry: SpoolEntry): boolean {
    const { clock, ageMs, log } = this.#options;
    if (clock.now() - entry.atMs <= ageMs) return false;
    log.error("return dropped: no master took it in time (return_spool_seconds)", {
      jid: entry.jid,
      bytes: entry.size,
    });
    this.done(entry);
    return true;
  }

  /** The master has it. */
  done(entry: SpoolEntry): void {
    this.#entries.delete(entry as Kept);
    this.#forget(entry as Kept);
  }

  #forget(entry: Kept): void {
    const { segment, number } = entry;
    if (segment === undefined) return;
    this.#bytes -= entry.size;
    entry.segment = undefined;
    entry.onDisk = false;
    entry.size = 0;
    if (--segment.live === 0 && segment !== this.#segment) return this.#drop(segment);
    const mark = framed({ number, done: true });
    try {
      this.#options.fs.append(segment.path, mark);
      segment.size += mark.length;
    } catch {
      // A next life would send it a second time, and a master that has it says so.
      if (this.#segment === segment) this.#segment = undefined;
    }
  }

  #drop({ path }: Segment): void {
    try {
      this.#options.fs.remove(path);
    } catch (error) {
      this.#options.log.warning("a file of returns that are done with cannot be removed", {
        path,
        error: messageOf(error),
      });
    }
  }
}
