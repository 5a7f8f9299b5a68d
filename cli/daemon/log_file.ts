/** The log file of a daemon: reopened after another program has rotated it, or rotated by size. */
import { dirName } from "../../src/base/paths.ts";
import { SystemError } from "../../src/base/errors.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";
import type { LogTarget } from "./log_format.ts";

declare const process: { getBuiltinModule(name: "node:fs"): typeof import("node:fs") };

/** How often the file is checked for rotation, in milliseconds. */
const LOOK_MS = 1000;

interface LogFileOptions {
  /** `log_rotate_max_bytes`: a file that would exceed this size is renamed to `.1`; 0 for no rotation. @default 0 */
  maxBytes?: number;
  /** `log_rotate_backup_count`: number of renamed files to keep. As in Python, 0 disables the rotation. @default 0 */
  backups?: number;
}

/** Appends lines to a file. */
export class LogFile implements LogTarget {
  readonly #runtime: Pick<Runtime, "fs" | "clock" | "process">;
  readonly #path: string;
  readonly #options: Required<LogFileOptions>;
  readonly #fs = process.getBuiltinModule("node:fs");
  #descriptor: number;
  /** Device and inode of the open file, to detect its replacement. */
  #identity = "";
  #bytes = 0;
  #looked = 0;
  /** Lines lost since the last successful write. */
  #lost = 0;

  /** @throws if the file cannot be opened or created, or is a link that another user owns */
  constructor(runtime: Pick<Runtime, "fs" | "clock" | "process">, path: string, options: LogFileOptions = {}) {
    this.#runtime = runtime;
    this.#path = path;
    this.#options = { maxBytes: options.maxBytes ?? 0, backups: options.backups ?? 0 };
    this.#descriptor = this.#open();
  }

  #open(): number {
    this.#runtime.fs.mkdir(dirName(this.#path));
    const { O_APPEND, O_CREAT, O_NOFOLLOW, O_NONBLOCK, O_WRONLY } = this.#fs.constants;
    const flags = O_WRONLY | O_APPEND | O_CREAT | O_NONBLOCK;
    const follow = this.#mayFollow();
    const descriptor = this.#fs.openSync(this.#path, follow ? flags : flags | (O_NOFOLLOW ?? 0), 0o640);
    const { dev, ino, size } = this.#fs.fstatSync(descriptor);
    this.#identity = `${dev} ${ino}`;
    this.#bytes = size;
    this.#looked = this.#runtime.clock.now();
    return descriptor;
  }

  /**
   * True for a link that an operator has made, such as one to /dev/stdout. A link or hard link made by an unprivileged user
   * could make root write to any file.
   *
   * @throws {SystemError} for a link that an unprivileged user has made
   */
  #mayFollow(): boolean {
    const there = this.#runtime.fs.stat(this.#path, { follow: false });
    const own = this.#runtime.process.uid();
    const foreign = there !== undefined && own !== undefined && there.uid !== 0 && there.uid !== own;
    if (foreign && (there.kind === "symlink" || own === 0 && there.kind === "file" && there.nlink > 1)) {
      throw new SystemError(
        "EPERM",
        `Cannot write "${this.#path}": it is a link that user ${there.uid} created. Remove the link, or set log_file to another path`,
        { path: this.#path },
      );
    }
    return there?.kind === "symlink";
  }

  /** Opens the file again; if that fails, keeps writing to the old one. */
  reopen(): void {
    const before = this.#descriptor;
    try {
      this.#descriptor = this.#open();
    } catch {
      // If the directory belongs to another user by now, keep the old file.
      return;
    }
    this.#fs.closeSync(before);
  }

  /** @param text a line, with its line feed */
  write(text: string): void {
    try {
      this.#follow();
      const bytes = new TextEncoder().encode(this.#lost === 0 ? text : `${this.#lostLine()}${text}`);
      if (this.#isFull(bytes.length)) this.#rotate();
      this.#fs.writeSync(this.#descriptor, bytes);
      this.#bytes += bytes.length;
      this.#lost = 0;
    } catch {
      // A full disk must not stop the daemon: count lost lines, and report them when there is space again.
      this.#lost++;
    }
  }

  close(): void {
    this.#fs.closeSync(this.#descriptor);
  }

  #lostLine(): string {
    return `${this.#lost} log lines could not be written\n`;
  }

  /** Opens the file again if its path names another file by now. */
  #follow(): void {
    const now = this.#runtime.clock.now();
    if (now - this.#looked < LOOK_MS && now >= this.#looked) return;
    this.#looked = now;
    const there = this.#fs.statSync(this.#path, { throwIfNoEntry: false });
    if (there === undefined || `${there.dev} ${there.ino}` !== this.#identity) this.reopen();
    else this.#bytes = there.size;
  }

  #isFull(more: number): boolean {
    const { maxBytes, backups } = this.#options;
    return maxBytes > 0 && backups > 0 && this.#bytes > 0 && this.#bytes + more > maxBytes;
  }

  /** Renames `log` to `log.1`, `log.1` to `log.2` and so on; the last file is deleted. */
  #rotate(): void {
    const { backups } = this.#options;
    const name = (number: number) => number === 0 ? this.#path : `${this.#path}.${number}`;
    try {
      for (let number = backups - 1; number >= 0; number--) {
        if (this.#fs.lstatSync(name(number), { throwIfNoEntry: false })) {
          this.#runtime.fs.rename(name(number), name(number + 1));
        }
      }
    } catch {
      // If the directory belongs to another user, keep the file and try again after as many bytes.
      this.#bytes = 0;
      return;
    }
    this.reopen();
  }
}
