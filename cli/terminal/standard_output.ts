/** Standard output and error of a program. */
import { codeOf } from "../../src/base/errors.ts";

/** A stream of the runtime, as far as output needs it. */
interface Stream {
  write(text: Uint8Array, done: () => void): unknown;
  once(event: "drain", handler: () => void): void;
  readonly writableNeedDrain: boolean;
  readonly isTTY?: boolean;
}

/** What output uses of `node:fs`. */
interface Files {
  /** Returns how many bytes were written. */
  writeSync(descriptor: number, bytes: Uint8Array): number;
  fstatSync(descriptor: number): { isCharacterDevice(): boolean; rdev: number };
}

interface StandardOutputOptions {
  descriptor: 1 | 2;
  /** Loads the runtime's stream for this descriptor. */
  stream(): Stream;
  /** Called when nothing can be written any more, such as to a pipe without a reader. */
  broken(error: unknown): void;
  files?: Files;
}

/** True for the major numbers of terminals on Linux. */
const isTerminalMajor = (major: number) => major === 4 || major === 5 || major >= 136 && major <= 143;
/** The major number of `/dev/null` and the like on Linux. */
const MEMORY = 1;

/**
 * Writes at once, as the streams of Node do to files, pipes and terminals: those of Bun take 10 ms to load. Only if a pipe that
 * does not block is full is the stream loaded, which waits for the reader. The end of a program does not close the
 * descriptor: under systemd and other programs, the next program of a script writes to the same socket.
 */
export class StandardOutput {
  readonly #options: Required<StandardOutputOptions>;
  #stream: Stream | undefined;
  #pending = 0;
  #empty = () => {};
  #terminal: boolean | undefined;

  constructor(options: StandardOutputOptions) {
    this.#options = { files: process.getBuiltinModule("node:fs"), ...options };
  }

  get isTTY(): boolean {
    return this.#terminal ??= this.#isTerminal();
  }

  #isTerminal(): boolean {
    const { descriptor, stream, files } = this.#options;
    try {
      const stat = files.fstatSync(descriptor);
      if (!stat.isCharacterDevice()) return false;
      const major = (stat.rdev >> 8) & 0xfff;
      if (process.platform === "linux" && (major === MEMORY || isTerminalMajor(major))) return major !== MEMORY;
      return stream().isTTY === true;
    } catch {
      return false;
    }
  }

  write(text: string): void {
    if (text === "") return;
    let bytes = new TextEncoder().encode(text);
    const { descriptor, stream, broken, files } = this.#options;
    while (this.#stream === undefined && bytes.length > 0) {
      try {
        bytes = bytes.subarray(files.writeSync(descriptor, bytes));
      } catch (error) {
        const code = codeOf(error);
        if (code === "EINTR") continue;
        if (code !== "EAGAIN") return broken(error);
        this.#stream = stream();
      }
    }
    if (bytes.length === 0) return;
    this.#pending++;
    this.#stream!.write(bytes, () => {
      if (--this.#pending === 0) this.#empty();
    });
  }

  /** Resolves when the system has accepted everything. */
  async written(): Promise<void> {
    if (this.#pending > 0) await new Promise<void>((resolve) => this.#empty = resolve);
  }

  /** Resolves when more can be written without piling up. */
  async drained(): Promise<void> {
    const stream = this.#stream;
    if (stream?.writableNeedDrain === true) await new Promise<void>((room) => stream.once("drain", room));
  }
}
