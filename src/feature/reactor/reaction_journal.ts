import { type Deferred, deferred } from "../../base/async/deferred.ts";
import { dirName } from "../../base/paths.ts";
import { messageOf } from "../../base/errors.ts";
import type { Logger } from "../../base/log.ts";
import type { FileSystem } from "../../runtime/fs.ts";

/** An event that the reactor has taken, as recorded in its journal. */
export interface TakenEvent {
  boot: string;
  n: number;
  tag: string;
  stamp: string;
  sls: readonly string[];
  /** The ids of the called reactions; the call of the last one may not have happened. */
  called: string[];
}

interface ReactionJournalOptions {
  fs: FileSystem;
  log: Logger;
  path: string;
  /** Calls back in the next turn of the event loop: all lines of one turn become one write. */
  later(callback: () => void): void;
}

/** The size in bytes above which the journal is rewritten. */
const MAX_BYTES = 1024 * 1024;

/**
 * A file with the events that the reactor works on. An event is recorded before any reaction, and never taken again. So each event is
 * handled at most once, even if the reactor is killed, and unfinished events are known.
 *
 * The file is not synced: it survives the end of the process, and after a crash of the host the events are lost anyway.
 */
export class ReactionJournal {
  readonly #options: ReactionJournalOptions;
  readonly #open = new Map<string, TakenEvent>();
  #last: { boot: string; n: number } | undefined;
  #bytes = 0;
  /** The lines that are not written yet. */
  #lines = "";
  /** Settles with the write at the end of this turn. */
  #writing: Deferred<void> | undefined;

  private constructor(options: ReactionJournalOptions) {
    this.#options = options;
  }

  /** Opens the journal. @returns the journal, and the events that were taken and not finished */
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

  /** Sets the position: events after this one are still to be taken. */
  mark(boot: string, n: number): void {
    this.#last = { boot, n };
    this.#lines += `${JSON.stringify(["l", boot, n])}\n`;
    this.flush();
  }

  /** Records an event; from now on it counts as handled, whatever happens. @returns a promise that resolves once it is written */
  take(event: Omit<TakenEvent, "called">): Promise<void> {
    const { boot, n, tag, stamp, sls } = event;
    this.#open.set(keyOf(event), { ...event, called: [] });
    this.#last = { boot, n };
    return this.#write(["t", boot, n, tag, stamp, sls]);
  }

  /** Records that a reaction is about to be called. @returns a promise that resolves once it is written */
  call(event: { boot: string; n: number }, id: string): Promise<void> {
    this.#open.get(keyOf(event))?.called.push(id);
    return this.#write(["c", event.boot, event.n, id]);
  }

  /** Records that all reactions of an event were called. */
  done(event: { boot: string; n: number }): void {
    this.#open.delete(keyOf(event));
    this.#lines += `${JSON.stringify(["d", event.boot, event.n])}\n`;
  }

  /** Writes the waiting lines. @throws {SystemError} if they cannot be written */
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
