import type { FileSystem } from "../../runtime/fs.ts";

interface EventLogOptions {
  fs: FileSystem;
  /** A directory for this log only; created if missing. */
  directory: string;
  /** Bytes of all files on disk, at most: the oldest entries are removed first. */
  maxBytes: number;
  /** Called when entries are removed to make room: number of the first one, and how many. */
  onRemoved?(first: number, count: number): void;
}

/** One file with consecutive entries. */
interface Segment {
  readonly path: string;
  readonly first: number;
  count: number;
  bytes: number;
  /** Time of the latest entry, on the caller's clock in milliseconds. */
  atMs: number;
}

/** Bytes before each entry in a file: its length. */
const HEAD = 4;
/** Number of files that share the space, and the minimum and maximum size of one file in bytes. */
const SEGMENTS = 8;
const [LEAST, MOST] = [16 * 1024, 4 * 1024 * 1024];
/** Bytes that are read at once. */
const CHUNK = 256 * 1024;
const NAME = /^(\d{15})\.events$/;

/**
 * Numbered entries in files of limited size. Entries of one turn of the event loop are one write, and the oldest entries are
 * removed a whole file at a time. Only entries that wait to be written are in memory.
 */
export class EventLog {
  readonly #options: EventLogOptions;
  readonly #segmentBytes: number;
  #segments: Segment[] = [];
  #bytes = 0;
  #next: number;
  #pending: Uint8Array[] = [];
  #pendingBytes = 0;
  /** True if the next entry must begin a new file. */
  #isCut = false;

  private constructor(options: EventLogOptions, segments: Segment[], next: number) {
    this.#options = options;
    this.#segmentBytes = Math.max(LEAST, Math.min(MOST, Math.floor(options.maxBytes / SEGMENTS)));
    this.#segments = segments;
    this.#bytes = segments.reduce((sum, { bytes }) => sum + bytes, 0);
    this.#next = next;
  }

  /** Makes an empty log and removes files of an old one from the directory. @param first number of the first entry */
  static empty(options: EventLogOptions, first: number): EventLog {
    const { fs, directory } = options;
    fs.mkdir(directory, 0o700);
    for (const name of fs.list(directory)) if (NAME.test(name)) fs.remove(`${directory}/${name}`);
    return new EventLog(options, [], first);
  }

  /** Opens the log that the process before this one left. An incomplete last entry is cut off. */
  static open(options: EventLogOptions): EventLog {
    const { fs, directory } = options;
    fs.mkdir(directory, 0o700);
    const segments: Segment[] = [];
    let next = 1;
    for (const name of fs.list(directory)) {
      const [, first] = NAME.exec(name) ?? [];
      if (first === undefined) continue;
      const path = `${directory}/${name}`;
      const { count, bytes, size } = measured(fs.read(path));
      if (bytes < size) fs.truncate(path, bytes);
      next = Number(first) + count;
      if (count === 0) fs.remove(path);
      else segments.push({ path, first: Number(first), count, bytes, atMs: 0 });
    }
    return new EventLog(options, segments, next);
  }

  /** Number of the oldest entry; {@link EventLog.next} if the log is empty. */
  get first(): number {
    return this.#segments[0]?.first ?? this.#next;
  }

  /** Number of the next entry to be written; entries that wait are not counted. */
  get next(): number {
    return this.#next;
  }

  /** Bytes of all files on disk. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Adds an entry, which is written with the next {@link EventLog.flush}. The bytes MUST NOT change. */
  append(entry: Uint8Array): void {
    this.#pending.push(entry);
    this.#pendingBytes += HEAD + entry.length;
  }

  /**
   * Writes the waiting entries in one piece.
   *
   * @returns the number of entries
   * @throws {SystemError} if writing fails: the entries are lost, and the error's field `lost` is their number
   */
  flush(nowMs = 0): number {
    const count = this.#pending.length;
    if (count === 0) return 0;
    const whole = joined(this.#pending, this.#pendingBytes);
    this.#pending = [];
    this.#pendingBytes = 0;
    const segment = this.#segmentFor(nowMs);
    try {
      this.#options.fs.append(segment.path, whole, 0o600);
    } catch (error) {
      this.#mend(segment);
      throw Object.assign(error as Error, { lost: count });
    }
    this.#isCut = false;
    if (segment.count === 0) this.#segments.push(segment);
    segment.count += count;
    segment.bytes += whole.length;
    segment.atMs = nowMs;
    this.#bytes += whole.length;
    this.#next += count;
    while (this.#bytes > this.#options.maxBytes && this.#segments.length > 1) this.#removeOldest(true);
    return count;
  }

  #segmentFor(nowMs: number): Segment {
    const last = this.#segments.at(-1);
    if (last !== undefined && last.bytes < this.#segmentBytes && !this.#isCut) return last;
    const name = `${String(this.#next).padStart(15, "0")}.events`;
    return { path: `${this.#options.directory}/${name}`, first: this.#next, count: 0, bytes: 0, atMs: nowMs };
  }

  /** Removes the part of an entry that a failed write may have left. */
  #mend(segment: Segment): void {
    const { fs, directory } = this.#options;
    try {
      fs.mkdir(directory, 0o700);
      if (segment.count === 0) fs.remove(segment.path);
      else fs.truncate(segment.path, segment.bytes);
    } catch {
      // A reader ignores the rest by the entry count, and the next process cuts it off.
    }
  }

  #removeOldest(tell: boolean): void {
    const segment = this.#segments.shift()!;
    this.#bytes -= segment.bytes;
    try {
      this.#options.fs.remove(segment.path);
    } catch {
      // Another process has removed the file.
    }
    if (tell) this.#options.onRemoved?.(segment.first, segment.count);
  }

  /** Removes files whose entries all have a lower number. */
  removeBefore(number: number): void {
    // Keep the last file: from it the next process knows the next number.
    while (this.#segments.length > 1) {
      const { first, count } = this.#segments[0]!;
      if (first + count > number) return;
      this.#removeOldest(false);
    }
  }

  /** Removes files whose latest entry is not newer than a time. */
  removeOlder(thanMs: number): void {
    while (this.#segments.length > 0 && this.#segments[0]!.atMs <= thanMs) this.#removeOldest(false);
  }

  /** Makes the next entry begin a new file, so that older entries can be removed without it. */
  cut(): void {
    this.#isCut = true;
  }

  /** Removes all entries. @param next number of the next entry */
  clear(next: number): void {
    while (this.#segments.length > 0) this.#removeOldest(false);
    this.#pending = [];
    this.#pendingBytes = 0;
    this.#next = next;
  }

  reader(from: number): EventLogReader {
    return new EventLogReader(this.#options.fs, () => this.#segments, () => this.#next, from);
  }
}

/** Reads the entries of a log in order, even while the log grows and its oldest files are removed. */
export class EventLogReader {
  readonly #fs: FileSystem;
  readonly #segments: () => readonly Segment[];
  readonly #end: () => number;
  #at: number;
  /** The file of the next entry to read. */
  #segment: Segment | undefined;
  #offset = 0;

  constructor(fs: FileSystem, segments: () => readonly Segment[], end: () => number, from: number) {
    this.#fs = fs;
    this.#segments = segments;
    this.#end = end;
    this.#at = from;
  }

  /** Number of the next entry to read. */
  get at(): number {
    return this.#at;
  }

  /**
   * Reads the next entries.
   *
   * @param most number of entries, at most
   * @param maxBytes bytes of all entries, at most; a single entry may be larger
   * @returns no entries at the end; `skipped` is the number of entries that were removed before they were read
   * @throws {SystemError} if a file cannot be read
   */
  read(most = Infinity, maxBytes = CHUNK): { entries: Uint8Array[]; skipped: number } {
    const skipped = this.#find();
    const entries: Uint8Array[] = [];
    const segment = this.#segment;
    if (segment === undefined) return { entries, skipped };
    const left = segment.bytes - this.#offset;
    let bytes = this.#fs.readAt(segment.path, this.#offset, Math.min(left, maxBytes + HEAD));
    if (bytes.length < HEAD) throw new RangeError(`"${segment.path}" is shorter than the data written to it`);
    const size = HEAD + new DataView(bytes.buffer, bytes.byteOffset).getUint32(0);
    if (size > bytes.length) bytes = this.#fs.readAt(segment.path, this.#offset, size);
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    let at = 0;
    while (entries.length < most && at + HEAD <= bytes.length) {
      const end = at + HEAD + view.getUint32(at);
      if (end > bytes.length) break;
      entries.push(bytes.subarray(at + HEAD, end));
      at = end;
    }
    this.#offset += at;
    this.#at += entries.length;
    return { entries, skipped };
  }

  /** Finds the file of the next entry. @returns the number of entries that were removed before they were read */
  #find(): number {
    const segments = this.#segments();
    const current = this.#segment;
    if (current !== undefined && this.#at < current.first + current.count && segments.includes(current)) return 0;
    this.#segment = undefined;
    const first = segments[0]?.first ?? this.#end();
    const skipped = Math.max(0, first - this.#at);
    this.#at += skipped;
    const segment = segments.find((one) => this.#at < one.first + one.count);
    if (segment === undefined) return skipped;
    this.#segment = segment;
    // Entries between two files are missing if writing them has failed.
    this.#at = Math.max(this.#at, segment.first);
    this.#offset = this.#at === segment.first ? 0 : offsetOf(this.#fs.read(segment.path), this.#at - segment.first);
    return skipped;
  }
}

/** Joins entries, each after its length. */
function joined(entries: readonly Uint8Array[], length: number): Uint8Array {
  const whole = new Uint8Array(length);
  const view = new DataView(whole.buffer);
  let at = 0;
  for (const entry of entries) {
    view.setUint32(at, entry.length);
    whole.set(entry, at + HEAD);
    at += HEAD + entry.length;
  }
  return whole;
}

/** Counts the complete entries in some bytes. */
function measured(bytes: Uint8Array): { count: number; bytes: number; size: number } {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  let count = 0;
  let at = 0;
  while (at + HEAD <= bytes.length) {
    const end = at + HEAD + view.getUint32(at);
    if (end > bytes.length) break;
    at = end;
    count++;
  }
  return { count, bytes: at, size: bytes.length };
}

/** Offset of the entry that has `before` entries in front of it. */
function offsetOf(bytes: Uint8Array, before: number): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  let at = 0;
  for (let n = 0; n < before; n++) at += HEAD + view.getUint32(at);
  return at;
}
