import { dirName } from "../../base/paths.ts";
import type { BusPosition } from "../../model/event/follow_bus.ts";
import { EventLog, type EventLogReader } from "../../model/event/event_log.ts";
import type { FileSystem } from "../../runtime/fs.ts";
import { concat } from "../../runtime/bytes.ts";
import { textOf, utf8 } from "../../protocol/wire/utf8.ts";

interface SpooledEvent {
  /** The unique id of the event, `<boot>-<n>`. */
  id: string;
  at: BusPosition;
  bytes: Uint8Array;
}

interface EventSpoolOptions {
  fs: FileSystem;
  /** The directory of the spool, which nothing else uses. */
  directory: string;
  maxBytes: number;
  /** Called when the oldest entries were removed to make room, with the number of the first one, and how many. */
  onRemoved(first: number, count: number): void;
}

/** The bytes of an event's number, which follows the id of its master process. */
const NUMBER = 6;

/** Keeps events on the disk that stores do not have yet. */
export class EventSpool {
  readonly #fs: FileSystem;
  readonly #log: EventLog;
  readonly #seenPath: string;
  #last: BusPosition | undefined;
  #saved: BusPosition | undefined;

  private constructor(fs: FileSystem, log: EventLog, seenPath: string) {
    this.#fs = fs;
    this.#log = log;
    this.#seenPath = seenPath;
    this.#last = this.#saved = this.#readSeen();
    const { entries } = log.reader(Math.max(log.first, log.next - 1)).read();
    const at = entries[0] === undefined ? undefined : spooledEvent(entries[0])?.at;
    // The file with the position may be older than the last entry: it is written before a master process's first event, then periodically.
    if (at !== undefined && (this.#last === undefined || at.boot === this.#last.boot && at.n > this.#last.n)) {
      this.#last = at;
    }
  }

  /** Opens the spool, with the entries of a previous process. */
  static open({ fs, directory, maxBytes, onRemoved }: EventSpoolOptions): EventSpool {
    fs.mkdir(dirName(directory), 0o700);
    return new EventSpool(fs, EventLog.open({ fs, directory, maxBytes, onRemoved }), `${directory}/seen.json`);
  }

  #readSeen(): BusPosition | undefined {
    try {
      const { boot, n } = JSON.parse(this.#fs.readText(this.#seenPath));
      return typeof boot === "string" && Number.isSafeInteger(n) ? { boot, n } : undefined;
    } catch {
      // There is no file before the first start.
      return undefined;
    }
  }

  get last(): BusPosition | undefined {
    return this.#last;
  }

  get first(): number {
    return this.#log.first;
  }

  get next(): number {
    return this.#log.next;
  }

  /** The size of the spool on the disk, in bytes. */
  get bytes(): number {
    return this.#log.bytes;
  }

  /** Sets the position: events after this one are still to be taken. */
  begin(at: BusPosition): void {
    this.#last = at;
    this.save();
  }

  /** Passes an event that is not stored. */
  pass(at: BusPosition): void {
    this.#last = at;
  }

  /** Adds an event, which is on the disk after the next {@link EventSpool.flush}. */
  add(at: BusPosition, bytes: Uint8Array): void {
    this.#last = at;
    const boot = utf8(at.boot);
    const head = new Uint8Array(1 + boot.length + NUMBER);
    head[0] = boot.length;
    head.set(boot, 1);
    const view = new DataView(head.buffer, 1 + boot.length);
    view.setUint16(0, Math.floor(at.n / 2 ** 32));
    view.setUint32(2, at.n % 2 ** 32);
    this.#log.append(concat([head, bytes]));
  }

  /** Writes the added events. @throws {SystemError} with the number of lost events as `lost` */
  flush(): number {
    return this.#log.flush();
  }

  /** Saves the position on the bus. */
  save(): void {
    const last = this.#last;
    if (last === undefined || last.boot === this.#saved?.boot && last.n === this.#saved.n) return;
    this.#fs.write(this.#seenPath, JSON.stringify(last), { mode: 0o600 });
    this.#saved = last;
  }

  reader(from: number): EventLogReader {
    return this.#log.reader(from);
  }

  /** Removes the entries before a number, which all stores have. */
  release(number: number): void {
    this.#log.removeBefore(number);
  }
}

/** Reads an entry as an event; undefined if it is damaged. */
export function spooledEvent(entry: Uint8Array): SpooledEvent | undefined {
  const end = 1 + (entry[0] ?? 0);
  if (end === 1 || entry.length < end + NUMBER) return undefined;
  const boot = textOf(entry, 1, end);
  if (boot === undefined) return undefined;
  const view = new DataView(entry.buffer, entry.byteOffset + end);
  const n = view.getUint16(0) * 2 ** 32 + view.getUint32(2);
  return { id: `${boot}-${n}`, at: { boot, n }, bytes: entry.subarray(end + NUMBER) };
}
