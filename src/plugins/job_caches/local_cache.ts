import type { LocalJobCache } from "../../model/job/job_cache.ts";
import { pages } from "./search.ts";
import { type LocalCacheOptions, LocalStore } from "./local_cache/store.ts";
import { jobEntries, jobReads } from "./local_cache/reads.ts";
import { jobRemoval } from "./local_cache/removal.ts";
import { jobSaves } from "./local_cache/saves.ts";

/** Salt's own job cache, with what only it has. */
export interface LocalCache extends LocalJobCache {
  /** With `nocache`, returns of the job are not kept. False if the jid is taken. */
  reserve(jid: string, options?: { nocache?: boolean }): boolean;
  /** When the job ended, as Salt shows times; undefined if that was not noted. */
  endtime(jid: string): string | undefined;
  updateEndtime(jid: string, time: string): void;
  /** A flush that is over when `sync` is; if that fails, what was saved is undone. */
  flushWith(sync: () => Promise<void>): Promise<void>;
}

/**
 * Jobs and returns as files in Salt's layout, `<cachedir>/jobs/<hh>/<rest of the hash>/`, for masters whose job cache real
 * Salt must read and write, too. It takes a directory per job and one per return, and so many inodes.
 *
 * Salt does not know outcomes: they are in `.outcomes` of a job's directory, and `<cachedir>/jobs.unsettled` has an
 * empty file for each job that is not settled, since Salt takes everything below `jobs` for a job of its own.
 *
 * @see salt/returners/local_cache.py
 */
export function localCache(options: LocalCacheOptions): LocalCache {
  const store = new LocalStore(options);
  const reads = jobReads(store);
  return {
    place: store.root,
    ...jobSaves(store, options.storeEndtime ?? false),
    ...reads,
    list: (search = {}) => pages(jobEntries(store, reads, search)),
    ...jobRemoval(store, options.later),
    endtime: (jid) => store.endtime(jid),
    updateEndtime: (jid, time) => store.updateEndtime(jid, time),
    flush: () => store.flush(),
    flushWith: (sync) => store.flushWith(sync),
    close: () => {},
  };
}
