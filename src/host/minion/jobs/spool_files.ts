import type { Clock } from "../../../base/async/clock.ts";
import { grouped } from "../../../base/async/deferred.ts";
import { joinPath } from "../../../base/paths.ts";
import { messageOf } from "../../../base/errors.ts";
import type { Logger } from "../../../base/log.ts";
import type { FileSystem } from "../../../runtime/fs.ts";
import { decode, encode } from "../../../protocol/wire/msgpack.ts";

type Load = Record<string, unknown>;

/** One file of the spool: records one after the other, each with its length before it. */
interface Segment {
  /** Another one once it had to be written again. */
  path: string;
  /** Files that it was copied from. They may have records that are on the disk, and stay until the copy is safe. */
  before: string[];
  /** The size of the file in bytes, including records that are not needed any more. */
  size: number;
  /** Records in it that are needed. */
  live: number;
}

export interface SpoolPlace {
  readonly segment: Segment;
  readonly offset: number;
  /** The size of the record in bytes, without its length. */
  readonly size: number;
}

export interface SpoolRecord {
  number: number;
  jid: string;
  master: string;
  /** Milliseconds since the epoch. */
  atMs: number;
}

/** The content of a record: a load, or the note that an earlier record is not needed any more. */
type Written = SpoolRecord & { load: Uint8Array } | { number: number; done: true };

/** The size in bytes from which a file gets no more records. */
const SEGMENT_BYTES = 262_144;
/** The pause before records are synced to the disk. */
const SYNC_AFTER_MS = 100;
/** The pause before what could not be synced is written again. */
const WRITE_AGAIN_MS = 2000;
/** How many bytes before each record hold its length. */
const HEAD = 4;
/** The number of a file, and of a copy: it comes after the file, and before what was written later. */
const NAME = /^\d{12}(\.\d{12})?$/;

/** The name of a file before it was copied. */
function firstNameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1).split(".")[0]!;
}

/** Returns the last of the files, in the order of their names, that is a copy of another file. */
function copyOf(path: string, segments: Iterable<Segment>): Segment | undefined {
  let found: Segment | undefined;
  for (const segment of segments) {
    if (segment.path > path && firstNameOf(segment.path) === firstNameOf(path)) found = segment;
  }
  return found;
}

function framed(record: Written): Uint8Array {
  const bytes = encode(record, "wire");
  const whole = new Uint8Array(HEAD + bytes.length);
  new DataView(whole.buffer).setUint32(0, bytes.length);
  whole.set(bytes, HEAD);
  return whole;
}

/** Resolves once all have; rejects once all are over and one has failed. */
async function all(syncs: readonly Promise<void>[]): Promise<void> {
  for (const result of await Promise.allSettled(syncs)) if (result.status === "rejected") throw result.reason;
}

/** The bytes of a load in the spool. */
export function packRecord(record: SpoolRecord, load: Load): Uint8Array {
  return framed({ ...record, load: encode(load, "wire") });
}

export interface SpoolFilesOptions {
  fs: FileSystem;
  clock: Clock;
  log: Logger;
  directory: string;
  /** The most bytes of all files; each file holds an eighth of it, so that records which are not needed any more stay few. */
  bytes: number;
}

/**
 * The files of a spool. Records are appended, and a record that is not needed any more is marked by another one: a file for
 * each return would take longer than the rest of a short job, and wear out the flash of small machines. A file is removed when
 * nothing in it is needed. A file that was cut off by a crash or a full disk gets no more records.
 */
export class SpoolFiles {
  readonly #options: SpoolFilesOptions;
  readonly #segmentBytes: number;
  /** The file that records are appended to. */
  #segment: Segment | undefined;
  #next = 1;
  /** Files with records that a loss of power might take, and whether one of the files is new. */
  #unsynced = new Set<Segment>();
  #unsyncedNames = false;
  #syncing = false;
  /** Files of which a sync has failed: a later one may pass without having written what the failed one has not. */
  readonly #unsafe = new Map<Segment, unknown>();
  /** Files that were copied, and are to be removed once the copies are safe. */
  readonly #copied = new Set<Segment>();
  #failed = false;
  #waiting = false;
  #closed = false;
  readonly #sync = grouped(async () => {
    const [segments, names] = [[...this.#unsynced], this.#unsyncedNames];
    [this.#unsynced, this.#unsyncedNames] = [new Set(), false];
    await all([...segments.map((segment) => this.#syncFile(segment)), ...(names ? [this.#syncNames()] : [])]);
    this.#removeCopied();
  });

  constructor(options: SpoolFilesOptions) {
    this.#options = options;
    this.#segmentBytes = Math.min(SEGMENT_BYTES, options.bytes / 8);
  }

  /** The number of the next record; later ones are larger, across restarts. */
  nextNumber(): number {
    return this.#next++;
  }

  #nextName(): string {
    return String(this.#next++).padStart(12, "0");
  }

  /** Reads the records that an earlier process has left and that are needed, oldest first. */
  open(): { record: SpoolRecord; place: SpoolPlace }[] {
    const { fs, log, directory } = this.#options;
    fs.mkdir(directory, 0o700);
    const found = new Map<number, { record: SpoolRecord; place: SpoolPlace }>();
    const segments: Segment[] = [];
    for (const name of fs.list(directory)) {
      const path = joinPath(directory, name);
      if (!NAME.test(name)) continue;
      this.#next = Math.max(this.#next, ...name.split(".").map((number) => Number(number) + 1));
      const segment: Segment = { path, before: [], size: 0, live: 0 };
      try {
        this.#read(segment, fs.read(path), found);
        segments.push(segment);
      } catch (error) {
        // The file stays: it may be readable after the next restart.
        log.error("spooled returns cannot be read", { path, error: messageOf(error) });
      }
    }
    const numbers = [...found.keys()].sort((a, b) => a - b);
    for (const number of numbers) {
      found.get(number)!.place.segment.live++;
      this.#next = Math.max(this.#next, number + 1);
    }
    for (const segment of segments) if (segment.live > 0) this.#unsynced.add(segment);
    for (const { path, live } of segments) {
      if (live > 0) continue;
      const copy = copyOf(path, this.#unsynced);
      if (copy === undefined) fs.remove(path);
      else {
        // The process that made the copy may have ended before it was safe.
        copy.before.push(path);
        this.#copied.add(copy);
      }
    }
    // A killed process may have left the files unsynced, only in the system's memory.
    if (this.#unsynced.size > 0) {
      this.#unsyncedNames = true;
      this.#syncLater();
    }
    return numbers.map((number) => found.get(number)!);
  }

  /** Reads the records of a file, up to where it was cut off. */
  #read(segment: Segment, bytes: Uint8Array, found: Map<number, { record: SpoolRecord; place: SpoolPlace }>): void {
    const { log } = this.#options;
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    while (segment.size + HEAD <= bytes.length) {
      const offset = segment.size + HEAD;
      const size = view.getUint32(segment.size);
      if (size === 0 || offset + size > bytes.length) return;
      try {
        const written = decode(bytes.subarray(offset, offset + size), { mode: "wire" }) as Written;
        const number = Number(written.number);
        if ("done" in written) found.delete(number);
        else {
          const { jid, master } = written;
          // A record replaces an earlier one with its number.
          found.set(number, {
            record: { number, jid, master, atMs: Number(written.atMs) },
            place: { segment, offset, size },
          });
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

  /** Appends a record. @throws {SystemError} if the disk does not take it */
  append(bytes: Uint8Array): SpoolPlace {
    const { fs, directory } = this.#options;
    // Another program may have removed or cut the file: a record must be found again at its offset.
    if (this.#segment !== undefined && fs.stat(this.#segment.path)?.size !== this.#segment.size) {
      this.#segment = undefined;
    }
    const segment = this.#segment ??= {
      path: joinPath(directory, this.#nextName()),
      before: [],
      size: 0,
      live: 0,
    };
    try {
      fs.append(segment.path, bytes, 0o600);
    } catch (error) {
      // The file may end in half a record now.
      this.#segment = undefined;
      if (segment.live === 0) this.#remove(segment);
      throw error;
    }
    this.#unsynced.add(segment);
    if (segment.size === 0) this.#unsyncedNames = true;
    this.#syncLater();
    const place = { segment, offset: segment.size + HEAD, size: bytes.length - HEAD };
    segment.live++;
    segment.size += bytes.length;
    if (segment.size >= this.#segmentBytes) this.#segment = undefined;
    return place;
  }

  /** Reads the load of a record; the value of its return stays packed. */
  load({ segment, offset, size }: SpoolPlace): Load {
    const bytes = this.#options.fs.readAt(segment.path, offset, size);
    const { load } = decode(bytes, { mode: "wire" }) as { load: Uint8Array };
    return decode(load, { mode: "wire", keep: ["return"] }) as Load;
  }

  /** Syncs the file of a record at once. @throws {SystemError} if the disk does not take it: it is written again later */
  async sync({ segment }: SpoolPlace): Promise<void> {
    try {
      await all([this.#syncFile(segment), this.#syncNames()]);
      // This sync may have passed because another one has failed.
      if (this.#unsafe.has(segment)) throw this.#unsafe.get(segment);
    } catch (error) {
      this.#syncFailed(error);
      throw error;
    }
  }

  /** Moves no file from now on: a successor may have read them. Files stay only where a master has yet to take something of them. */
  close(): void {
    this.#closed = true;
    const segment = this.#segment;
    if (segment === undefined || segment.live > 0) return;
    this.#segment = undefined;
    this.#remove(segment);
  }

  async #syncFile(segment: Segment): Promise<void> {
    try {
      await this.#options.fs.sync(segment.path);
    } catch (error) {
      if (this.#segment === segment) this.#segment = undefined;
      if (segment.live === 0) this.#remove(segment);
      else this.#unsafe.set(segment, error);
      throw error;
    }
  }

  async #syncNames(): Promise<void> {
    try {
      await this.#options.fs.sync(this.#options.directory);
    } catch (error) {
      this.#unsyncedNames = true;
      throw error;
    }
  }

  /** Everything was synced, but for what came meanwhile: files of which there are copies are not needed any more. */
  #removeCopied(): void {
    if (this.#closed) return;
    for (const segment of this.#copied) {
      if (this.#unsynced.has(segment) || this.#unsafe.has(segment)) continue;
      this.#copied.delete(segment);
      for (const path of segment.before.splice(0)) this.#removeFile(path);
    }
  }

  /** Marks that a record is not needed any more. */
  remove({ segment }: SpoolPlace, number: number): void {
    if (--segment.live === 0 && segment !== this.#segment) return this.#remove(segment);
    const mark = framed({ number, done: true });
    try {
      this.#options.fs.append(segment.path, mark);
      segment.size += mark.length;
    } catch {
      // After a restart the return is sent again; a master that has it drops the second one.
      if (this.#segment === segment) this.#segment = undefined;
    }
  }

  /**
   * Syncs the records that are still needed after a moment. Most returns are with their master by then and need no disk. A
   * return that is lost with the power before is reported after the restart, because the journal shows that its job began.
   */
  #syncLater(): void {
    if (this.#syncing) return;
    this.#syncing = true;
    const { clock, log, directory } = this.#options;
    clock.after(SYNC_AFTER_MS, () => {
      this.#syncing = false;
      for (const segment of this.#unsynced) if (segment.live === 0) this.#unsynced.delete(segment);
      // Names alone are worth a sync only where one of them has failed.
      if (this.#unsynced.size === 0 && !(this.#failed && this.#unsyncedNames)) return;
      this.#sync().then(() => {
        if (this.#failed && this.#unsafe.size === 0) {
          this.#failed = false;
          log.info("returns can be synced again", { directory });
        }
      }, (error) => this.#syncFailed(error));
    });
  }

  #syncFailed(error: unknown): void {
    const { log, directory } = this.#options;
    if (!this.#failed) {
      log.error("returns could not be synced: a power failure may lose them", { directory, error: messageOf(error) });
    }
    this.#failed = true;
    this.#againLater();
  }

  /** Writes records that are not durable again, until the disk takes them. */
  #againLater(): void {
    if (this.#waiting) return;
    this.#waiting = true;
    this.#options.clock.after(WRITE_AGAIN_MS, () => {
      this.#waiting = false;
      if (this.#closed) return;
      for (const segment of [...this.#unsafe.keys()]) this.#writeAgain(segment);
      if (this.#unsafe.size > 0) this.#againLater();
      this.#syncLater();
    });
  }

  /** Writes a file under another name. Records keep their places in it. */
  #writeAgain(segment: Segment): void {
    const { fs, log, directory } = this.#options;
    const { path: from, before } = segment;
    const path = joinPath(directory, `${firstNameOf(from)}.${this.#nextName()}`);
    try {
      // Somebody has removed it: nothing is left to be written.
      if (fs.stat(from) === undefined) return void this.#unsafe.delete(segment);
      fs.append(path, fs.read(from).subarray(0, segment.size), 0o600);
    } catch (error) {
      log.debug("a file of unsynced returns cannot be rewritten yet", {
        path: from,
        error: messageOf(error),
      });
      return this.#removeFile(path);
    }
    segment.path = path;
    // If several copies could not be synced, only the last one stays.
    if (before.length === 0) before.push(from);
    else this.#removeFile(from);
    this.#unsafe.delete(segment);
    this.#copied.add(segment);
    this.#unsynced.add(segment);
    this.#unsyncedNames = true;
  }

  #remove(segment: Segment): void {
    this.#unsafe.delete(segment);
    this.#copied.delete(segment);
    // First, since it lacks the marks of records that were removed after it was copied.
    for (const path of segment.before) this.#removeFile(path);
    this.#removeFile(segment.path);
  }

  #removeFile(path: string): void {
    try {
      this.#options.fs.remove(path);
    } catch (error) {
      this.#options.log.warning("the file of sent returns cannot be removed", {
        path,
        error: messageOf(error),
      });
    }
  }
}
