import type { JobCache } from "../../model/job/job_cache.ts";
import { jobLists } from "./redis/lists.ts";
import { jobReads } from "./redis/reads.ts";
import { jobRemoval } from "./redis/removal.ts";
import { jobSaves } from "./redis/saves.ts";
import { openRedisStore, type RedisOptions } from "./redis/store.ts";

/**
 * The master's job cache in a Redis server, under keys that begin with `brine:`. What is saved is buffered until
 * {@link JobCache.flush}, which sends it as one MULTI; whether it then survives a stop of the server depends on the
 * server's configuration (`appendonly`).
 *
 * @throws {SystemError} naming the server if it cannot be used
 * @throws {ConfigError} if the package `redis` is not installed
 */
export async function openRedisJobCache(options: RedisOptions): Promise<JobCache> {
  const store = await openRedisStore(options);
  const reads = jobReads(store);
  return {
    place: store.place,
    ...jobSaves(store, reads),
    ...reads,
    list: jobLists(store, reads),
    ...jobRemoval(store, reads),
    flush: () => store.writes.flush(),
    close: () => store.close(),
  };
}
