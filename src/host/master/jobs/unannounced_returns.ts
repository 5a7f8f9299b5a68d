import type { Clock } from "../../../base/async/clock.ts";
import { messageOf } from "../../../base/errors.ts";
import type { Logger } from "../../../base/log.ts";
import type { FileSystem } from "../../../runtime/fs.ts";

/** The most returns that are remembered: as many as a fleet sends while the disk fails, and no more than a few megabytes. */
const MAX_RETURNS = 50_000;
/** How often the file is written while returns come, in milliseconds. */
const WRITE_MS = 1000;
/** How long a fired event may still be in the process, in milliseconds: a process that is killed loses the events of this time. */
const ON_ITS_WAY_MS = 2000;

interface UnannouncedFile {
  fs: FileSystem;
  clock: Pick<Clock, "now" | "after">;
  log: Logger;
  path: string;
}

/**
 * Remembers the returns that are being stored or whose flush has failed. The job cache may hold such a return without an event, since a
 * commit stays though its sync has failed, and a killed process leaves such returns as well. So a file, written once a second, has a time
 * before which none of them was stored, and the next process looks at the returns stored since then. The latest returns count as
 * unannounced, too.
 */
export class UnannouncedReturns {
  /** Jid and minion → when the return was stored, and whether that has failed. */
  readonly #returns = new Map<string, { storedMs: number; failed: boolean }>();
  readonly #file: UnannouncedFile | undefined;
  /** The time that the file holds, in milliseconds since the epoch. */
  #written = -Infinity;
  /** True until the returns that earlier processes have left are announced. */
  #isHeld: boolean;
  #stop: (() => void) | undefined;
  /** Since when an earlier process may have stored returns without an event, in milliseconds since the epoch; undefined without one. */
  readonly sinceMs: number | undefined;

  /** @param file without a file, the returns that a killed process has left are not found */
  constructor(file?: UnannouncedFile) {
    this.#file = file;
    this.sinceMs = file && this.#read(file);
    this.#isHeld = this.sinceMs !== undefined;
    this.#written = this.sinceMs ?? Infinity;
  }

  #read({ fs, path }: UnannouncedFile): number | undefined {
    if (fs.stat(path)?.kind !== "file") return undefined;
    const since = Number(fs.readText(path).trim() || NaN);
    // A loss of power may leave a torn file.
    return Number.isSafeInteger(since) ? since : 0;
  }

  /** Notes that the returns of earlier processes are announced, or belong to other masters: they need not be looked at again. */
  settled(): void {
    this.#isHeld = false;
    this.#write();
  }

  /** Notes that a return is about to be saved. If there are too many, the oldest is forgotten, and is acknowledged without an event. */
  storing(jid: string, id: string, storedMs: number): void {
    if (this.#returns.size >= MAX_RETURNS) this.#returns.delete(this.#returns.keys().next().value!);
    const key = `${jid} ${id}`;
    const before = this.#returns.get(key);
    this.#returns.set(key, before ?? { storedMs, failed: false });
    // The clock was set back: the file must have the earlier time.
    if (storedMs < this.#written) this.#write();
    this.#stop ??= this.#file?.clock.after(WRITE_MS, () => {
      this.#stop = undefined;
      this.#write();
    });
  }

  failed(jid: string, id: string): void {
    const found = this.#returns.get(`${jid} ${id}`);
    if (found !== undefined) found.failed = true;
  }

  /** True for a return whose flush has failed. */
  has(jid: string, id: string): boolean {
    return this.#returns.get(`${jid} ${id}`)?.failed === true;
  }

  /** Notes that a return is announced, here or by another master. True if its flush had failed before. */
  take(jid: string, id: string): boolean {
    const key = `${jid} ${id}`;
    const failed = this.#returns.get(key)?.failed === true;
    this.#returns.delete(key);
    return failed;
  }

  /** @param latelyMs how long events may still be on their way, in milliseconds */
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
