import type { Awaitable, JobListEntry, JobSearch } from "../../model/job/job_cache.ts";
import type { OutcomeState } from "../../model/job/outcome.ts";
import { anyGlob, MANY, PAGE, prefixOf, summaryFilter, WORD_KINDS, type WordKind } from "./search.ts";

/** A list of jids that a store has in order. */
export type Source =
  | { kind: "listed" }
  /** Those that are not settled. */
  | { kind: "open" }
  /** Those with a return that failed. */
  | { kind: "failed" }
  | { kind: "word"; of: WordKind; word: string }
  /** Those with a saved outcome of the state. */
  | { kind: "state"; state: OutcomeState };

/** Jids from the lowest to the highest, both included. */
export interface JidRange {
  low: string;
  high: string;
}

/** Below every jid, and above: they begin with a digit. */
export const ALL_JIDS: JidRange = { low: "", high: "~" };

/** What a store must offer to be searched, each from an index. */
export interface SearchStore {
  /** The oldest and the newest jid that was made within a time; undefined if there is none. */
  bounds(fromMs: number, untilMs: number): Awaitable<JidRange | undefined>;
  /** At most `limit` jids of a source beyond `after`, each once, ascending if `oldestFirst`; fewer only at its end. */
  jids(source: Source, after: string, oldestFirst: boolean, limit: number): Awaitable<string[]>;
  /** The words of a kind that begin so. */
  words(kind: WordKind, prefix: string): Awaitable<string[]>;
  /** Entries of those of the jobs that have a load and were made within a time, in any order. */
  entries(jids: readonly string[], fromMs: number, untilMs: number): Awaitable<JobListEntry[]>;
  /** True if at least one target of the job is in the state. */
  hasOutcome(jid: string, state: OutcomeState): Awaitable<boolean>;
}

interface Cursor {
  source: Source;
  next: string[];
  more: boolean;
}

/** Lists jobs in pages, from the narrowest index that the search allows; memory is that of a page, however many there are. */
export async function* searchJobs(store: SearchStore, search: JobSearch): AsyncIterable<JobListEntry[]> {
  const { fromMs = 0, untilMs = Number.MAX_SAFE_INTEGER, outcome, oldestFirst = false } = search;
  let left = search.limit ?? Infinity;
  const timed = search.fromMs !== undefined || search.untilMs !== undefined;
  const limits = timed ? await store.bounds(fromMs, untilMs) : ALL_JIDS;
  if (limits === undefined) return;
  const fits = summaryFilter(search);
  const cursors = (await sourcesOf(store, search)).map((source): Cursor => ({ source, next: [], more: true }));
  let after = oldestFirst ? limits.low.slice(0, -1) : `${limits.high}!`;
  while (left > 0) {
    const jids = await merge(store, cursors, after, oldestFirst);
    if (jids.length === 0) return;
    after = jids.at(-1)!;
    const within = jids.filter((jid) => jid >= limits.low && jid <= limits.high);
    const found = new Map((await store.entries(within, fromMs, untilMs)).map((entry) => [entry.jid, entry]));
    const page: JobListEntry[] = [];
    for (const jid of within) {
      const entry = found.get(jid);
      if (entry === undefined || !fits(entry.summary)) continue;
      if (outcome !== undefined && !await store.hasOutcome(jid, outcome)) continue;
      page.push(entry);
      if (page.length >= left) break;
    }
    left -= page.length;
    if (page.length > 0) yield page;
    if (within.length < jids.length) return;
  }
}

/** The sources that can hold what a search asks for; the rest is filtered. */
async function sourcesOf(store: SearchStore, search: JobSearch): Promise<Source[]> {
  const kind = WORD_KINDS.find((one) => search[one] !== undefined);
  if (kind !== undefined) {
    const words = new Set<string>(kind === "target" ? [MANY] : []);
    for (const pattern of search[kind]!) {
      const { prefix, exact } = prefixOf(pattern);
      if (exact) words.add(pattern);
      else for (const word of (await store.words(kind, prefix)).filter(anyGlob([pattern]))) words.add(word);
    }
    return [...words].map((word) => ({ kind: "word", of: kind, word }));
  }
  const { outcome } = search;
  if (outcome === undefined) return [{ kind: "listed" }];
  const saved: Source = { kind: "state", state: outcome };
  switch (outcome) {
    case "returned":
      // Nearly every job is one of these.
      return [{ kind: "listed" }];
    case "failed":
      return [saved, { kind: "failed" }];
    case "published":
      return [saved, { kind: "open" }];
    default:
      return [saved];
  }
}

/** The next jids of several lists, each once. */
async function merge(
  store: SearchStore,
  cursors: readonly Cursor[],
  after: string,
  oldestFirst: boolean,
): Promise<string[]> {
  const before = (a: string, b: string) => oldestFirst ? a < b : a > b;
  const merged: string[] = [];
  let last = after;
  while (merged.length < PAGE) {
    let first: string | undefined;
    for (const cursor of cursors) {
      while (cursor.next.length > 0 && !before(last, cursor.next[0]!)) cursor.next.shift();
      if (cursor.next.length === 0 && cursor.more) {
        cursor.next = await store.jids(cursor.source, last, oldestFirst, PAGE);
        cursor.more = cursor.next.length === PAGE;
      }
      const head = cursor.next[0];
      if (head !== undefined && (first === undefined || before(head, first))) first = head;
    }
    if (first === undefined) break;
    merged.push(last = first);
  }
  return merged;
}
