import type { JobListEntry, JobLoad, JobSearch, StoredReturn } from "../../model/job/job_cache.ts";
import { summaryOf } from "../../model/job/job_cache.ts";
import { isPlainJid, jidMs } from "../../model/job/jid.ts";
import type { JobReader, ReturnerContext, ReturnerModule } from "../../model/loader/family.ts";
import { pack } from "../../protocol/wire/msgpack.ts";
import { byMinion } from "../job_caches/parts.ts";
import { PAGE, summaryFilter } from "../job_caches/search.ts";

/** Reads the jobs that a returner has saved: for an `ext_job_cache`, or the `ext_source` of a runner. */
export function returnerJobs(name: string, module: ReturnerModule, context: ReturnerContext): JobReader {
  const { getLoad, getJid, getJids } = module;
  if (getLoad === undefined || getJid === undefined || getJids === undefined) {
    throw new TypeError(`Cannot read jobs from the returner "${name}": it only writes`);
  }
  return {
    async load(jid) {
      const found = await getLoad(context, jid);
      if (found === undefined) return undefined;
      const { Minions: _minions, ...rest } = found;
      return rest;
    },
    hasLoad: async (jid) => await getLoad(context, jid) !== undefined,
    async minions(jid) {
      const minions = (await getLoad(context, jid))?.Minions;
      return Array.isArray(minions) ? minions.map(String).sort() : [];
    },
    async returns(jid) {
      const found = await getJid(context, jid);
      return Object.entries(found).map(([minion, ret]): StoredReturn => ({
        minion,
        return: pack(ret.return ?? null, "bin"),
        retcode: ret.retcode,
        success: ret.success,
        ...(typeof ret.out === "string" ? { out: ret.out } : {}),
        // Salt's returners do not save when it came.
        storedMs: NaN,
      })).sort(byMinion);
    },
    outcomes: () => [],
    list(search = {}) {
      if (search.outcome !== undefined) {
        throw new TypeError(`Cannot search "${name}" for the outcome "${search.outcome}": it keeps returns only`);
      }
      return search.oldestFirst === true
        ? oldestFirst(getJids(context), search)
        : newestFirst(getJids(context), search);
    },
  };
}

type Publications = AsyncIterable<[jid: string, load: JobLoad]>;

async function* newestFirst(publications: Publications, search: JobSearch): AsyncIterable<JobListEntry[]> {
  const { limit = Infinity, fromMs = -Infinity, untilMs = Infinity } = search;
  const fits = summaryFilter(search);
  let page: JobListEntry[] = [];
  let left = limit;
  for await (const [jid, load] of publications) {
    if (left <= 0) break;
    // Other programs may use the same names for something else.
    if (!isPlainJid(jid)) continue;
    const ms = jidMs(jid);
    const summary = summaryOf(load);
    if (ms < fromMs || ms > untilMs || !fits(summary)) continue;
    left--;
    page.push({ jid, summary });
    if (page.length < PAGE) continue;
    yield page;
    page = [];
  }
  if (page.length > 0) yield page;
}

/** A returner lists the newest first, so all are read before the oldest is known. */
async function* oldestFirst(publications: Publications, search: JobSearch): AsyncIterable<JobListEntry[]> {
  const { limit = Infinity, ...rest } = search;
  const all: JobListEntry[] = [];
  for await (const page of newestFirst(publications, rest)) all.push(...page);
  all.reverse();
  for (let at = 0; at < Math.min(limit, all.length); at += PAGE) yield all.slice(at, Math.min(at + PAGE, limit));
}
