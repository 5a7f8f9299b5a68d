import { oldestJobs } from "../oldest_jobs.ts";
import type { JobRemoval } from "../parts.ts";
import { JOB_TABLES } from "./schema.ts";
import type { PostgresQuery } from "./queries.ts";
import type { PostgresStore } from "./store.ts";

/** Jobs that are removed in one transaction. */
const SLICE = 100;

const SETTLED_BEFORE = `SELECT jid FROM brine_job WHERE created < $1 AND NOT open ORDER BY created LIMIT ${SLICE}`;
const HELD = "SELECT coalesce((SELECT sum(octet_length(value)) FROM brine_ret), 0)::float8 + " +
  "coalesce((SELECT sum(octet_length(load)) FROM brine_job), 0)::float8 AS held";
const SIZES = "SELECT jid, coalesce(octet_length(load), 0)::float8 + " +
  "coalesce((SELECT sum(octet_length(value)) FROM brine_ret r WHERE r.jid = j.jid), 0)::float8 AS size " +
  `FROM brine_job j WHERE NOT open ORDER BY jid LIMIT ${SLICE}`;

/** Removes settled jobs, a slice in each transaction. */
export function jobRemoval(store: PostgresStore): JobRemoval {
  return {
    async expire(beforeMs) {
      let gone = 0;
      for (;;) {
        const rows = await store.read(SETTLED_BEFORE, beforeMs);
        if (rows.length === 0) return gone;
        await remove(store, rows.map(({ jid }) => String(jid)));
        gone += rows.length;
      }
    },
    async shrink(bytes) {
      const [row] = await store.read(HELD);
      let excess = Number(row!.held) - bytes;
      let gone = 0;
      while (excess > 0) {
        const rows = await store.read(SIZES);
        const jobs = oldestJobs(rows.map(({ jid, size }) => ({ jid: String(jid), size: Number(size) })), excess);
        if (jobs.length === 0) break;
        await remove(store, jobs.map(({ jid }) => jid));
        for (const { size } of jobs) excess -= size;
        gone += jobs.length;
      }
      return gone;
    },
  };
}

async function remove(store: PostgresStore, jids: readonly string[]): Promise<void> {
  store.recent.clear();
  await store.transaction(JOB_TABLES.map((table): PostgresQuery => [
    `DELETE FROM brine_${table} WHERE jid IN (SELECT json_array_elements_text($1::text::json))`,
    JSON.stringify(jids),
  ]));
}
