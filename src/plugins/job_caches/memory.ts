import {
  type JobListEntry,
  type JobLoad,
  type JobSearch,
  type LocalJobCache,
  mergeOutcomes,
  type StoredReturn,
  summaryOf,
} from "../../job/job_cache.ts";
import type { OutcomeState, TargetOutcome } from "../../job/outcome.ts";
import { encode } from "../../wire/msgpack.ts";
import { pages, summaryFilter } from "./search.ts";

interface Job {
  created: number;
  load: JobLoad | undefined;
  settled: boolean;
  targets: Map<string, readonly string[]>;
  returns: Map<string, StoredReturn>;
  outcomes: Map<string, TargetOutcome>;
}

/** A job cache that answers at once in everything. */
export type MemoryJobCache = Omit<LocalJobCache, "expire" | "shrink"> & {
  expire(beforeMs: number): number;
  shrink(bytes: number): number;
};

const byMinion = (a: { minion: string }, b: { minion: string }) => a.minion < b.minion ? -1 : 1;

/** A job cache that lives as long as its process: the reference for the contract, and for hosts without a disk. */
export function memoryJobCache(now: () => number): MemoryJobCache {
  const jobs = new Map<string, Job>();
  const job = (jid: string): Job => {
    let found = jobs.get(jid);
    if (found === undefined) {
      const [targets, returns, outcomes] = [new Map(), new Map(), new Map()];
      jobs.set(jid, found = { created: now(), load: undefined, settled: true, targets, returns, outcomes });
    }
    return found;
  };
  const minions = (jid: string) => [...new Set([...(jobs.get(jid)?.targets.values() ?? [])].flat())].sort();
  const inState = (jid: string, { outcomes, returns }: Job, state: OutcomeState) =>
    mergeOutcomes(minions(jid), [...outcomes.values()], [...returns.values()], 0).some((one) => one.state === state);

  function* entries(search: JobSearch): Iterable<JobListEntry> {
    const { limit = Infinity, fromMs = 0, untilMs = Infinity, outcome, oldestFirst = false } = search;
    const fits = summaryFilter(search);
    const jids = [...jobs.keys()].sort();
    let left = limit;
    for (const jid of oldestFirst ? jids : jids.reverse()) {
      if (left <= 0) return;
      const found = jobs.get(jid);
      // Removed since the list was begun.
      if (found?.load === undefined || found.created < fromMs || found.created > untilMs) continue;
      const summary = summaryOf(found.load);
      if (!fits(summary) || (outcome !== undefined && !inState(jid, found, outcome))) continue;
      left--;
      yield { jid, summary };
    }
  }
  /** Bytes of a job as another cache would write them. */
  const sizeOf = ({ load, targets, returns, outcomes }: Job): number => {
    let size = load === undefined ? 0 : encode(load, "bin").length;
    for (const ids of targets.values()) size += encode(ids, "bin").length;
    for (const { minion, return: value } of returns.values()) size += minion.length + value.bytes.length;
    return size + outcomes.size * 50;
  };

  return {
    place: "memory",
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
    hasLoad: (jid) => jobs.get(jid)?.load !== undefined,
    hasReturn: (jid, minion) => jobs.get(jid)?.returns.has(minion) === true,
    load: (jid) => jobs.get(jid)?.load,
    minions,
    returns: (jid) => [...(jobs.get(jid)?.returns.values() ?? [])].sort(byMinion),
    outcomes: (jid) => [...(jobs.get(jid)?.outcomes.values() ?? [])].sort(byMinion),
    unsettled: () =>
      [...jobs].filter(([, { settled, load }]) => !settled && load !== undefined).map(([jid]) => jid).sort(),
    inState: (state) =>
      [...jobs.keys()].sort().flatMap((jid) =>
        [...jobs.get(jid)!.outcomes.values()].filter((outcome) => outcome.state === state).sort(byMinion)
          .map((outcome) => ({ jid, outcome }))
      ),
    list: (search = {}) => pages(entries(search)),
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
      let held = 0;
      for (const one of jobs.values()) held += sizeOf(one);
      let gone = 0;
      for (const jid of [...jobs.keys()].sort()) {
        if (held <= bytes) break;
        const one = jobs.get(jid)!;
        if (!one.settled) continue;
        held -= sizeOf(one);
        jobs.delete(jid);
        gone++;
      }
      return gone;
    },
    flush: () => {},
    close: () => {},
  };
}
