import type { Clock } from "../../../base/async/clock.ts";
import { grouped } from "../../../base/async/deferred.ts";
import { joinPath } from "../../../base/paths.ts";
import { hex } from "../../../protocol/crypto/hex.ts";
import { rsaSign } from "../../../protocol/crypto/rsa.ts";
import { messageOf, SaltError } from "../../../base/errors.ts";
import type { Logger } from "../../../base/log.ts";
import { concat } from "../../../runtime/bytes.ts";
import type { Crypto, RsaPrivateKey } from "../../../runtime/crypto.ts";
import type { FileSystem } from "../../../runtime/fs.ts";
import { type AuditEntry, CHECKPOINT_ALGORITHM, checkpointText } from "./audit_entry.ts";
import { auditFileName, auditFileNumbers, auditLines, HEAD_FILE, MAX_LINE_BYTES } from "./audit_files.ts";

/** The most entries that wait while the disk is full; further entries are only counted. */
const MAX_WAITING = 10_000;
/** The number of lines after which a checkpoint is written before its time has come. */
const CHECKPOINT_LINES = 10_000;
/** How often a lasting failure is logged again, in milliseconds. */
const REMIND_MS = 60_000;

/** The audit log cannot be written, and `audit_failure: refuse` says that no command may run without it. */
class AuditError extends SaltError {
  constructor(message: string, options: { cause?: unknown } & Record<string, unknown> = {}) {
    super("AUDIT", message, options);
  }
}

export interface AuditLogOptions {
  fs: FileSystem;
  crypto: Crypto;
  clock: Pick<Clock, "now" | "elapsed">;
  log: Logger;
  directory: string;
  /** The master's own key, which signs checkpoints. */
  key: RsaPrivateKey;
  /** The size in bytes at which another file is begun; the next field is the age in milliseconds. */
  fileBytes: number;
  fileMs: number;
  /** How many closed files are kept; 0 keeps all. */
  keep: number;
  /** Called when a checkpoint was written, with the number and hash of the line before it, which copies elsewhere can keep. */
  onCheckpoint?(at: { n: number; hash: string; file: string }): void;
}

/**
 * The audit log: files of JSON lines, each of which has the hash of the line before. Lines wait in memory until
 * {@link AuditLog.saved}, which writes all of them at once and syncs the file.
 */
export class AuditLog {
  readonly #options: AuditLogOptions;
  #file = 0;
  /** How many bytes of the file this log has written. */
  #size = 0;
  #openedMs = 0;
  #n = 0;
  #prev = "";
  #unsigned = 0;
  #waiting: AuditEntry[] = [];
  /** The files that are not synced yet: a loss of power could take their last lines. */
  readonly #touched = new Set<string>();
  /** The last checkpoint, kept here until it is on the disk. */
  #signature: { line: Uint8Array; covered: { n: number; hash: string; file: string } } | undefined;
  #lost = 0;
  #failure: { message: string; toldMs: number } | undefined;
  readonly #write = grouped(() => this.#writeWaiting());

  /**
   * Opens the log and continues its chain. A last line that a loss of power has torn is taken off, and its hash recorded.
   *
   * @throws {SystemError} if the directory cannot be made or read
   */
  constructor(options: AuditLogOptions) {
    this.#options = options;
    options.fs.mkdir(options.directory, 0o700);
    this.#recover();
  }

  /** The number and hash of the last line. */
  get head(): { n: number; hash: string } {
    return { n: this.#n, hash: this.#prev };
  }

  /** Why lines cannot be written at present; undefined if they can. */
  get failure(): string | undefined {
    return this.#failure?.message;
  }

  /** Adds a line; it is written with the next {@link AuditLog.saved}. */
  record(entry: AuditEntry): void {
    if (this.#waiting.length < MAX_WAITING) this.#waiting.push(entry);
    else this.#lost++;
  }

  /** Resolves once all lines would survive a loss of power. @throws {AuditError} if they cannot be written; they are kept and tried again */
  async saved(): Promise<void> {
    await this.#write();
  }

  /** Writes the lines that wait and a checkpoint that signs them, if there are new lines. */
  async checkpoint(): Promise<void> {
    if (this.#unsigned === 0 && this.#waiting.length === 0) return;
    this.record({ kind: "checkpoint" });
    await this.saved();
  }

  async #writeWaiting(): Promise<void> {
    const { fs, log, directory } = this.#options;
    if (this.#waiting.length === 0 && this.#lost === 0) return;
    const before = { n: this.#n, prev: this.#prev, size: this.#size, file: this.#file, unsigned: this.#unsigned };
    const taken = this.#waiting;
    const lost = this.#lost;
    this.#waiting = [];
    this.#lost = 0;
    try {
      this.#makeRoom();
      const path = joinPath(directory, auditFileName(this.#file));
      const lines = taken.flatMap((entry) => this.#linesFor(entry));
      if (lost > 0) lines.push(this.#line({ kind: "lost", count: lost }));
      const bytes = concat(lines);
      if (this.#size === 0) this.#touched.add(directory);
      fs.append(path, bytes, 0o600);
      this.#touched.add(path);
      this.#size += bytes.length;
      for (const one of this.#touched) await fs.sync(one);
      this.#touched.clear();
      this.#announce();
      if (this.#failure !== undefined) log.info("the audit log can be written again", { path });
      this.#failure = undefined;
    } catch (error) {
      // Go back to the last line that is surely in the file: a part of a line must not stay in the middle of the chain.
      this.#waiting = [...taken, ...this.#waiting].slice(0, MAX_WAITING);
      this.#lost += lost;
      [this.#n, this.#prev, this.#unsigned] = [before.n, before.prev, before.unsigned];
      this.#signature = undefined;
      this.#cutBack(before);
      throw this.#failed(error);
    }
  }

  /** Calls `onCheckpoint` with the last checkpoint, which is on the disk now. */
  #announce(): void {
    const { fs, directory, onCheckpoint } = this.#options;
    if (this.#signature === undefined) return;
    const { line, covered } = this.#signature;
    this.#signature = undefined;
    fs.write(joinPath(directory, HEAD_FILE), line, { mode: 0o600 });
    onCheckpoint?.(covered);
  }

  #cutBack(before: { file: number; size: number }): void {
    const { fs, directory } = this.#options;
    const path = joinPath(directory, auditFileName(before.file));
    if (this.#file !== before.file) fs.remove(joinPath(directory, auditFileName(this.#file)));
    [this.#file, this.#size] = [before.file, before.size];
    try {
      if ((fs.stat(path)?.size ?? 0) > before.size) fs.truncate(path, before.size);
    } catch {
      // The next attempt finds a file that is longer than it should be, and begins another file.
    }
  }

  #failed(error: unknown): AuditError {
    const { log, clock, directory } = this.#options;
    const message = messageOf(error);
    const now = clock.elapsed();
    const tell = this.#failure === undefined || now - this.#failure.toldMs >= REMIND_MS;
    this.#failure = { message, toldMs: tell ? now : this.#failure!.toldMs };
    if (tell) {
      log.critical("the audit log cannot be written: free its disk, or set audit_dir to a directory on another disk", {
        directory,
        waiting: this.#waiting.length,
        error: message,
      });
    }
    return new AuditError(`The audit log cannot be written: ${message}`, { directory, cause: error });
  }

  /** Returns the line of an entry, signed if it is a checkpoint, and a checkpoint after it if one is due. */
  #linesFor(entry: AuditEntry): Uint8Array[] {
    const own = entry.kind === "checkpoint" ? this.#signed() : this.#line(entry);
    return this.#unsigned >= CHECKPOINT_LINES ? [own, this.#signed()] : [own];
  }

  #signed(): Uint8Array {
    const { crypto, clock, key } = this.#options;
    const time = new Date(clock.now()).toISOString();
    const at = { n: this.#n + 1, time, prev: this.#prev };
    const signature = rsaSign(crypto, CHECKPOINT_ALGORITHM, key, checkpointText(at));
    const covered = { n: this.#n, hash: this.#prev, file: auditFileName(this.#file) };
    const line = this.#line({ kind: "checkpoint", sig: btoa(String.fromCharCode(...signature)) }, time);
    this.#unsigned = 0;
    this.#signature = { line: line.slice(0, -1), covered };
    return line;
  }

  #line({ kind, ...fields }: AuditEntry, time = new Date(this.#options.clock.now()).toISOString()): Uint8Array {
    const { crypto } = this.#options;
    const n = this.#n + 1;
    let text = JSON.stringify({ n, time, kind, ...fields, prev: this.#prev });
    if (text.length * 3 > MAX_LINE_BYTES && new TextEncoder().encode(text).length > MAX_LINE_BYTES) {
      const { user, fun, outcome } = fields;
      text = JSON.stringify({
        n,
        time,
        kind,
        user,
        fun: String(fun).slice(0, 256),
        outcome,
        cut: true,
        prev: this.#prev,
      });
    }
    const bytes = new TextEncoder().encode(`${text}\n`);
    this.#n = n;
    this.#prev = hex(crypto.hash("sha256", bytes.subarray(0, -1)));
    this.#unsigned++;
    return bytes;
  }

  /** Begins another file if the current file is full or old, or another program has written to it. */
  #makeRoom(): void {
    const { fs, clock, directory, fileBytes, fileMs } = this.#options;
    const path = joinPath(directory, auditFileName(this.#file));
    const found = fs.stat(path)?.size ?? 0;
    if (found !== this.#size) {
      this.#options.log.critical("the audit log was changed by another program: check it with salt-run audit.verify", {
        path,
        bytes: found,
        expected: this.#size,
      });
      this.#next();
      this.#append({ kind: "foreign", file: path, bytes: found });
      return;
    }
    if (this.#size === 0 || this.#size < fileBytes && clock.elapsed() - this.#openedMs < fileMs) return;
    this.#append({ kind: "checkpoint" });
    this.#next();
    this.#prune();
  }

  #append(entry: AuditEntry): void {
    const { fs, directory } = this.#options;
    const line = concat(this.#linesFor(entry));
    const path = joinPath(directory, auditFileName(this.#file));
    fs.append(path, line, 0o600);
    this.#touched.add(path);
    this.#size += line.length;
  }

  #next(): void {
    this.#file++;
    this.#size = 0;
    this.#openedMs = this.#options.clock.elapsed();
  }

  /** Removes the oldest files beyond the number that is kept, and records it in the log. */
  #prune(): void {
    const { fs, directory, keep } = this.#options;
    if (keep <= 0) return;
    const closed = auditFileNumbers(fs, directory).filter((number) => number < this.#file);
    for (const number of closed.slice(0, Math.max(0, closed.length - keep))) {
      fs.remove(joinPath(directory, auditFileName(number)));
      this.#append({ kind: "removed", file: auditFileName(number) });
    }
  }

  #recover(): void {
    const { fs, crypto, clock, directory } = this.#options;
    const last = auditFileNumbers(fs, directory).at(-1);
    this.#openedMs = clock.elapsed();
    if (last === undefined) {
      this.#file = 1;
      this.#prev = hex(crypto.randomBytes(32));
      this.record({ kind: "begin" });
      return;
    }
    this.#file = last;
    let torn: Uint8Array | undefined;
    for (const { bytes, endsAt, number, whole } of auditLines(fs, directory, last)) {
      const n = whole ? numberOf(bytes) : undefined;
      if (n === undefined) {
        torn = bytes.slice();
        continue;
      }
      if (number === 1) this.#openedMs -= Math.max(0, clock.now() - timeOf(bytes));
      this.#n = n;
      this.#prev = hex(crypto.hash("sha256", bytes));
      this.#size = endsAt;
      torn = undefined;
    }
    if (this.#prev === "") this.#continueFrom(last);
    if (torn === undefined) return;
    fs.truncate(joinPath(directory, auditFileName(last)), this.#size);
    this.record({ kind: "recovered", bytes: torn.length, sha256: hex(crypto.hash("sha256", torn)) });
  }

  /** Continues the chain from the file before, if the last file has no line. */
  #continueFrom(file: number): void {
    const { fs, crypto, directory } = this.#options;
    const before = auditFileNumbers(fs, directory).filter((number) => number < file).at(-1);
    for (const { bytes } of before === undefined ? [] : auditLines(fs, directory, before)) {
      this.#n = numberOf(bytes) ?? this.#n;
      this.#prev = hex(crypto.hash("sha256", bytes));
    }
    if (this.#prev !== "") return;
    this.#prev = hex(crypto.randomBytes(32));
    this.record({ kind: "begin" });
  }
}

function numberOf(line: Uint8Array): number | undefined {
  try {
    const { n } = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(line));
    return Number.isSafeInteger(n) && n > 0 ? n : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the time of a line, in milliseconds since the epoch. */
function timeOf(line: Uint8Array): number {
  const { time } = JSON.parse(new TextDecoder().decode(line));
  return Date.parse(String(time)) || Infinity;
}
