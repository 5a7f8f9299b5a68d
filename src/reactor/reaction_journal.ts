import { dirName } from "../config/paths.ts";
import { messageOf } from "../errors.ts";
import type { Logger } from "../log.ts";
import type { FileSystem } from "../runtime/fs.ts";

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
}

/** Bytes of the journal above which it is begun anew. */
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
  /** Lines that need not be written at once. */
  #later = "";

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
    this.#write(["l", boot, n]);
  }

  /** Writes an event down; from now on it counts as handled, whatever happens. */
  take(event: Omit<TakenEvent, "called">): void {
    const { boot, n, tag, stamp, sls } = event;
    this.#open.set(keyOf(event), { ...event, called: [] });
    this.#last = { boot, n };
    this.#write(["t", boot, n, tag, stamp, sls]);
  }

  /** A reaction of an event is about to be called. */
  call(event: { boot: string; n: number }, id: string): void {
    this.#open.get(keyOf(event))?.called.push(id);
    this.#write(["c", event.boot, event.n, id]);
  }

  /** All reactions of an event were called. */
  done(event: { boot: string; n: number }): void {
    this.#open.delete(keyOf(event));
    this.#later += `${JSON.stringify(["d", event.boot, event.n])}\n`;
  }

  /** Writes what waits. */
  flush(): void {
    if (this.#later === "") return;
    const lines = this.#later;
    this.#later = "";
    this.#append(lines);
  }

  #write(line: unknown[]): void {
    const lines = `${this.#later}${JSON.stringify(line)}\n`;
    this.#later = "";
    this.#append(lines);
  }

  #append(lines: string): void {
    const { fs, path } = this.#options;
    if (this.#bytes > MAX_BYTES) return this.#rewrite();
    this.#bytes += lines.length;
    fs.append(path, lines);
  }

  /** Begins the file anew with what is open. */
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
      this.#options.log.debug("line of the reactor's journal left out", { error: messageOf(error) });
    }
  }
}

const keyOf = ({ boot, n }: { boot: string; n: number }) => `${boot}-${n}`;
