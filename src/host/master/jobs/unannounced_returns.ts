import type { Clock } from "../../../base/async/clock.ts";
import { messageOf } from "../../../base/errors.ts";
import type { Logger } from "../../../base/log.ts";
import type { FileSystem } from "../../../runtime/fs.ts";

/** Returns that are remembered: as many as a fleet sends while its disk is ill, and no more than a few megabytes. */
const MOST = 50_000;
/** How often the file is written while returns come, in milliseconds. */
const WRITE_MS = 1000;
/** An event that was fired so long ago has left the process, in milliseconds: one that is killed takes later ones along. */
const ON_ITS_WAY_MS = 2000;

export interface UnannouncedFile {
  fs: FileSystem;
  clock: Pick<Clock, "now" | "after">;
  log: Logger;
  path: string;
}

/**
 * Returns that are being stored, or whose flush has failed: a job cache may hold such a one, since what is committed stays though its sync has
 * failed, and nobody has heard of it. A process that is killed leaves some of them, too. So a file has a time that none of them was stored before: it is
 * written once a second, and the next process looks at what was stored since then. The latest ones count as unannounced, too.
 */
export class UnannouncedReturns {
  /** Jid and minion → when it was stored, and whether that has failed. */
  readonly #returns = new Map<string, { storedMs: number; failed: boolean }>();
  readonly #file: UnannouncedFile | undefined;
  /** What the file has. */
  #written = -Infinity;
  /** What earlier processes have left is not announced yet. */
  #isHeld: boolean;
  #stop: (() => void) | undefined;
  /** Milliseconds since the epoch: an earlier process may have stored returns since then without an event. Undefined: there was none. */
  readonly sinceMs: number | undefined;

  /** @param file without one, what a killed process has left is not found */
  constructor(file?: UnannouncedFile) {
    this.#file = file;
    this.sinceMs = file && this.#read(file);
    this.#isHeld = this.sinceMs !== undefined;
    this.#written = this.sinceMs ?? Infinity;
  }

  #read({ fs, path }: UnannouncedFile): number | undefined {
    if (fs.stat(path)?.kind !== "file") return undefined;
    const since = Number(fs.readText(path).trim() || NaN);
    // A loss of power may leave a part of it.
    return Number.isSafeInteger(since) ? since : 0;
  }

  /** What earlier processes have left is announced, or is none of ours: returns of before now need not be looked at again. */
  settled(): void {
    this.#isHeld = false;
    this.#write();
  }

  /** A return is about to be saved. The oldest one is forgotten for one too many: it is then acknowledged without an event. */
  storing(jid: string, id: string, storedMs: number): void {
    if (this.#returns.size >= MOST) this.#returns.delete(this.#returns.keys().next().value!);
    const key = `${jid} ${id}`;
    const before = this.#returns.get(key);
    this.#returns.set(key, before ?? { storedMs, failed: false });
    // A clock was set back.
    if (storedMs < this.#written) this.#write();
    this.#stop ??= this.#file?.clock.after(WRITE_MS, () => {
      this.#stop = undefined;
      this.#write();
    });
  }

  /** Forgets a return whose storing failed. */
  failed(jid: string, id: string): void {
    const found = this.#returns.get(`${jid} ${id}`);
    if (found !== undefined) found.failed = true;
  }

  /** True for one whose flush has failed. */
  has(jid: string, id: string): boolean {
    return this.#returns.get(`${jid} ${id}`)?.failed === true;
  }

  /** It is announced now, or others have done so. True if its flush had failed before. */
  take(jid: string, id: string): boolean {
    const key = `${jid} ${id}`;
    const failed = this.#returns.get(key)?.failed === true;
    this.#returns.delete(key);
    return failed;
  }

  /** @param latelyMs events of so long ago may be on their way still */
  #write(latelyMs = ON_ITS_WAY_MS): void {
    if (this.#file === undefined) return;
    const { fs, clock, log, path } = this.#file;
    let since = Math.min(Math.floor(clock.now()) - latelyMs, this.#isHeld ? this.sinceMs! : Infinity);
    for (const { storedMs } of this.#returns.values()) if (storedMs < since) since = Math.floor(storedMs);
    if (since === this.#written) return;
    try {
      fs.write(path, `${since}\n`, { mode: 0o600 });
      this.#written = since;
    } catch (error) {
      log.warning("the time up to which returns were announced cannot be written", { path, error: messageOf(error) });
    }
  }

  /** Stops: no more returns are stored. */
  close(): void {
    this.#stop?.();
    this.#write(0);
  }
}
