import type { AuditEntry, AuditKind } from "./audit_entry.ts";

/** How long refusals are counted together, in milliseconds. */
const WINDOW_MS = 60_000;
/** The most lines about one source in that time; the next constant bounds those about all sources. */
const MAX_OF_ONE = 10;
const MAX_OF_ALL = 100;
/** The most sources that are counted separately. */
const MAX_SOURCES = 200;

interface Source {
  kind: AuditKind;
  user: string | undefined;
  from: string | undefined;
  passed: number;
  held: number;
}

/**
 * Bounds the audit lines about refused requests, which a stranger can send as fast as the network allows. In each minute it passes a few
 * refusals of each source and a few more of all sources together; one line for each source counts the rest.
 */
export class FloodGate {
  readonly #now: () => number;
  readonly #sources = new Map<string, Source>();
  #since = 0;
  #passed = 0;
  #others = 0;

  /** @param now the time in milliseconds, by a clock that cannot be set */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Returns the lines to write for a refusal: the refusal itself if it passes, and the counts of a minute that is over. */
  admit(entry: AuditEntry): AuditEntry[] {
    const due = this.due();
    if (this.#sources.size === 0) this.#since = this.#now();
    const key = JSON.stringify([entry.kind, entry.user, entry.from]);
    let source = this.#sources.get(key);
    if (source === undefined && this.#sources.size < MAX_SOURCES) {
      source = { kind: entry.kind, user: entry.user, from: entry.from, passed: 0, held: 0 };
      this.#sources.set(key, source);
    }
    if (source !== undefined && source.passed < MAX_OF_ONE && this.#passed < MAX_OF_ALL) {
      source.passed++;
      this.#passed++;
      return [...due, entry];
    }
    if (source === undefined) this.#others++;
    else source.held++;
    return due;
  }

  /** Returns the counts of a minute that is over. @param now true to return the counts of the current minute too, as before a stop */
  due(now = false): AuditEntry[] {
    if (this.#sources.size === 0 || !now && this.#now() - this.#since < WINDOW_MS) return [];
    const counts: AuditEntry[] = [];
    for (const { kind, user, from, held } of this.#sources.values()) {
      if (held === 0) continue;
      counts.push({
        kind: "more",
        of: kind,
        ...user === undefined ? {} : { user },
        ...from ? { from } : {},
        count: held,
      });
    }
    if (this.#others > 0) counts.push({ kind: "more", of: "any", count: this.#others });
    this.#sources.clear();
    this.#passed = this.#others = 0;
    return counts;
  }
}
