import { type Lease, LeaseLostError, type LedgerStorage } from "../../feature/cluster/storage.ts";
import type { JobCache } from "../../model/job/job_cache.ts";
import { jobLists } from "../job_caches/postgres/lists.ts";
import type { PostgresQuery } from "../job_caches/postgres/queries.ts";
import { jobReads } from "../job_caches/postgres/reads.ts";
import { jobRemoval } from "../job_caches/postgres/removal.ts";
import { jobSaves } from "../job_caches/postgres/saves.ts";
import { PostgresStore } from "../job_caches/postgres/store.ts";
import { GUARD, GUARD_FAILED, postgresLeases, takeOver } from "./postgres/leases.ts";
import { postgresAudit, postgresRecords } from "./postgres/records.ts";
import { prepareLedgerSchema } from "./postgres/schema.ts";
import { connectLedgerServer, type LedgerServer, type PostgresLedgerOptions } from "./postgres/server.ts";

export type { PostgresLedgerOptions } from "./postgres/server.ts";

/**
 * What the masters of a cluster share in a PostgreSQL server, in tables that begin with `brine_`; those of jobs are the job cache's
 * (`master_job_cache: postgres`). Leases go by the server's clock.
 *
 * @throws {SystemError} naming the server if it cannot be used
 * @throws {ConfigError} if the package `postgres` is not installed, or the address cannot be used
 */
export async function openPostgresLedger(options: PostgresLedgerOptions): Promise<LedgerStorage> {
  const server = await connectLedgerServer(options);
  try {
    await server.jobs.begin((queries) => prepareLedgerSchema(queries, server.place));
  } catch (error) {
    await server.close().catch(() => {});
    throw server.failure(error);
  }
  let lease: Lease | undefined;
  let closing: Promise<void> | undefined;
  const { jobs, sealOf, close } = ownJobs(server, () => lease);
  return {
    place: server.place,
    leases: postgresLeases(server),
    records: postgresRecords(server),
    audit: postgresAudit(server),
    jobs,
    sealOf,
    get state() {
      return server.state;
    },
    own: (own) => void (lease = own),
    takeOver: (dead, by) => takeOver(server, dead, by),
    ping: async () => void await server.run("SELECT 1"),
    close: () => closing ??= close().finally(() => server.close()),
  };
}

/** The job cache under the lease of one master. */
function ownJobs(
  server: LedgerServer,
  lease: () => Lease | undefined,
): Pick<LedgerStorage, "jobs" | "sealOf" | "close"> {
  const lost = () => new LeaseLostError(lease()?.name ?? "", server.place);
  const store = new PostgresStore(server.jobs, {
    place: server.place,
    now: () => server.clock.now(),
    failure: (error) => (error as { code?: unknown }).code === GUARD_FAILED ? lost() : server.failure(error),
    isGuard: (write) => Array.isArray(write) && write[0] === GUARD,
  });
  let guard: { lease: Lease; query: PostgresQuery } | undefined;
  const decide = () => {
    const own = lease();
    if (own === undefined) throw lost();
    // One object for each lease: a batch checks it once.
    if (guard?.lease !== own) guard = { lease: own, query: [GUARD, own.name, own.fence] };
    store.writes.push(guard.query);
    return own.name;
  };
  const reads = jobReads(store);
  const unsettled = async () => {
    const own = lease();
    if (own === undefined) return [];
    const sql = "SELECT jid FROM brine_job WHERE open AND load IS NOT NULL AND owner = $1 ORDER BY jid";
    return (await store.read(sql, own.name)).map(({ jid }) => String(jid));
  };
  const jobs: JobCache = {
    place: server.place,
    ...jobSaves(store, reads, { decide }),
    wasBeaten: (jid, minion) => store.takeBeaten(jid, minion),
    ...reads,
    unsettled,
    list: jobLists(store, reads),
    ...jobRemoval(store),
    flush: () => store.writes.flush(),
    close: () => store.close(),
  };
  const sealOf = async (jid: string) => {
    const [row] = await store.read("SELECT seal FROM brine_job WHERE jid = $1 AND seal IS NOT NULL", jid);
    return row === undefined ? undefined : new Uint8Array(row.seal as Uint8Array);
  };
  return { jobs, sealOf, close: () => store.close() };
}
