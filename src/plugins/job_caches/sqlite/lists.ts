import type { JobCache, JobListEntry, JobSearch } from "../../../model/job/job_cache.ts";
import { verdictOfRow } from "../columns.ts";
import { entryOf } from "../entry_text.ts";
import type { LocalJobReads } from "../parts.ts";
import { anyInState, PAGE, WORD_KINDS } from "../search.ts";
import { ALL_JIDS, type JidRange, searchJobs, type SearchStore, type Source } from "../search_store.ts";
import type { SqliteStore } from "./store.ts";

const BOUNDS = "SELECT min(jid) AS low, max(jid) AS high FROM job WHERE created >= ? AND created <= ?";
const ENTRIES = "SELECT group_concat(entry) AS entries FROM job WHERE jid IN (SELECT value FROM json_each(?)) " +
  "AND created >= ? AND created <= ? AND entry IS NOT NULL";

/** The rows that hold the jids of a source. */
function rowsOf(source: Source): [from: string, ...values: string[]] {
  switch (source.kind) {
    case "listed":
      return ["job WHERE entry IS NOT NULL"];
    case "open":
      return ["job WHERE open = 1"];
    case "failed":
      return ["ret WHERE failed = 1"];
    case "word":
      return ["word WHERE kind = ? AND word = ?", source.of, source.word];
    case "state":
      return ["outcome WHERE state = ?", source.state];
  }
}

function jidsOf(from: string, oldestFirst: boolean): string {
  return `SELECT DISTINCT jid FROM ${from} AND jid ${
    oldestFirst ? "> ? ORDER BY jid" : "< ? ORDER BY jid DESC"
  } LIMIT ?`;
}

/** Lists jobs: by an index of what is searched for, or simply all of a time. */
export function jobLists(store: SqliteStore, reads: LocalJobReads): JobCache["list"] {
  /** Entries of jobs from the texts that are stored for them, joined by commas. */
  const entriesOf = (text: unknown): JobListEntry[] =>
    (JSON.parse(`[${text ?? ""}]`) as unknown[]).map((item) => entryOf(item, reads.load));
  const searched = searchStore(store, reads, entriesOf);
  return (search = {}) => {
    const plain = search.outcome === undefined && WORD_KINDS.every((kind) => search[kind] === undefined);
    return plain ? everyJob(store, search, entriesOf) : searchJobs(searched, search);
  };
}

function boundsOf(store: SqliteStore, fromMs: number, untilMs: number): JidRange | undefined {
  return store.reading(() => {
    const { low, high } = store.prepared(BOUNDS).get(fromMs, untilMs)!;
    return low === null ? undefined : { low: String(low), high: String(high) };
  });
}

/** All jobs, or those of a time: a page is one row of one statement. */
function* everyJob(
  store: SqliteStore,
  search: JobSearch,
  entriesOf: (text: unknown) => JobListEntry[],
): Iterable<JobListEntry[]> {
  const { fromMs = 0, untilMs = Number.MAX_SAFE_INTEGER, oldestFirst = false } = search;
  const timed = search.fromMs !== undefined || search.untilMs !== undefined;
  const limits = timed ? boundsOf(store, fromMs, untilMs) : ALL_JIDS;
  if (limits === undefined) return;
  const statement = store.prepared(
    `SELECT group_concat(entry) AS entries FROM (SELECT entry FROM job WHERE ${
      oldestFirst ? "jid > ? AND jid <= ?" : "jid < ? AND jid >= ?"
    } AND created >= ? AND created <= ? AND entry IS NOT NULL ORDER BY jid ${oldestFirst ? "" : "DESC"} LIMIT ?)`,
  );
  const [start, end] = oldestFirst ? [limits.low.slice(0, -1), limits.high] : [`${limits.high}!`, limits.low];
  let left = search.limit ?? Infinity;
  for (let after = start; left > 0;) {
    const wanted = Math.min(PAGE, left);
    const page = store.reading(() => entriesOf(statement.get(after, end, fromMs, untilMs, wanted)!.entries));
    if (page.length > 0) yield page;
    if (page.length < wanted) return;
    after = page.at(-1)!.jid;
    left -= page.length;
  }
}

function searchStore(
  store: SqliteStore,
  reads: LocalJobReads,
  entriesOf: (text: unknown) => JobListEntry[],
): SearchStore {
  return {
    bounds: (fromMs, untilMs) => boundsOf(store, fromMs, untilMs),
    jids: (source, after, oldestFirst, limit) =>
      store.reading(() => {
        const [from, ...values] = rowsOf(source);
        return store.prepared(jidsOf(from, oldestFirst)).all(...values, after, limit).map(({ jid }) => String(jid));
      }),
    words: (kind, prefix) =>
      store.reading(() => {
        const found: string[] = [];
        // From one word to the next by the index, however many jobs have each.
        const first = store.prepared("SELECT min(word) AS word FROM word WHERE kind = ? AND word >= ?");
        const next = store.prepared("SELECT min(word) AS word FROM word WHERE kind = ? AND word > ?");
        let word = first.get(kind, prefix)?.word;
        while (typeof word === "string" && word.startsWith(prefix)) {
          found.push(word);
          word = next.get(kind, word)?.word;
        }
        return found;
      }),
    entries: (jids, fromMs, untilMs) =>
      store.reading(() => entriesOf(store.prepared(ENTRIES).get(JSON.stringify(jids), fromMs, untilMs)!.entries)),
    hasOutcome: (jid, state) =>
      store.reading(() => {
        const rows = store.prepared("SELECT minion, stored, failed FROM ret WHERE jid = ?").all(jid);
        return anyInState(state, reads.minions(jid), reads.outcomes(jid), rows.map(verdictOfRow));
      }),
  };
}
