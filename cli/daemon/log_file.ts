/** The file that a daemon writes its log to, reopened after it was rotated. */
import { dirName } from "../../src/config/paths.ts";
import type { Runtime } from "../../src/runtime/mod.ts";

declare const process: { getBuiltinModule(name: "node:fs"): typeof import("node:fs") };

/** How often the file is checked for rotation, in milliseconds. */
const LOOK_MS = 1000;

/** Appends lines to a file. */
export class LogFile {
  readonly #runtime: Runtime;
  readonly #path: string;
  readonly #fs = process.getBuiltinModule("node:fs");
  #descriptor: number;
  /** Device and inode of the open file. */
  #identity = "";
  #looked = 0;

  /** @throws if it cannot be opened or created */
  constructor(runtime: Runtime, path: string) {
    this.#runtime = runtime;
    this.#path = path;
    this.#descriptor = this.#open();
  }

  #open(): number {
    this.#runtime.fs.mkdir(dirName(this.#path));
    const descriptor = this.#fs.openSync(this.#path, "a", 0o640);
    const { dev, ino } = this.#fs.fstatSync(descriptor);
    this.#identity = `${dev} ${ino}`;
    this.#looked = this.#runtime.clock.now();
    return descriptor;
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
    const now = this.#runtime.clock.now();
    if (now - this.#looked >= LOOK_MS || now < this.#looked) {
      this.#looked = now;
      const there = this.#fs.statSync(this.#path, { throwIfNoEntry: false });
      if (there === undefined || `${there.dev} ${there.ino}` !== this.#identity) this.reopen();
    }
    this.#fs.writeSync(this.#descriptor, text);
  }
}
