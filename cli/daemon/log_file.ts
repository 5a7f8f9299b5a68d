/** The file that a daemon writes its log to: reopened after it was rotated, or rotated by its size. */
import { dirName } from "../../src/base/paths.ts";
import { SystemError } from "../../src/base/errors.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";
import type { LogTarget } from "./log_target.ts";

declare const process: { getBuiltinModule(name: "node:fs"): typeof import("node:fs") };

/** How often the file is checked for rotation, in milliseconds. */
const LOOK_MS = 1000;

export interface LogFileOptions {
  /** `log_rotate_max_bytes`: a file that would grow beyond is renamed to `.1`; 0 for never. @default 0 */
  maxBytes?: number;
  /** `log_rotate_backup_count`: how many renamed files are kept; with 0 none is renamed, as in Python. @default 0 */
  backups?: number;
}

/** Appends lines to a file. */
export class LogFile implements LogTarget {
  readonly #runtime: Pick<Runtime, "fs" | "clock" | "process">;
  readonly #path: string;
  readonly #options: Required<LogFileOptions>;
  readonly #fs = process.getBuiltinModule("node:fs");
  #descriptor: number;
  /** Device and inode of the open file. */
  #identity = "";
  #bytes = 0;
  #looked = 0;
  /** Lines that could not be written since the last one that could. */
  #lost = 0;

  /** @throws if it cannot be opened or created, or if it is a link of another user's */
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
   * True for a link that an operator has made, such as one to /dev/stdout. A link or a second name that a user without rights
   * has made could have root write into any file.
   *
   * @throws {SystemError} for those
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

  /** Opens the file of that name; keeps writing to the old one if that fails. */
  reopen(): void {
    const before = this.#descriptor;
    try {
      this.#descriptor = this.#open();
    } catch {
      // The directory may belong to another user by now: lines go to the old file.
      return;
    }
    this.#fs.closeSync(before);
  }

  /** @param text a line with its line feed */
  write(text: string): void {
    try {
      this.#follow();
      const bytes = new TextEncoder().encode(this.#lost === 0 ? text : `${this.#lostLine()}${text}`);
      if (this.#isFull(bytes.length)) this.#rotate();
      this.#fs.writeSync(this.#descriptor, bytes);
      this.#bytes += bytes.length;
      this.#lost = 0;
    } catch {
      // A full disk must not stop the daemon: what was lost is counted, and said once there is room.
      this.#lost++;
    }
  }

  close(): void {
    this.#fs.closeSync(this.#descriptor);
  }

  #lostLine(): string {
    return `${this.#lost} log lines could not be written\n`;
  }

  /** Opens the file again if another one has its name by now. */
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

  /** `log` becomes `log.1`, `log.1` becomes `log.2` and so on; the last one goes. */
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
      // The directory may belong to another user: the file grows on. The next look is after as many bytes again.
      this.#bytes = 0;
      return;
    }
    this.reopen();
  }
}
