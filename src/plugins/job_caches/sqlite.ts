import type { JobCache } from "../../model/job/job_cache.ts";
import { jobLists } from "./sqlite/lists.ts";
import { jobReads } from "./sqlite/reads.ts";
import { jobRemoval } from "./sqlite/removal.ts";
import { jobSaves } from "./sqlite/saves.ts";
import { type SqliteJobCacheOptions, SqliteStore } from "./sqlite/store.ts";

/**
 * The master's job cache in one SQLite file. All that is saved in one turn of the loop is one transaction, closed by
 * {@link JobCache.flush}.
 *
 * @throws {SystemError} naming the file if it cannot be used
 */
export function sqliteJobCache(options: SqliteJobCacheOptions): JobCache {
  const store = new SqliteStore(options);
  const reads = jobReads(store);
  return {
    place: options.path,
    ...jobSaves(store),
    ...reads,
    list: jobLists(store, reads),
    ...jobRemoval(store, options.later),
    flush: () => store.flush(),
    close: () => store.close(),
  };
}
