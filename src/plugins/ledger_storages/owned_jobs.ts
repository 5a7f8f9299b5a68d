import type { JobCache } from "../../model/job/job_cache.ts";

/** Whose jobs are whose, in a storage on this host. */
interface Ownership {
  /** The name of the own lease. @throws {LeaseLostError} if it is not held any more */
  decide(): string;
  /** The name of the own lease, held or not. */
  readonly own: string | undefined;
  ownerOf(jid: string): string | undefined;
  give(jid: string, owner: string): void;
  seal(jid: string, seal: Uint8Array): void;
}

/** A job cache on this host whose decisions need a lease. */
export function ownedJobs(jobs: JobCache, ownership: Ownership): JobCache {
  /** A job without an owner may be decided by anyone who holds a lease: it is from before the cluster. */
  const isOwn = (jid: string, own: string) => (ownership.ownerOf(jid) ?? own) === own;
  return {
    ...jobs,
    saveLoad(jid, load, minions, how) {
      const own = ownership.decide();
      if (ownership.ownerOf(jid) === undefined) ownership.give(jid, own);
      if (how?.seal !== undefined) ownership.seal(jid, how.seal);
      return jobs.saveLoad(jid, load, minions, how);
    },
    saveOutcomes(jid, outcomes) {
      if (isOwn(jid, ownership.decide())) return jobs.saveOutcomes(jid, outcomes);
    },
    settle(jid) {
      if (isOwn(jid, ownership.decide())) return jobs.settle(jid);
    },
    async unsettled() {
      const { own } = ownership;
      return own === undefined ? [] : (await jobs.unsettled()).filter((jid) => ownership.ownerOf(jid) === own);
    },
  };
}
