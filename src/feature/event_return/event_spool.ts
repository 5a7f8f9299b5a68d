import { dirName } from "../../base/paths.ts";
import type { BusPosition } from "../../model/event/follow_bus.ts";
import { EventLog, type EventLogReader } from "../../model/event/event_log.ts";
import type { FileSystem } from "../../runtime/fs.ts";
import { concat } from "../../runtime/bytes.ts";
import { textOf, utf8 } from "../../protocol/wire/utf8.ts";

/** An event in the spool. */
export interface SpooledEvent {
  /** `<boot>-<n>`, by which no other event goes. */
  id: string;
  at: BusPosition;
  /** Packed, with its tag. */
  bytes: Uint8Array;
}

export interface EventSpoolOptions {
  fs: FileSystem;
  /** A directory that nothing else uses. */
  directory: string;
  maxBytes: number;
  /** The oldest entries were removed for others: the number of the first one, and how many. */
  onRemoved(first: number, count: number): void;
}

/** Bytes of the number of an event, behind that of its master process. */
const NUMBER = 6;

/** Events that stores do not have yet, on the disk. */
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
    // The file is written before the first event of a master process is taken, and later only now and then.
    if (at !== undefined && (this.#last === undefined || at.boot === this.#last.boot && at.n > this.#last.n)) {
      this.#last = at;
    }
  }

  /** Opens what a process before this one has left. */
  static open({ fs, directory, maxBytes, onRemoved }: EventSpoolOptions): EventSpool {
    fs.mkdir(dirName(directory), 0o700);
    return new EventSpool(fs, EventLog.open({ fs, directory, maxBytes, onRemoved }), `${directory}/seen.json`);
  }

  #readSeen(): BusPosition | undefined {
    try {
      const { boot, n } = JSON.parse(this.#fs.readText(this.#seenPath));
      return typeof boot === "string" && Number.isSafeInteger(n) ? { boot, n } : undefined;
    } catch {
      // The first start.
      return undefined;
    }
  }

  /** The last event of the bus that was looked at. */
  get last(): BusPosition | undefined {
    return this.#last;
  }

  get first(): number {
    return this.#log.first;
  }

  get next(): number {
    return this.#log.next;
  }

  /** Bytes on the disk. */
  get bytes(): number {
    return this.#log.bytes;
  }

  /** What comes after this event is still to be taken. */
  begin(at: BusPosition): void {
    this.#last = at;
    this.save();
  }

  /** An event that is not stored. */
  pass(at: BusPosition): void {
    this.#last = at;
  }

  /** Takes an event, which is on the disk after the next {@link EventSpool.flush}. */
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

  /** Writes what was added. @throws {SystemError} with the number of events that are lost as `lost` */
  flush(): number {
    return this.#log.flush();
  }

  /** Writes down how far the bus was looked at. */
  save(): void {
    const last = this.#last;
    if (last === undefined || last.boot === this.#saved?.boot && last.n === this.#saved.n) return;
    this.#fs.write(this.#seenPath, JSON.stringify(last), { mode: 0o600 });
    this.#saved = last;
  }

  reader(from: number): EventLogReader {
    return this.#log.reader(from);
  }

  /** All stores have the entries before that one. */
  release(number: number): void {
    this.#log.removeBefore(number);
  }
}

/** An entry as an event; undefined if it is none: the disk has lost it. */
export function spooledEvent(entry: Uint8Array): SpooledEvent | undefined {
  const end = 1 + (entry[0] ?? 0);
  if (end === 1 || entry.length < end + NUMBER) return undefined;
  const boot = textOf(entry, 1, end);
  if (boot === undefined) return undefined;
  const view = new DataView(entry.buffer, entry.byteOffset + end);
  const n = view.getUint16(0) * 2 ** 32 + view.getUint32(2);
  return { id: `${boot}-${n}`, at: { boot, n }, bytes: entry.subarray(end + NUMBER) };
}
