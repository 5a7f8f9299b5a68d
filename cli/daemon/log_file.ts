/** The file that a daemon writes its log to, found again after somebody has rotated it. */
import { dirName } from "../../src/config/paths.ts";
import type { Runtime } from "../../src/runtime/mod.ts";

declare const process: { getBuiltinModule(name: "node:fs"): typeof import("node:fs") };

/** How often it is looked whether the file is still the one of that name, in milliseconds. */
const LOOK_MS = 1000;

/** Appends lines to a file. */
export class LogFile {
  readonly #runtime: Runtime;
  readonly #path: string;
  readonly #fs = process.getBuiltinModule("node:fs");
  #descriptor: number;
  /** Device and inode of what is open. */
  #identity = "";
  #looked = 0;

  /** @throws if it can be neither opened nor made */
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

  /** Writes to the file of that name from now on. What is open stays so if that cannot be had. */
  reopen(): void {
    const before = this.#descriptor;
    try {
      this.#descriptor = this.#open();
    } catch {
      // A directory that is not ours any more: the lines go where they went.
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
