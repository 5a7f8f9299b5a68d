import type { JobCache } from "../../model/job/job_cache.ts";
import { jobLists } from "./postgres/lists.ts";
import { jobReads } from "./postgres/reads.ts";
import { jobRemoval } from "./postgres/removal.ts";
import { jobSaves } from "./postgres/saves.ts";
import { openPostgresStore, type PostgresOptions } from "./postgres/store.ts";

/**
 * The master's job cache in a PostgreSQL server, in tables that begin with `brine_`. What is saved is buffered until
 * {@link JobCache.flush}, which sends it in one transaction.
 *
 * @throws {SystemError} naming the server if it cannot be used
 * @throws {ConfigError} if the package `postgres` is not installed
 */
export async function openPostgresJobCache(options: PostgresOptions): Promise<JobCache> {
  const store = await openPostgresStore(options);
  const reads = jobReads(store);
  return {
    place: store.place,
    ...jobSaves(store, reads),
    wasBeaten: (jid, minion) => store.takeBeaten(jid, minion),
    ...reads,
    list: jobLists(store, reads),
    ...jobRemoval(store),
    flush: () => store.writes.flush(),
    close: () => store.close(),
  };
}
