import type { JobLoad } from "../../../model/job/job_cache.ts";
import type { TargetOutcome } from "../../../model/job/outcome.ts";
import { fromColumn, returnOfRow } from "../columns.ts";
import { allMinions, type JobReads } from "../parts.ts";
import type { PostgresStore } from "./store.ts";

/** What is read of one job, and the short lists of jobs that a master looks after. */
export function jobReads(store: PostgresStore): JobReads {
  return {
    async load(jid) {
      const [row] = await store.read("SELECT load FROM brine_job WHERE jid = $1 AND load IS NOT NULL", jid);
      return row === undefined ? undefined : fromColumn(row.load) as JobLoad;
    },
    hasLoad: async (jid) =>
      store.recent.hasLoad(jid) === true ||
      (await store.read("SELECT 1 FROM brine_job WHERE jid = $1 AND load IS NOT NULL", jid)).length > 0,
    hasReturn: async (jid, minion) =>
      (await store.read("SELECT 1 FROM brine_ret WHERE jid = $1 AND minion = $2", jid, minion)).length > 0,
    async minions(jid) {
      const rows = await store.read("SELECT minions FROM brine_target WHERE jid = $1", jid);
      return allMinions(rows.map(({ minions }) => fromColumn(minions) as string[]));
    },
    returns: async (jid) =>
      (await store.read("SELECT * FROM brine_ret WHERE jid = $1 ORDER BY minion", jid)).map(returnOfRow),
    returned: async (jid) =>
      (await store.read("SELECT minion FROM brine_ret WHERE jid = $1 ORDER BY minion", jid))
        .map(({ minion }) => String(minion)),
    outcomes: async (jid) =>
      (await store.read("SELECT outcome FROM brine_outcome WHERE jid = $1 ORDER BY minion", jid))
        .map((row) => fromColumn(row.outcome) as TargetOutcome),
    unsettled: async () =>
      (await store.read("SELECT jid FROM brine_job WHERE open ORDER BY jid")).map(({ jid }) => String(jid)),
    inState: async (state) =>
      (await store.read("SELECT jid, outcome FROM brine_outcome WHERE state = $1 ORDER BY jid, minion", state))
        .map((row) => ({ jid: String(row.jid), outcome: fromColumn(row.outcome) as TargetOutcome })),
  };
}
