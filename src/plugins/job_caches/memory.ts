import type { JobListEntry, JobLoad, JobSearch, LocalJobCache, StoredReturn } from "../../model/job/job_cache.ts";
import type { TargetOutcome } from "../../model/job/outcome.ts";
import { encode } from "../../protocol/wire/msgpack.ts";
import { allMinions, byMinion, type JobRemoval, type LocalJobReads, type LocalJobSaves } from "./parts.ts";
import { oldestJobs } from "./oldest_jobs.ts";
import { pages, sifted } from "./search.ts";

interface Job {
  created: number;
  load: JobLoad | undefined;
  settled: boolean;
  targets: Map<string, readonly string[]>;
  returns: Map<string, StoredReturn>;
  outcomes: Map<string, TargetOutcome>;
}
type Jobs = Map<string, Job>;

/**
 * A job cache that answers at once in everything.
 *
 * @internal
 */
type MemoryJobCache = Omit<LocalJobCache, "expire" | "shrink"> & {
  expire(beforeMs: number): number;
  shrink(bytes: number): number;
};

/**
 * A job cache that lives as long as its process: the reference for the contract, and for hosts without a disk.
 *
 * @example
 * ```ts
 * import { memoryJobCache } from "brine/master";
 *
 * const jobs = memoryJobCache(Date.now);
 * console.log(jobs.reserve("20261121101500000000"), jobs.reserve("20261121101500000000")); // true false
 * ```
 */
export function memoryJobCache(now: () => number): MemoryJobCache {
  const jobs: Jobs = new Map();
  const reads = jobReads(jobs);
  return {
    place: "memory",
    ...jobSaves(jobs, now),
    ...reads,
    list: (search = {}) => pages(entries(jobs, reads, search)),
    ...jobRemoval(jobs),
    flush: () => {},
    close: () => {},
  };
}

function jobSaves(jobs: Jobs, now: () => number): LocalJobSaves {
  const job = (jid: string): Job => {
    let found = jobs.get(jid);
    if (found === undefined) {
      const [targets, returns, outcomes] = [new Map(), new Map(), new Map()];
      jobs.set(jid, found = { created: now(), load: undefined, settled: true, targets, returns, outcomes });
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
      entry.load ??= load;
      entry.settled = false;
      entry.targets.set("", minions);
    },
    saveMinions: (jid, minions, syndic = "") => void job(jid).targets.set(syndic, minions),
    saveReturn(jid, stored) {
      const { returns } = job(jid);
      if (returns.has(stored.minion)) return false;
      returns.set(stored.minion, stored);
      return true;
    },
    saveOutcomes(jid, outcomes) {
      const entry = job(jid);
      for (const outcome of outcomes) entry.outcomes.set(outcome.minion, outcome);
    },
    settle(jid) {
      const found = jobs.get(jid);
      if (found !== undefined) found.settled = true;
    },
  };
}

function jobReads(jobs: Jobs): LocalJobReads {
  return {
    hasLoad: (jid) => jobs.get(jid)?.load !== undefined,
    hasReturn: (jid, minion) => jobs.get(jid)?.returns.has(minion) === true,
    load: (jid) => jobs.get(jid)?.load,
    minions: (jid) => allMinions(jobs.get(jid)?.targets.values() ?? []),
    returns: (jid) => [...(jobs.get(jid)?.returns.values() ?? [])].sort(byMinion),
    outcomes: (jid) => [...(jobs.get(jid)?.outcomes.values() ?? [])].sort(byMinion),
    unsettled: () =>
      [...jobs].filter(([, { settled, load }]) => !settled && load !== undefined).map(([jid]) => jid).sort(),
    inState: (state) =>
      [...jobs.keys()].sort().flatMap((jid) =>
        [...jobs.get(jid)!.outcomes.values()].filter((outcome) => outcome.state === state).sort(byMinion)
          .map((outcome) => ({ jid, outcome }))
      ),
  };
}

function* entries(jobs: Jobs, reads: LocalJobReads, search: JobSearch): Iterable<JobListEntry> {
  const { fromMs = 0, untilMs = Infinity, oldestFirst = false } = search;
  const all = [...jobs.keys()].sort().map((jid) => ({ jid }));
  const loadOf = ({ jid }: { jid: string }) => {
    const job = jobs.get(jid);
    // Undefined if it was removed since the list began.
    return job === undefined || job.created < fromMs || job.created > untilMs ? undefined : job.load;
  };
  yield* sifted(oldestFirst ? all : all.reverse(), search, loadOf, reads);
}

function jobRemoval(jobs: Jobs): { [Name in keyof JobRemoval]: (limit: number) => number } {
  return {
    expire(beforeMs) {
      let gone = 0;
      for (const [jid, { created, settled }] of jobs) {
        if (created >= beforeMs || !settled) continue;
        jobs.delete(jid);
        gone++;
      }
      return gone;
    },
    shrink(bytes) {
      const sizes = [...jobs].map(([jid, job]) => ({ jid, size: sizeOf(job), settled: job.settled }))
        .sort((a, b) => a.jid < b.jid ? -1 : 1);
      const held = sizes.reduce((sum, { size }) => sum + size, 0);
      const going = oldestJobs(sizes.filter(({ settled }) => settled), held - bytes);
      for (const { jid } of going) jobs.delete(jid);
      return going.length;
    },
  };
}

/** Bytes of a job as another cache would write them. */
function sizeOf({ load, targets, returns, outcomes }: Job): number {
  let size = load === undefined ? 0 : encode(load, "bin").length;
  for (const ids of targets.values()) size += encode(ids, "bin").length;
  for (const { minion, return: value } of returns.values()) size += minion.length + value.bytes.length;
  return size + outcomes.size * 50;
}
