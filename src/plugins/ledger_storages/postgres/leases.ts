import { type Lease, LeaseLostError, type Leases } from "../../../feature/cluster/storage.ts";
import type { PostgresRow } from "../../job_caches/postgres/queries.ts";
import type { LedgerServer } from "./server.ts";

const HOLD = "INSERT INTO brine_lease AS l (name, owner, fence, seconds, until, since) " +
  "VALUES ($1, $2, nextval('brine_fence'), $3::float8, clock_timestamp() + make_interval(secs => $3::float8), clock_timestamp()) " +
  "ON CONFLICT (name) DO UPDATE SET owner = excluded.owner, fence = excluded.fence, seconds = excluded.seconds, " +
  "until = excluded.until, since = excluded.since WHERE l.owner = excluded.owner OR l.until <= clock_timestamp() RETURNING fence";
const RENEW =
  "UPDATE brine_lease SET since = CASE WHEN until <= clock_timestamp() THEN clock_timestamp() ELSE since END, " +
  "until = clock_timestamp() + make_interval(secs => $3::float8) WHERE name = $1 AND fence = $2::bigint RETURNING fence";
const RELEASE = "UPDATE brine_lease SET until = least(until, clock_timestamp()) WHERE name = $1 AND fence = $2::bigint";
const LIST = "SELECT name, owner, fence, until > clock_timestamp() AS held FROM brine_lease " +
  "WHERE starts_with(name, $1) ORDER BY name";

/** Renewals change no key, so they do not wait for transactions that rely on the lease ({@link GUARD}); a takeover does. */
export function postgresLeases(server: LedgerServer): Leases {
  return {
    async hold(name, owner, seconds) {
      const [row] = await server.run(HOLD, name, owner, seconds);
      return row === undefined ? undefined : { name, owner, fence: Number(row.fence), seconds };
    },
    renew: async ({ name, fence, seconds }) => (await server.run(RENEW, name, fence, seconds)).length > 0,
    release: async ({ name, fence }) => void await server.run(RELEASE, name, fence),
    list: async (prefix) =>
      (await server.run(LIST, prefix)).map(({ name, owner, fence, held }) => ({
        name: String(name),
        owner: String(owner),
        fence: Number(fence),
        held: held === true,
      })),
  };
}

/**
 * The first statement of a transaction that decides something: fails with `division_by_zero` unless the lease is held, and keeps it
 * from being taken over until the transaction has ended.
 */
export const GUARD = "SELECT 1 / count(*) FROM (SELECT 1 FROM brine_lease WHERE name = $1 AND fence = $2::bigint " +
  "AND until > clock_timestamp() FOR KEY SHARE) AS held";
/** The code of what {@link GUARD} fails with. */
export const GUARD_FAILED = "22012";

const ME = "SELECT since <= clock_timestamp() - make_interval(secs => seconds) AS steady FROM brine_lease " +
  "WHERE name = $1 AND fence = $2::bigint AND until > clock_timestamp() FOR KEY SHARE";
const REMOVE = "DELETE FROM brine_lease WHERE name = $1 AND until <= clock_timestamp() RETURNING name";
const TAKE = "UPDATE brine_job SET owner = $2 WHERE owner = $1 AND open RETURNING jid";
const ADOPT = "UPDATE brine_job j SET owner = $1 WHERE open AND (j.owner IS NULL OR NOT EXISTS " +
  "(SELECT 1 FROM brine_lease l WHERE l.name = j.owner)) RETURNING jid";

/** {@link LedgerStorage.takeOver}. The own lease is locked first, as in every transaction that decides. */
export async function takeOver(server: LedgerServer, dead: string, by: Lease): Promise<string[] | undefined> {
  // Each statement sees what was committed before it: the last one also what the dead master did while the second waited for it.
  const taken = await server.transaction(async (run) => {
    const [me] = await run(ME, by.name, by.fence);
    if (me === undefined) throw new LeaseLostError(by.name, server.place);
    if (me.steady !== true) return undefined;
    if (dead === "") return await run(ADOPT, by.name);
    return (await run(REMOVE, dead)).length === 0 ? undefined : await run(TAKE, dead, by.name);
  });
  return (taken as PostgresRow[] | undefined)?.map(({ jid }) => String(jid)).sort();
}
