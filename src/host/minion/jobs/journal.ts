import { grouped } from "../../../base/async/deferred.ts";
import { joinPath } from "../../../base/paths.ts";
import { messageOf } from "../../../base/errors.ts";
import { isPlainJid } from "../../../model/job/jid.ts";
import type { Logger } from "../../../base/log.ts";
import type { FileSystem } from "../../../runtime/fs.ts";
import { decode, encode } from "../../../protocol/wire/msgpack.ts";

/** After how many lines the file is compacted: it is written again without lines that are not needed any more. */
const COMPACT_AFTER = 4096;
/** How many jids are remembered at least. */
const LEAST_REMEMBERED = 1000;

/** A longer load is written without its arguments, and not run after a restart. */
const MAX_LOAD_BYTES = 1 << 20;

function base64(bytes: Uint8Array): string {
  let binary = "";
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary);
}

function unbase64(coded: string): Uint8Array {
  return Uint8Array.from(atob(coded), (character) => character.charCodeAt(0));
}

/**
 * How far a job had come when its minion stopped. `taken`: it had not begun. `starting`: it was about to begin, and may have begun.
 * `started`: it ran. `too large`: it was only taken, and its arguments were not written.
 */
export type Mark = "taken" | "too large" | "starting" | "started";

/** A job whose end is not in the journal. */
export interface JournaledJob {
  jid: string;
  mark: Mark;
  load: Record<string, unknown>;
  master: string;
  /** When the job was taken, in milliseconds since the epoch. */
  atMs: number;
  /** True if the arguments were too large for the journal. */
  isCut?: true;
}

interface Entry {
  mark: Mark;
  /** {@link JournaledJob} without its jid and mark, in base64. */
  coded: string;
}

const SIGNS = { "=": "taken", "~": "too large", "!": "starting", "*": "started" } as const satisfies Record<
  string,
  Mark
>;
const SIGN_OF = Object.fromEntries(Object.entries(SIGNS).map(([sign, mark]) => [mark, sign])) as Record<Mark, string>;

/** Makes a line; it has no trailing blank if the load is lost: such a line would be ignored, and a job that had begun would begin again. */
const lineOf = (jid: string, { mark, coded }: Entry) => `${SIGN_OF[mark]}${jid}${coded === "" ? "" : ` ${coded}`}\n`;

/**
 * Records the jobs that this minion has taken, begun and ended, as lines in one file, so that after the minion was killed no job runs a
 * second time and none is forgotten.
 *
 * A line is a sign, a jid and, on the first line about a job, its load in base64: `=` taken, `~` taken and too large to be run
 * after a restart, `!` starting, `*` started, `-` ended. `+` is of an earlier build, which did not distinguish jobs that were
 * taken from those that had begun. A line that was cut off by a crash is ignored.
 */
export class Journal {
  readonly #fs: FileSystem;
  readonly #log: Logger;
  readonly #path: string;
  readonly #remembered: number;
  /** The jobs in the order in which they were taken; a job that has ended holds undefined. */
  readonly #jobs = new Map<string, Entry | undefined>();
  #lines = 0;
  #writable = true;
  /** True if lines were written that are not synced yet, which a loss of power might take. */
  #unsynced = false;
  #syncing: Promise<void> = Promise.resolve();
  /** True after a failed sync: a later sync may succeed without having written the lines of the failed one. */
  #unsure = false;
  readonly #sync = grouped(async () => {
    this.#unsynced = false;
    try {
      if (this.#unsure) this.#rewrite();
      else await this.#fs.sync(this.#path);
      this.#unsure = false;
    } catch (error) {
      this.#unsynced = this.#unsure = true;
      throw error;
    }
  });

  constructor(options: { fs: FileSystem; log: Logger; directory: string; remembered: number }) {
    this.#fs = options.fs;
    this.#log = options.log;
    this.#path = joinPath(options.directory, "journal");
    this.#remembered = Math.max(options.remembered, LEAST_REMEMBERED);
  }

  /** Reads the journal of before a restart. Returns the jobs that had not ended. */
  open(): JournaledJob[] {
    if (this.#fs.stat(this.#path)?.kind === "file") {
      for (const line of this.#fs.readText(this.#path).split("\n")) this.#read(line);
    }
    this.#compact();
    const open: JournaledJob[] = [];
    for (const [jid, entry] of this.#jobs) {
      if (entry === undefined) continue;
      try {
        const { master, load, atMs, isCut } = decode(unbase64(entry.coded), { mode: "wire" }) as Partial<
          JournaledJob
        >;
        open.push({
          jid,
          mark: entry.mark,
          load: load!,
          master: master!,
          atMs: Number(atMs ?? 0),
          ...isCut ? { isCut } : {},
        });
      } catch (error) {
        this.#log.warning("a line of the journal cannot be read", { jid, error: messageOf(error) });
        // The line was cut off while the job was being taken: the job was not acknowledged, and its master sends it again.
        if (entry.mark === "taken" || entry.mark === "too large") this.#jobs.delete(jid);
      }
    }
    return open;
  }

  #read(line: string): void {
    const [, sign, jid, coded] = /^([=~!*+-])(\d{20}\w*)(?: (\S+))?$/.exec(line) ?? [];
    if (jid === undefined || !isPlainJid(jid)) return;
    if (sign === "-") {
      if (this.#jobs.has(jid)) this.#jobs.set(jid, undefined);
      return;
    }
    const mark = sign === "+" ? "starting" : SIGNS[sign as keyof typeof SIGNS];
    // A line without a load follows a line with it. If that line is lost, the mark still counts: the job had begun.
    this.#jobs.set(jid, { mark, coded: coded ?? this.#jobs.get(jid)?.coded ?? "" });
  }

  has(jid: string): boolean {
    return this.#jobs.has(jid);
  }

  /** True for a job that was taken and is over. */
  hasEnded(jid: string): boolean {
    return this.#jobs.has(jid) && this.#jobs.get(jid) === undefined;
  }

  /** Writes that a job has been taken. False if that failed: then only this process remembers it. */
  take(jid: string, load: Record<string, unknown>, master: string, atMs: number): boolean {
    let mark: Mark = "taken";
    let coded = base64(encode({ load, master, atMs }, "wire"));
    if (coded.length > MAX_LOAD_BYTES) {
      mark = "too large";
      coded = base64(encode({ load: { ...load, arg: [] }, master, atMs, isCut: true }, "wire"));
    }
    const entry = { mark, coded };
    this.#jobs.set(jid, entry);
    return this.#append(lineOf(jid, entry));
  }

  /** Writes how far a job has come; false if that failed. */
  mark(jid: string, mark: "taken" | "starting" | "started"): boolean {
    const entry = this.#jobs.get(jid);
    if (entry === undefined) return false;
    entry.mark = mark;
    return this.#append(`${SIGN_OF[mark]}${jid}\n`);
  }

  /** Tries again to write the line of a job that could not be written. */
  again(jid: string): boolean {
    const entry = this.#jobs.get(jid);
    return entry !== undefined && this.#append(lineOf(jid, entry));
  }

  /** Writes that a job is over: its return has been acknowledged, or dropped. */
  end(jid: string): void {
    if (!this.#jobs.has(jid)) return;
    this.#jobs.set(jid, undefined);
    this.#append(`-${jid}\n`);
    if (this.#lines > COMPACT_AFTER && this.#lines > 4 * this.#remembered) this.#compact();
  }

  /** Syncs the file: resolves when all written lines survive a loss of power, with false if the sync failed. */
  async synced(): Promise<boolean> {
    try {
      // A sync that is under way may have begun before the latest lines were written.
      if (this.#unsynced) this.#syncing = this.#sync();
      await this.#syncing;
      return true;
    } catch (error) {
      this.#complain(error);
      return false;
    }
  }

  #complain(error: unknown): void {
    if (this.#writable) {
      this.#log.error("the journal of jobs cannot be written: free disk space, or fix the directory", {
        path: this.#path,
        error: messageOf(error),
      });
    }
    this.#writable = false;
  }

  #append(line: string): boolean {
    try {
      // The previous line may have been cut off: begin on a new line.
      this.#fs.append(this.#path, this.#writable ? line : `\n${line}`, 0o600);
      this.#lines++;
      this.#unsynced = true;
      if (!this.#writable) this.#log.info("the journal of jobs can be written again", { path: this.#path });
      this.#writable = true;
      return true;
    } catch (error) {
      this.#complain(error);
      return false;
    }
  }

  /** Compacts the file. @throws {SystemError} if the disk does not take it */
  #rewrite(): void {
    for (const [jid, entry] of this.#jobs) {
      if (this.#jobs.size <= this.#remembered) break;
      if (entry === undefined) this.#jobs.delete(jid);
    }
    const lines: string[] = [];
    for (const [jid, entry] of this.#jobs) {
      lines.push(entry === undefined ? `=${jid}\n-${jid}\n` : lineOf(jid, entry));
    }
    this.#fs.write(this.#path, lines.join(""), { mode: 0o600, sync: true });
    this.#lines = lines.length;
  }

  #compact(): void {
    try {
      this.#rewrite();
    } catch (error) {
      this.#log.error("the journal of jobs cannot be written", { path: this.#path, error: messageOf(error) });
    }
  }
}
