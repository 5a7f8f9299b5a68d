import type { FileStat } from "../../runtime/fs.ts";

/** Digests that are kept; the one unused for longest is dropped first. */
const REMEMBERED = 10_000;

/** Milliseconds after a change during which a file may change again without a new mtime: its digest is not kept. */
const SETTLED_MS = 2000;

/** A text that changes whenever the content of the file may have changed. */
export function fileVersionOf({ mtimeMs, ctimeMs, size, ino, dev }: FileStat): string {
  return `${mtimeMs}:${ctimeMs}:${size}:${ino}:${dev}`;
}

/** Digests of files, for as long as the files do not change. */
export class KnownDigests {
  readonly #known = new Map<string, { version: string; digest: string }>();

  /** @param version of the file now; see {@link fileVersionOf} */
  get(path: string, version: string): string | undefined {
    const known = this.#known.get(path);
    if (known?.version !== version) return undefined;
    this.#put(path, known);
    return known.digest;
  }

  /** Keeps a digest, unless the file has changed just now. @param stat from before and after the digest was made */
  keep(path: string, stat: FileStat, digest: string, now: number): void {
    if (now - Math.max(stat.mtimeMs, stat.ctimeMs) > SETTLED_MS) {
      this.#put(path, { version: fileVersionOf(stat), digest });
    }
  }

  #put(path: string, entry: { version: string; digest: string }): void {
    this.#known.delete(path);
    this.#known.set(path, entry);
    if (this.#known.size > REMEMBERED) this.#known.delete(this.#known.keys().next().value!);
  }
}
