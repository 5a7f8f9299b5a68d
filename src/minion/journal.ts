import { joinPath } from "../config/paths.ts";
import { messageOf } from "../errors.ts";
import { isPlainJid } from "../job/jid.ts";
import type { Logger } from "../log.ts";
import type { FileSystem } from "../runtime/fs.ts";
import { decode, encode } from "../wire/msgpack.ts";

/** Lines after which the file is written anew without those that say nothing any more. */
const COMPACT_AFTER = 4096;
/** Jids that are remembered beyond those that a configuration asks for. */
const LEAST_REMEMBERED = 1000;

/** A load whose text is longer is written without its arguments. */
const LARGEST_LOAD = 65_536;

function base64(bytes: Uint8Array): string {
  let binary = "";
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary);
}

function unbase64(coded: string): Uint8Array {
  return Uint8Array.from(atob(coded), (character) => character.charCodeAt(0));
}

/** A job that was begun, and of whose end nothing is written. */
export interface InterruptedJob {
  jid: string;
  /** `{fun, arg, user, …}`, and the address of its master. */
  load: Record<string, unknown>;
  master: string;
}

/**
 * Which jobs this minion has begun, and which have come to their end: lines in one file, so that no job is run a second time
 * after the minion was killed, and none is forgotten that was being run.
 *
 * A line is `+<jid> <load in base64>` or `-<jid>`; one that was cut off by a crash is overlooked.
 */
export class Journal {
  readonly #fs: FileSystem;
  readonly #log: Logger;
  readonly #path: string;
  readonly #remembered: number;
  /** In the order in which they began; those that have ended hold undefined. */
  readonly #jobs = new Map<string, string | undefined>();
  #lines = 0;
  #writable = true;

  constructor(options: { fs: FileSystem; log: Logger; directory: string; remembered: number }) {
    this.#fs = options.fs;
    this.#log = options.log;
    this.#path = joinPath(options.directory, "journal");
    this.#remembered = Math.max(options.remembered, LEAST_REMEMBERED);
  }

  /** Reads what an earlier minion has left; gives the jobs that it was at. */
  open(): InterruptedJob[] {
    if (this.#fs.stat(this.#path)?.kind === "file") {
      for (const line of this.#fs.readText(this.#path).split("\n")) {
        const [, sign, jid, load] = /^([+-])(\d{20}\w*)(?: (\S+))?$/.exec(line) ?? [];
        if (jid === undefined || !isPlainJid(jid)) continue;
        if (sign === "+") this.#jobs.set(jid, load ?? "");
        else if (this.#jobs.has(jid)) this.#jobs.set(jid, undefined);
      }
    }
    this.#compact();
    const interrupted: InterruptedJob[] = [];
    for (const [jid, coded] of this.#jobs) {
      if (coded === undefined) continue;
      try {
        const { master, load } = decode(unbase64(coded), { mode: "wire" }) as InterruptedJob;
        interrupted.push({ jid, load, master });
      } catch (error) {
        this.#log.warning("a line of the journal cannot be read", { jid, error: messageOf(error) });
      }
    }
    return interrupted;
  }

  has(jid: string): boolean {
    return this.#jobs.has(jid);
  }

  /**
   * A job is about to be begun. False if that could not be written: then it is remembered by this process alone.
   *
   * @param load what its return will need of the publication
   */
  begin(jid: string, load: Record<string, unknown>, master: string): boolean {
    let coded = base64(encode({ load, master }, "wire"));
    if (coded.length > LARGEST_LOAD) coded = base64(encode({ load: { ...load, arg: [] }, master }, "wire"));
    this.#jobs.set(jid, coded);
    return this.#append(`+${jid} ${coded}\n`);
  }

  /** Tries again to write down a job that could not be written when it was about to be begun. */
  again(jid: string): boolean {
    const coded = this.#jobs.get(jid);
    return coded !== undefined && this.#append(`+${jid} ${coded}\n`);
  }

  /** Its return is on the disk, or has been acknowledged. */
  end(jid: string): void {
    if (!this.#jobs.has(jid)) return;
    this.#jobs.set(jid, undefined);
    this.#append(`-${jid}\n`);
    if (this.#lines > COMPACT_AFTER && this.#lines > 4 * this.#remembered) this.#compact();
  }

  #append(line: string): boolean {
    try {
      // What was written before may have been cut off.
      this.#fs.append(this.#path, this.#writable ? line : `\n${line}`, 0o600);
      this.#lines++;
      if (!this.#writable) this.#log.info("the journal of jobs can be written again", { path: this.#path });
      this.#writable = true;
      return true;
    } catch (error) {
      if (this.#writable) {
        this.#log.error("the journal of jobs cannot be written: free space, or mend the directory", {
          path: this.#path,
          error: messageOf(error),
        });
      }
      this.#writable = false;
      return false;
    }
  }

  #compact(): void {
    for (const [jid, coded] of this.#jobs) {
      if (this.#jobs.size <= this.#remembered) break;
      if (coded === undefined) this.#jobs.delete(jid);
    }
    const lines: string[] = [];
    for (const [jid, coded] of this.#jobs) {
      lines.push(coded === undefined ? `+${jid}\n-${jid}\n` : `+${jid} ${coded}\n`);
    }
    try {
      this.#fs.write(this.#path, lines.join(""), { mode: 0o600 });
      this.#lines = lines.length;
    } catch (error) {
      this.#log.error("the journal of jobs cannot be written", { path: this.#path, error: messageOf(error) });
    }
  }
}
