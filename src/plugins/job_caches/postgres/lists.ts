import type { JobCache, JobListEntry, JobLoad } from "../../../model/job/job_cache.ts";
import { verdictOfRow } from "../columns.ts";
import { entryOf } from "../entry_text.ts";
import type { JobReads } from "../parts.ts";
import { anyInState } from "../search.ts";
import { searchJobs, type SearchStore, type Source } from "../search_store.ts";
import type { PostgresStore } from "./store.ts";
import { indexedWord } from "./queries.ts";

const BOUNDS = "SELECT min(jid) AS low, max(jid) AS high FROM brine_job WHERE created >= $1 AND created <= $2";
/** From one word to the next by the index, however many jobs have each. */
const WORDS = `WITH RECURSIVE found (word) AS (
  (SELECT min(left(word, 500)) FROM brine_word WHERE kind = $1 AND left(word, 500) >= $2)
  UNION ALL
  SELECT (SELECT min(left(word, 500)) FROM brine_word WHERE kind = $1 AND left(word, 500) > found.word)
  FROM found WHERE starts_with(found.word, $2)
) SELECT word FROM found WHERE starts_with(word, $2)`;
const ENTRIES = "SELECT string_agg(entry, ',') AS entries FROM brine_job " +
  "WHERE jid IN (SELECT json_array_elements_text($1::text::json)) AND created >= $2 AND created <= $3";

/** The rows that hold the jids of a source. */
function rowsOf(source: Source): [from: string, ...values: string[]] {
  switch (source.kind) {
    case "listed":
      return ["brine_job WHERE entry IS NOT NULL"];
    case "open":
      return ["brine_job WHERE open"];
    case "failed":
      return ["brine_ret WHERE failed"];
    case "word":
      return ["brine_word WHERE kind = $3 AND left(word, 500) = $4", source.of, indexedWord(source.word)];
    case "state":
      return ["brine_outcome WHERE state = $3", source.state];
  }
}

/** Lists jobs by the index that fits what is searched for. */
export function jobLists(store: PostgresStore, reads: JobReads): JobCache["list"] {
  const searched: SearchStore = {
    async bounds(fromMs, untilMs) {
      const [row] = await store.read(BOUNDS, fromMs, untilMs);
      return row!.low === null ? undefined : { low: String(row!.low), high: String(row!.high) };
    },
    async jids(source, after, oldestFirst, limit) {
      const [from, ...values] = rowsOf(source);
      const beyond = oldestFirst ? "jid > $1 ORDER BY jid" : "jid < $1 ORDER BY jid DESC";
      const sql = `SELECT DISTINCT jid FROM ${from} AND ${beyond} LIMIT $2::int`;
      return (await store.read(sql, after, limit, ...values)).map(({ jid }) => String(jid));
    },
    words: async (kind, prefix) => (await store.read(WORDS, kind, indexedWord(prefix))).map(({ word }) => String(word)),
    async entries(jids, fromMs, untilMs) {
      const [row] = await store.read(ENTRIES, JSON.stringify(jids), fromMs, untilMs);
      const loads = new Map<string, JobLoad>();
      const items = JSON.parse(`[${row!.entries ?? ""}]`) as unknown[];
      for (const item of items) if (typeof item === "string") loads.set(item, await reads.load(item) ?? {});
      return items.map((item): JobListEntry => entryOf(item, (jid) => loads.get(jid)));
    },
    async hasOutcome(jid, state) {
      const rows = await store.read("SELECT minion, stored, failed FROM brine_ret WHERE jid = $1", jid);
      return anyInState(state, await reads.minions(jid), await reads.outcomes(jid), rows.map(verdictOfRow));
    },
  };
  return (search = {}) => searchJobs(searched, search);
}
