import type { FileStat, FileSystem } from "../../../runtime/fs.ts";

/** The age at which a modification time can be trusted, in milliseconds: two changes within one tick of a file system look like one. */
export const SETTLED_MS = 2000;

/** True if nothing has happened to a file or a directory between two looks at it. */
export function isSameFile(a: FileStat, b: FileStat): boolean {
  return a.ino === b.ino && a.ctimeMs === b.ctimeMs && a.mtimeMs === b.mtimeMs && a.size === b.size;
}

/** One state of a directory: it changes when a file in it is made, removed or replaced. */
export interface DirectoryState {
  readonly stat: FileStat;
}

/** How long a look is good, in milliseconds; several turns of the loop may fall into this time. */
const HOLDS_MS = 2;

/**
 * Looks at a directory once for all requests within one turn of the event loop, or within two milliseconds, so that a burst of a
 * thousand requests does not cause a thousand looks at files.
 */
export class DirectoryLook {
  readonly #fs: FileSystem;
  readonly #later: (call: () => void) => void;
  readonly #path: string;
  #state: DirectoryState | undefined;
  #looked = false;
  #scheduled = false;
  #lookedMs = -Infinity;

  /** @param later calls back in the next turn of the event loop */
  constructor(fs: FileSystem, later: (call: () => void) => void, path: string) {
    this.#fs = fs;
    this.#later = later;
    this.#path = path;
  }

  /**
   * Returns the state of the directory: the same object for as long as nothing has changed in it. Undefined if it has changed a moment ago,
   * when a further change might not show.
   *
   * @param now by the clock
   */
  state(now: number): DirectoryState | undefined {
    const age = now - this.#lookedMs;
    // If the clock stands still, the age is 0: a look must not be good for ever.
    if (!this.#looked && !(age > 0 && age < HOLDS_MS)) this.#look(now);
    return this.#state;
  }

  /** Makes the next call look again, since this process has changed the directory. */
  again(): void {
    this.#looked = false;
    this.#lookedMs = -Infinity;
  }

  #look(now: number): void {
    this.#looked = true;
    this.#lookedMs = now;
    if (!this.#scheduled) {
      this.#scheduled = true;
      this.#later(() => this.#looked = this.#scheduled = false);
    }
    const stat = this.#fs.stat(this.#path);
    if (stat?.kind !== "directory") this.#state = undefined;
    else if (this.#state === undefined || !isSameFile(this.#state.stat, stat)) {
      this.#state = now - Math.max(stat.mtimeMs, stat.ctimeMs) > SETTLED_MS ? { stat } : undefined;
    }
  }
}
