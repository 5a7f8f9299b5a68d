import type { JobCache, JobListEntry } from "../../../model/job/job_cache.ts";
import { entryOf } from "../entry_text.ts";
import type { JobReads } from "../parts.ts";
import { anyInState } from "../search.ts";
import { searchJobs, type SearchStore } from "../search_store.ts";
import { redisKey, type RedisReply, replyPairs, replyText, replyTexts, stateSet } from "./replies.ts";
import type { RedisStore } from "./store.ts";

/** Lists jobs by the ordered set that fits what is searched for. */
export function jobLists(store: RedisStore, reads: JobReads): JobCache["list"] {
  const searched: SearchStore = {
    async bounds(fromMs, untilMs) {
      const jids = replyTexts(await store.read("ZRANGE", redisKey("jobs"), fromMs, untilMs, "BYSCORE")).sort();
      return jids.length === 0 ? undefined : { low: jids[0]!, high: jids.at(-1)! };
    },
    async jids(source, after, oldestFirst, limit) {
      const found = new Set<string>();
      let last = after;
      for (;;) {
        // A member of a state has a minion after its jid: "!" sorts above the space between them, and below all else.
        const range = oldestFirst
          ? [source.kind === "state" ? `(${last}!` : `(${last}`, "+", "BYLEX"]
          : [`(${last}`, "-", "BYLEX", "REV"];
        const members = replyTexts(await store.read("ZRANGE", stateSet(source), ...range, "LIMIT", 0, limit));
        for (const member of members) {
          const space = member.indexOf(" ");
          found.add(last = space < 0 ? member : member.slice(0, space));
        }
        if (members.length < limit || found.size >= limit) return [...found].slice(0, limit);
      }
    },
    async words(kind, prefix) {
      const [low, high] = prefix === "" ? ["-", "+"] : [`[${prefix}`, `(${prefix}\u{10ffff}`];
      return replyTexts(await store.read("ZRANGE", redisKey("words", kind), low, high, "BYLEX"));
    },
    async entries(jids, fromMs, untilMs) {
      if (jids.length === 0) return [];
      const [found, times] = await Promise.all([
        store.read("HMGET", redisKey("entries"), ...jids),
        store.read("ZMSCORE", redisKey("jobs"), ...jids),
      ]) as [RedisReply[], RedisReply[]];
      const entries: JobListEntry[] = [];
      for (const [at, entry] of found.entries()) {
        const time = Number(replyText(times[at]!));
        if (entry === null || times[at] === null || time < fromMs || time > untilMs) continue;
        const item = JSON.parse(replyText(entry)) as unknown;
        const load = typeof item === "string" ? await reads.load(item) : undefined;
        entries.push(entryOf(item, () => load));
      }
      return entries;
    },
    async hasOutcome(jid, state) {
      const returns = [...replyPairs(await store.read("HGETALL", redisKey("back", jid)))].map(([minion, back]) => {
        const [storedMs, failed] = replyText(back).split(" ").map(Number);
        return { minion, storedMs: storedMs!, retcode: failed, success: true };
      });
      return anyInState(state, await reads.minions(jid), await reads.outcomes(jid), returns);
    },
  };
  return (search = {}) => searchJobs(searched, search);
}
