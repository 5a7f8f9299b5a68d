import type { Clock } from "../../async/clock.ts";
import type { FileStat, FileSystem } from "../../runtime/fs.ts";

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

/**
 * Looks at a directory once for all that is asked within one turn of the event loop, so that a burst of a thousand requests is not a
 * thousand looks at their files.
 */
export class DirectoryLook {
  readonly #fs: FileSystem;
  readonly #clock: Pick<Clock, "now">;
  readonly #later: (call: () => void) => void;
  readonly #path: string;
  #state: DirectoryState | undefined;
  #looked = false;
  #scheduled = false;

  /** @param later calls back in the next turn of the event loop */
  constructor(fs: FileSystem, clock: Pick<Clock, "now">, later: (call: () => void) => void, path: string) {
    this.#fs = fs;
    this.#clock = clock;
    this.#later = later;
    this.#path = path;
  }

  /**
   * The state of the directory: the same object for as long as nothing has changed in it. Undefined while it has changed a moment ago:
   * a further change might not show.
   */
  state(): DirectoryState | undefined {
    if (!this.#looked) this.#look();
    return this.#state;
  }

  /** Has it look again: this process has changed something. */
  again(): void {
    this.#looked = false;
  }

  #look(): void {
    this.#looked = true;
    if (!this.#scheduled) {
      this.#scheduled = true;
      this.#later(() => this.#looked = this.#scheduled = false);
    }
    const stat = this.#fs.stat(this.#path);
    if (stat?.kind !== "directory") this.#state = undefined;
    else if (this.#state === undefined || !isSameFile(this.#state.stat, stat)) {
      this.#state = this.#clock.now() - Math.max(stat.mtimeMs, stat.ctimeMs) > SETTLED_MS ? { stat } : undefined;
    }
  }
}
