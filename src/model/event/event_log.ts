import type { FileSystem } from "../../runtime/fs.ts";

export interface EventLogOptions {
  fs: FileSystem;
  /** A directory of its own; made if it is missing. */
  directory: string;
  /** Bytes that all of it may take on the disk: the oldest go first. */
  maxBytes: number;
  /** Called when entries are removed for others: the number of the first one, and how many. */
  onRemoved?(first: number, count: number): void;
}

/** A file with entries one after the other. */
interface Segment {
  readonly path: string;
  /** The number of its first entry. */
  readonly first: number;
  count: number;
  bytes: number;
  /** When its latest entry was written, on the clock of the caller. */
  atMs: number;
}

/** Entries of a segment: each is its length, four bytes, and what it is. */
const HEAD = 4;
/** Files into which the room is divided, and the bounds of their size. */
const SEGMENTS = 8;
const [LEAST, MOST] = [16 * 1024, 4 * 1024 * 1024];
/** Bytes that are read at once. */
const CHUNK = 256 * 1024;
const NAME = /^(\d{15})\.events$/;

/**
 * Entries in files, numbered one after the other, in bounded room: what is written in one turn of the loop is one write, and the
 * oldest entries go in files at once. Nothing of them is in memory but what waits to be written.
 */
export class EventLog {
  readonly #options: EventLogOptions;
  readonly #segmentBytes: number;
  #segments: Segment[] = [];
  #bytes = 0;
  #next: number;
  #pending: Uint8Array[] = [];
  #pendingBytes = 0;
  /** The next entry begins a file. */
  #isCut = false;

  private constructor(options: EventLogOptions, segments: Segment[], next: number) {
    this.#options = options;
    this.#segmentBytes = Math.max(LEAST, Math.min(MOST, Math.floor(options.maxBytes / SEGMENTS)));
    this.#segments = segments;
    this.#bytes = segments.reduce((sum, { bytes }) => sum + bytes, 0);
    this.#next = next;
  }

  /** A log without entries, whose first one will have that number; what was in the directory is removed. */
  static empty(options: EventLogOptions, first: number): EventLog {
    const { fs, directory } = options;
    fs.mkdir(directory, 0o700);
    for (const name of fs.list(directory)) if (NAME.test(name)) fs.remove(`${directory}/${name}`);
    return new EventLog(options, [], first);
  }

  /** The log that a process before this one has left. What it was writing when it was killed is cut off. */
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

  /** The number of the oldest entry; {@link EventLog.next} if there is none. */
  get first(): number {
    return this.#segments[0]?.first ?? this.#next;
  }

  /** The number that the next entry gets, those that wait to be written not counted. */
  get next(): number {
    return this.#next;
  }

  /** Bytes on the disk. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Adds an entry, which is written with the next {@link EventLog.flush}. The bytes MUST NOT change. */
  append(entry: Uint8Array): void {
    this.#pending.push(entry);
    this.#pendingBytes += HEAD + entry.length;
  }

  /**
   * Writes what waits, in one piece.
   *
   * @returns how many entries
   * @throws {SystemError} if it cannot be written: these entries are lost, and their number is on the error as `lost`
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

  /** Half of a write may be there. */
  #mend(segment: Segment): void {
    const { fs, directory } = this.#options;
    try {
      fs.mkdir(directory, 0o700);
      if (segment.count === 0) fs.remove(segment.path);
      else fs.truncate(segment.path, segment.bytes);
    } catch {
      // Whoever reads goes by the count, and the next process cuts it off.
    }
  }

  #removeOldest(tell: boolean): void {
    const segment = this.#segments.shift()!;
    this.#bytes -= segment.bytes;
    try {
      this.#options.fs.remove(segment.path);
    } catch {
      // Somebody else has removed it.
    }
    if (tell) this.#options.onRemoved?.(segment.first, segment.count);
  }

  /** Removes files in which no entry has that number or a later one. */
  removeBefore(number: number): void {
    // The last one stays: by it the next process knows how far the numbers are.
    while (this.#segments.length > 1) {
      const { first, count } = this.#segments[0]!;
      if (first + count > number) return;
      this.#removeOldest(false);
    }
  }

  /** Removes files whose latest entry was written before then. */
  removeOlder(thanMs: number): void {
    while (this.#segments.length > 0 && this.#segments[0]!.atMs <= thanMs) this.#removeOldest(false);
  }

  /** Has the next entry begin a file, so that those before it can go without it. */
  cut(): void {
    this.#isCut = true;
  }

  /** Removes all, and gives the next entry that number. */
  clear(next: number): void {
    while (this.#segments.length > 0) this.#removeOldest(false);
    this.#pending = [];
    this.#pendingBytes = 0;
    this.#next = next;
  }

  /** Reads entries from that number on. */
  reader(from: number): EventLogReader {
    return new EventLogReader(this.#options.fs, () => this.#segments, () => this.#next, from);
  }
}

/** Goes through a log, also while it grows, and while its oldest files go. */
export class EventLogReader {
  readonly #fs: FileSystem;
  readonly #segments: () => readonly Segment[];
  readonly #end: () => number;
  #at: number;
  /** Where that entry is. */
  #segment: Segment | undefined;
  #offset = 0;

  constructor(fs: FileSystem, segments: () => readonly Segment[], end: () => number, from: number) {
    this.#fs = fs;
    this.#segments = segments;
    this.#end = end;
    this.#at = from;
  }

  /** The number of the next entry that is read. */
  get at(): number {
    return this.#at;
  }

  /**
   * The next entries.
   *
   * @param most how many at most
   * @param maxBytes of all of them; one is given whatever its size
   * @returns none at the end; `skipped` if that many were removed before they were read
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

  /** Finds the file of the next entry. @returns how many entries are gone that were to come first */
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
    // Between two files there may be a gap where entries could not be written.
    this.#at = Math.max(this.#at, segment.first);
    this.#offset = this.#at === segment.first ? 0 : offsetOf(this.#fs.read(segment.path), this.#at - segment.first);
    return skipped;
  }
}

/** Entries in one piece, each after its length. */
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

/** How many whole entries there are, and their bytes. */
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

/** Where the entry is that so many stand before. */
function offsetOf(bytes: Uint8Array, before: number): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  let at = 0;
  for (let n = 0; n < before; n++) at += HEAD + view.getUint32(at);
  return at;
}
