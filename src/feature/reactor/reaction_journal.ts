import { type Deferred, deferred } from "../../base/async/deferred.ts";
import { dirName } from "../../base/paths.ts";
import { messageOf } from "../../base/errors.ts";
import type { Logger } from "../../base/log.ts";
import type { FileSystem } from "../../runtime/fs.ts";

/** An event that the reactor has taken, as its journal has it. */
export interface TakenEvent {
  boot: string;
  n: number;
  tag: string;
  stamp: string;
  sls: readonly string[];
  /** Ids of the reactions that were called, the last one perhaps not any more. */
  called: string[];
}

export interface ReactionJournalOptions {
  fs: FileSystem;
  log: Logger;
  path: string;
  /** Runs once per turn of the loop: what is written in one turn is one write. */
  later(callback: () => void): void;
}

/** The size in bytes above which the journal is rewritten. */
const MAX_BYTES = 1024 * 1024;

/**
 * What the reactor works on, in a file: an event is written down before anything reacts to it, and never taken again. So each is handled
 * at most once, even if the reactor is killed, and what was left undone then has a name.
 *
 * The file is not synced: the operating system keeps it beyond the end of the process, and beyond that of the host no event is left.
 */
export class ReactionJournal {
  readonly #options: ReactionJournalOptions;
  readonly #open = new Map<string, TakenEvent>();
  #last: { boot: string; n: number } | undefined;
  #bytes = 0;
  /** Lines that are not written yet. */
  #lines = "";
  /** The write of this turn. */
  #writing: Deferred<void> | undefined;

  private constructor(options: ReactionJournalOptions) {
    this.#options = options;
  }

  /** Opens the journal. @returns it, and the events that were taken and not handled to their end */
  static open(options: ReactionJournalOptions): { journal: ReactionJournal; left: TakenEvent[] } {
    const journal = new ReactionJournal(options);
    const { fs, path } = options;
    fs.mkdir(dirName(path), 0o700);
    if (fs.stat(path) !== undefined) { for (const line of fs.readText(path).split("\n")) journal.#read(line); }
    const left = [...journal.#open.values()];
    journal.#open.clear();
    journal.#rewrite();
    return { journal, left };
  }

  /** The last event that was taken. */
  get last(): { boot: string; n: number } | undefined {
    return this.#last;
  }

  /** What comes after this event is still to be taken. */
  mark(boot: string, n: number): void {
    this.#last = { boot, n };
    this.#lines += `${JSON.stringify(["l", boot, n])}\n`;
    this.flush();
  }

  /** Writes an event down; from now on it counts as handled, whatever happens. @returns once it is written */
  take(event: Omit<TakenEvent, "called">): Promise<void> {
    const { boot, n, tag, stamp, sls } = event;
    this.#open.set(keyOf(event), { ...event, called: [] });
    this.#last = { boot, n };
    return this.#write(["t", boot, n, tag, stamp, sls]);
  }

  /** A reaction of an event is about to be called. @returns once it is written */
  call(event: { boot: string; n: number }, id: string): Promise<void> {
    this.#open.get(keyOf(event))?.called.push(id);
    return this.#write(["c", event.boot, event.n, id]);
  }

  /** All reactions of an event were called. */
  done(event: { boot: string; n: number }): void {
    this.#open.delete(keyOf(event));
    this.#lines += `${JSON.stringify(["d", event.boot, event.n])}\n`;
  }

  /** Writes what waits. @throws {SystemError} if it cannot be written */
  flush(): void {
    const lines = this.#lines;
    this.#lines = "";
    if (lines === "") return;
    if (this.#bytes > MAX_BYTES) return this.#rewrite();
    this.#bytes += lines.length;
    this.#options.fs.append(this.#options.path, lines);
  }

  #write(line: unknown[]): Promise<void> {
    this.#lines += `${JSON.stringify(line)}\n`;
    if (this.#writing === undefined) {
      const writing = this.#writing = deferred<void>();
      this.#options.later(() => {
        this.#writing = undefined;
        try {
          this.flush();
          writing.resolve();
        } catch (error) {
          writing.reject(error);
        }
      });
    }
    return this.#writing.promise;
  }

  /** Rewrites the file with the open events only. */
  #rewrite(): void {
    const { fs, path } = this.#options;
    const lines = [...this.#open.values()].flatMap(({ boot, n, tag, stamp, sls, called }) => [
      ["t", boot, n, tag, stamp, sls],
      ...called.map((id) => ["c", boot, n, id]),
    ]);
    const last = this.#last;
    if (last !== undefined) lines.unshift(["l", last.boot, last.n]);
    const text = lines.map((line) => `${JSON.stringify(line)}\n`).join("");
    fs.write(path, text, { mode: 0o600 });
    this.#bytes = text.length;
  }

  #read(line: string): void {
    if (line === "") return;
    try {
      const [kind, boot, n, ...rest] = JSON.parse(line) as [string, string, number, ...unknown[]];
      const key = keyOf({ boot, n });
      if (kind === "t") {
        const [tag, stamp, sls] = rest as [string, string, string[]];
        this.#open.set(key, { boot, n, tag, stamp, sls, called: [] });
      } else if (kind === "c") this.#open.get(key)?.called.push(rest[0] as string);
      else if (kind === "d") this.#open.delete(key);
      if (kind === "t" || kind === "l") this.#last = { boot, n };
    } catch (error) {
      // The last line of a process that was killed may be cut off.
      this.#options.log.debug("line of the reactor's journal skipped", { error: messageOf(error) });
    }
  }
}

const keyOf = ({ boot, n }: { boot: string; n: number }) => `${boot}-${n}`;
