import type { Clock } from "../async/clock.ts";
import { joinPath } from "../config/paths.ts";
import { messageOf } from "../errors.ts";
import type { Logger } from "../log.ts";
import type { FileSystem } from "../runtime/fs.ts";
import { decode, encode } from "../wire/msgpack.ts";

/** A load that a master has to take before it may be forgotten. */
export interface SpoolEntry {
  readonly jid: string;
  /** The address of the master that it is for. */
  readonly master: string;
  /** Milliseconds since the epoch. */
  readonly atMs: number;
  /** Octets on the disk. */
  readonly size: number;
  /** False while there was no room on the disk: it lives as long as this process. */
  readonly onDisk: boolean;
}

interface Kept extends SpoolEntry {
  size: number;
  onDisk: boolean;
  name: string;
  /** In memory until the first attempt to send it has failed, and as long as it is not on the disk. */
  load: Record<string, unknown> | undefined;
}

export interface SpoolOptions {
  fs: FileSystem;
  clock: Clock;
  log: Logger;
  directory: string;
  /** Octets on the disk at most. */
  bytes: number;
  /** Milliseconds after which a load is given up. */
  ageMs: number;
  /** What goes to the master in the place of a return that had to be dropped. */
  tombstone(load: Record<string, unknown>, why: string): Record<string, unknown>;
}

/**
 * Returns that no master has acknowledged yet, one file each, so that they survive the death of either side. What must be
 * dropped leaves a small return that says so.
 */
export class Spool {
  readonly #options: SpoolOptions;
  readonly #entries = new Set<Kept>();
  #bytes = 0;
  #next = 1;
  #writable = true;

  constructor(options: SpoolOptions) {
    this.#options = options;
  }

  /** Takes up what an earlier minion has left, oldest first. */
  open(): SpoolEntry[] {
    const { fs, log, directory } = this.#options;
    fs.mkdir(directory, 0o700);
    for (const name of fs.list(directory)) {
      const path = joinPath(directory, name);
      const number = /^(\d{12})-\d{20}\w*$/.exec(name)?.[1];
      try {
        if (number === undefined) {
          // Half-written, under the name that it had until it was whole.
          fs.remove(path);
          continue;
        }
        const size = fs.stat(path)?.size ?? 0;
        const { jid, master, atMs } = decode(fs.read(path), { mode: "wire" }) as SpoolEntry;
        this.#entries.add({ jid, master, atMs: Number(atMs), size, onDisk: true, name, load: undefined });
        this.#bytes += size;
        this.#next = Math.max(this.#next, Number(number) + 1);
      } catch (error) {
        log.error("a spooled return cannot be read and is dropped", { path, error: messageOf(error) });
        fs.remove(path);
      }
    }
    return [...this.#entries];
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
    return { jid, master, atMs, size: 0, onDisk: false, name: "", load } as Kept;
  }

  /** Keeps a load until {@link Spool.done}. */
  add(jid: string, master: string, load: Record<string, unknown>): SpoolEntry {
    const atMs = this.#options.clock.now();
    const name = `${String(this.#next++).padStart(12, "0")}-${jid}`;
    const entry: Kept = { jid, master, atMs, size: 0, onDisk: false, name, load };
    this.#entries.add(entry);
    this.#write(entry, load);
    return entry;
  }

  #write(entry: Kept, load: Record<string, unknown>): void {
    const { fs, log, directory, bytes: bound, tombstone } = this.#options;
    const { jid, master, atMs } = entry;
    const packed = (value: Record<string, unknown>) =>
      encode({ jid, master, atMs, load: encode(value, "wire") }, "wire");
    let bytes = packed(load);
    if (bytes.length > bound) {
      entry.load = tombstone(load, `its ${bytes.length} octets are more than return_spool_bytes (${bound})`);
      log.error("return dropped: it is larger than return_spool_bytes", { jid, octets: bytes.length, bound });
      bytes = packed(entry.load);
    }
    for (const oldest of this.#entries) {
      if (this.#bytes + bytes.length <= bound) break;
      if (oldest !== entry && oldest.onDisk) this.#bury(oldest);
    }
    const path = joinPath(directory, entry.name);
    try {
      fs.write(path, bytes, { mode: 0o600 });
      this.#bytes += bytes.length;
      entry.size = bytes.length;
      entry.onDisk = true;
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

  /** Puts a small return in the place of one that had to go. */
  #bury(entry: Kept): void {
    const { log, bytes: bound, tombstone } = this.#options;
    const load = this.load(entry);
    if (load === undefined || load.tombstone === true) return;
    log.error("return dropped: the spool is full (return_spool_bytes)", {
      jid: entry.jid,
      fun: load.fun,
      octets: entry.size,
      bound,
    });
    this.#forget(entry);
    entry.load = { ...tombstone(load, `the spool of ${bound} octets was full (return_spool_bytes)`), tombstone: true };
    this.#write(entry, entry.load);
  }

  /** What is to be sent; undefined if its file has gone. */
  load(entry: SpoolEntry): Record<string, unknown> | undefined {
    const kept = entry as Kept;
    if (kept.load !== undefined) return kept.load;
    const { fs, directory, log } = this.#options;
    try {
      const { load } = decode(fs.read(joinPath(directory, kept.name)), { mode: "wire" }) as { load: Uint8Array };
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
      octets: entry.size,
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
    if (!entry.onDisk) return;
    const { fs, directory } = this.#options;
    fs.remove(joinPath(directory, entry.name));
    this.#bytes -= entry.size;
    entry.onDisk = false;
    entry.size = 0;
  }
}
