import { joinPath } from "../../../base/paths.ts";
import { oldestJobs } from "../oldest_jobs.ts";
import type { JobRemoval } from "../parts.ts";
import type { LocalStore } from "./store.ts";

/** Jobs that are looked at before others get a turn of the loop. */
const SLICE = 50;

/** Removes settled jobs, a slice in each turn of the loop. @param later calls back in a later turn */
export function jobRemoval(store: LocalStore, later: (call: () => void) => void): JobRemoval {
  const { fs } = store;
  const turn = () => new Promise<void>(later);
  return {
    async expire(beforeMs) {
      let gone = 0;
      let seen = 0;
      for (const { path, created } of [...store.directories()]) {
        if (++seen % SLICE === 0) await turn();
        // A directory without a jid is what is left of a broken job.
        if (created !== undefined && created >= beforeMs) continue;
        if (created !== undefined && store.isUnsettled(fs.readText(joinPath(path, "jid")))) continue;
        remove(store, path);
        gone++;
      }
      return gone;
    },
    async shrink(bytes) {
      const jobs: { jid: string; path: string; size: number }[] = [];
      for (const job of store.known()) {
        jobs.push({ ...job, size: sizeOf(store, job.path) });
        if (jobs.length % SLICE === 0) await turn();
      }
      const held = jobs.reduce((sum, { size }) => sum + size, 0);
      let gone = 0;
      for (const { jid, path } of oldestJobs(jobs.filter(({ jid }) => !store.isUnsettled(jid)), held - bytes)) {
        // Published again in a turn between.
        if (store.isUnsettled(jid)) continue;
        remove(store, path);
        if (++gone % SLICE === 0) await turn();
      }
      return gone;
    },
  };
}

function remove({ fs }: LocalStore, directory: string): void {
  fs.remove(directory, { recursive: true });
  const top = directory.slice(0, directory.lastIndexOf("/"));
  if (fs.list(top).length === 0) fs.remove(top);
}

function sizeOf(store: LocalStore, directory: string): number {
  let size = 0;
  for (const name of store.fs.list(directory)) {
    const path = joinPath(directory, name);
    const stat = store.fs.stat(path, { follow: false });
    size += stat?.kind === "directory" ? sizeOf(store, path) : stat?.size ?? 0;
  }
  return size;
}
