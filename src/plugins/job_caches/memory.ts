import type { JobCache, JobListEntry, JobLoad, JobSearch, StoredReturn } from "../../job/job_cache.ts";

interface Job {
  created: number;
  load: JobLoad | undefined;
  targets: Map<string, readonly string[]>;
  returns: Map<string, StoredReturn>;
}

/** A job cache that lives as long as its process: the reference for the contract, and for hosts without a disk. */
export function memoryJobCache(now: () => number): JobCache {
  const jobs = new Map<string, Job>();
  const job = (jid: string): Job => {
    let found = jobs.get(jid);
    if (found === undefined) {
      jobs.set(jid, found = { created: now(), load: undefined, targets: new Map(), returns: new Map() });
    }
    return found;
  };
  return {
    reserve(jid) {
      if (jobs.has(jid)) return false;
      job(jid);
      return true;
    },
    saveLoad(jid, load, minions) {
      const entry = job(jid);
      entry.load = load;
      entry.targets.set("", minions);
    },
    saveMinions: (jid, minions, syndic = "") => void job(jid).targets.set(syndic, minions),
    saveReturn(jid, stored) {
      const { returns } = job(jid);
      if (returns.has(stored.minion)) return false;
      returns.set(stored.minion, stored);
      return true;
    },
    hasLoad: (jid) => jobs.get(jid)?.load !== undefined,
    load: (jid) => jobs.get(jid)?.load,
    minions: (jid) => [...new Set([...(jobs.get(jid)?.targets.values() ?? [])].flat())].sort(),
    returns: (jid) => [...(jobs.get(jid)?.returns.values() ?? [])].sort((a, b) => a.minion < b.minion ? -1 : 1),
    *list({ limit = Infinity, fromMs = 0, untilMs = Infinity }: JobSearch = {}): Iterable<JobListEntry> {
      let left = limit;
      for (const jid of [...jobs.keys()].sort().reverse()) {
        const { created, load } = jobs.get(jid)!;
        if (load === undefined || created < fromMs || created > untilMs) continue;
        if (left-- <= 0) return;
        yield { jid, load };
      }
    },
    expire(beforeMs) {
      let gone = 0;
      for (const [jid, { created }] of jobs) {
        if (created >= beforeMs) continue;
        jobs.delete(jid);
        gone++;
      }
      return gone;
    },
    flush: () => {},
    close: () => {},
  };
}
