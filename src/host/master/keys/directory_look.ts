import type { FileStat, FileSystem } from "../../../runtime/fs.ts";

/** File systems count time in ticks of some milliseconds: two changes within one look like one. */
export const SETTLED_MS = 2000;

/** True if nothing has happened to a file or a directory between two looks at it. */
export function isSameFile(a: FileStat, b: FileStat): boolean {
  return a.ino === b.ino && a.ctimeMs === b.ctimeMs && a.mtimeMs === b.mtimeMs && a.size === b.size;
}

/** A directory in one state of it: a file that was made, removed or replaced by another makes another state. */
export interface DirectoryState {
  readonly stat: FileStat;
}

/** For how many milliseconds a look holds beyond its turn of the loop, of which there may be several in one. */
const HOLDS_MS = 2;

/**
 * Looks at a directory once for all that is asked within one turn of the event loop, or within two milliseconds, so that a burst of a
 * thousand requests is not a thousand looks at their files.
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
   * The state of the directory: the same object for as long as nothing has changed in it. Undefined while it has changed a moment ago:
   * a further change might not show.
   *
   * @param now by the clock
   */
  state(now: number): DirectoryState | undefined {
    const age = now - this.#lookedMs;
    // By a clock that stands still, a look would hold for good.
    if (!this.#looked && !(age > 0 && age < HOLDS_MS)) this.#look(now);
    return this.#state;
  }

  /** Has it look again: this process has changed something. */
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
