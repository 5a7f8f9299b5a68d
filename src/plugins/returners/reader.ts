import { type JobListEntry, type JobLoad, type JobSearch, type StoredReturn, summaryOf } from "../../job/job_cache.ts";
import { isPlainJid, jidMs } from "../../job/jid.ts";
import type { JobReader } from "../../loader/context.ts";
import type { ReturnerContext, ReturnerModule } from "../../loader/family.ts";
import { pack } from "../../wire/msgpack.ts";
import { PAGE, summaryFilter } from "../job_caches/search.ts";

/** Reads jobs from where a returner has put them: an `ext_job_cache`, or the `ext_source` of a runner. */
export function returnerJobs(name: string, module: ReturnerModule, context: ReturnerContext): JobReader {
  const { getLoad, getJid, getJids } = module;
  if (getLoad === undefined || getJid === undefined || getJids === undefined) {
    throw new TypeError(`Cannot read jobs from the returner "${name}": it only writes`);
  }
  const load = async (jid: string): Promise<JobLoad | undefined> => {
    const found = await getLoad(context, jid);
    if (found === undefined) return undefined;
    const { Minions: _minions, ...rest } = found;
    return rest;
  };

  async function* list(search: JobSearch = {}): AsyncIterable<JobListEntry[]> {
    const { limit = Infinity, fromMs = -Infinity, untilMs = Infinity } = search;
    if (search.outcome !== undefined) {
      throw new TypeError(`Cannot search "${name}" for the outcome "${search.outcome}": it keeps returns only`);
    }
    const fits = summaryFilter(search);
    let page: JobListEntry[] = [];
    let left = limit;
    for await (const [jid, found] of getJids!(context)) {
      if (left <= 0) break;
      // Others may have put something under the same names.
      if (!isPlainJid(jid)) continue;
      const ms = jidMs(jid);
      const summary = summaryOf(found);
      if (ms < fromMs || ms > untilMs || !fits(summary)) continue;
      left--;
      page.push({ jid, summary });
      if (page.length < PAGE) continue;
      yield page;
      page = [];
    }
    if (page.length > 0) yield page;
  }

  return {
    load,
    hasLoad: async (jid) => await getLoad(context, jid) !== undefined,
    async minions(jid) {
      const found = await getLoad(context, jid);
      const minions = found?.Minions;
      return Array.isArray(minions) ? minions.map(String).sort() : [];
    },
    async returns(jid) {
      const found = await getJid(context, jid);
      return Object.entries(found).sort(([a], [b]) => a < b ? -1 : 1).map(([minion, ret]): StoredReturn => ({
        minion,
        return: pack(ret.return ?? null, "bin"),
        retcode: ret.retcode,
        success: ret.success,
        ...(typeof ret.out === "string" ? { out: ret.out } : {}),
        // No returner of Salt's tells when it came.
        storedMs: NaN,
      }));
    },
    outcomes: () => [],
    list(search = {}) {
      if (search.oldestFirst !== true) return list(search);
      return (async function* () {
        const { limit = Infinity, ...rest } = search;
        // A returner tells the newest first, so that the oldest are known only at the end.
        const all: JobListEntry[] = [];
        for await (const page of list(rest)) all.push(...page);
        all.reverse();
        for (let at = 0; at < Math.min(limit, all.length); at += PAGE) yield all.slice(at, Math.min(at + PAGE, limit));
      })();
    },
  };
}
