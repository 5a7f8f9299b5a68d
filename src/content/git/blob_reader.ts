import { joinPath } from "../../base/paths.ts";
import type { FileSystem } from "../../runtime/fs.ts";
import { GitError } from "./command.ts";

/** Blobs that one run of `git cat-file` reads at most. */
const MAX_AT_ONCE = 5000;

/** Prints the named objects, as `git cat-file --batch` does. */
type Cat = (shas: readonly string[], sink: (chunk: Uint8Array) => void) => Promise<void>;

/**
 * Writes the blobs of a repository to files that are named by their hash, so an existing file is always right. Blobs that are
 * requested in one turn of the event loop are read by one program.
 */
export class BlobReader {
  readonly #fs: FileSystem;
  readonly #directory: string;
  readonly #cat: Cat;
  readonly #waiting = new Map<string, Promise<void>>();
  #next: { shas: Set<string>; done: Promise<void> } | undefined;
  readonly #own: string;
  #parts = 0;

  /** @param own a name that no other process uses: for files that are being written */
  constructor(fs: FileSystem, directory: string, own: string, cat: Cat) {
    this.#own = own;
    this.#fs = fs;
    this.#directory = directory;
    this.#cat = cat;
  }

  #path(sha: string): string {
    return joinPath(this.#directory, sha);
  }

  #has(sha: string): boolean {
    return this.#fs.stat(this.#path(sha)) !== undefined;
  }

  /** The path of a blob's file. @throws {GitError} if it cannot be read */
  async file(sha: string): Promise<string> {
    if (!this.#has(sha)) await this.#read(sha);
    return this.#path(sha);
  }

  /** Writes the files of those blobs that have none yet. */
  async files(shas: Iterable<string>): Promise<void> {
    const missing = [...shas].filter((sha) => !this.#has(sha));
    for (let at = 0; at < missing.length; at += MAX_AT_ONCE) {
      await Promise.all(missing.slice(at, at + MAX_AT_ONCE).map((sha) => this.#read(sha)));
    }
  }

  #read(sha: string): Promise<void> {
    const under = this.#waiting.get(sha);
    if (under !== undefined) return under;
    if (this.#next === undefined || this.#next.shas.size >= MAX_AT_ONCE) {
      const shas = new Set<string>();
      this.#next = {
        shas,
        done: Promise.resolve().then(() => {
          if (this.#next?.shas === shas) this.#next = undefined;
          return this.#run([...shas]);
        }),
      };
    }
    this.#next.shas.add(sha);
    const done = this.#next.done.finally(() => this.#waiting.delete(sha));
    this.#waiting.set(sha, done);
    return done;
  }

  async #run(shas: readonly string[]): Promise<void> {
    const fs = this.#fs;
    fs.mkdir(this.#directory, 0o700);
    const part = joinPath(this.#directory, `.${this.#own}.${this.#parts++}`);
    const writer = new BatchParser({
      begin: () => fs.write(part, new Uint8Array(), { mode: 0o600 }),
      piece: (bytes) => fs.append(part, bytes),
      end: (sha) => fs.rename(part, this.#path(sha)),
    });
    try {
      await this.#cat(shas, (chunk) => writer.push(chunk));
    } finally {
      fs.remove(part);
    }
    const missing = shas.find((sha) => !this.#has(sha));
    if (missing !== undefined) throw new GitError(`The object ${missing} is not in the repository`);
  }
}

interface BatchSink {
  begin(): void;
  piece(bytes: Uint8Array): void;
  end(sha: string): void;
}

/** Parses the output of `git cat-file --batch`: `<sha> blob <size>`, a line feed, the content, a line feed. */
class BatchParser {
  readonly #sink: BatchSink;
  #head = "";
  #sha = "";
  /** Bytes of the content that are still to come; undefined while a head is read. */
  #left: number | undefined;

  constructor(sink: BatchSink) {
    this.#sink = sink;
  }

  push(chunk: Uint8Array): void {
    for (let at = 0; at < chunk.length;) {
      if (this.#left === undefined) {
        const end = chunk.indexOf(0x0a, at);
        this.#head += new TextDecoder("latin1").decode(chunk.subarray(at, end < 0 ? chunk.length : end));
        at = end < 0 ? chunk.length : end + 1;
        if (end >= 0) this.#begin();
      } else if (this.#left > 0) {
        const piece = chunk.subarray(at, at + this.#left);
        this.#sink.piece(piece);
        at += piece.length;
        this.#left -= piece.length;
      } else {
        // Skip the line feed after the content.
        at++;
        this.#left = undefined;
        this.#sink.end(this.#sha);
      }
    }
  }

  #begin(): void {
    const [, sha, kind, size] = /^([0-9a-f]+) (\w+) (\d+)$/.exec(this.#head) ?? [];
    this.#head = "";
    // `<sha> missing` has no content.
    if (sha === undefined) return;
    if (kind !== "blob") throw new GitError(`The object ${sha} is a ${kind}: expected a file`);
    this.#sha = sha;
    this.#left = Number(size);
    this.#sink.begin();
  }
}
