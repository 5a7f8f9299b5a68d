import type { JobLoad } from "../../../model/job/job_cache.ts";
import type { OutcomeState, TargetOutcome } from "../../../model/job/outcome.ts";
import type { SqlRow } from "../../../runtime/database.ts";
import { fromColumn, returnOfRow } from "../columns.ts";
import { allMinions, type LocalJobReads } from "../parts.ts";
import type { SqliteStore } from "./store.ts";

function outcomeOf(row: SqlRow): TargetOutcome {
  return {
    minion: String(row.minion),
    state: row.state as OutcomeState,
    atMs: Number(row.at),
    ...(row.until === null ? {} : { untilMs: Number(row.until) }),
    ...(row.since === null ? {} : { sinceMs: Number(row.since) }),
    ...(row.retcode === null ? {} : { retcode: fromColumn(row.retcode) }),
    ...(row.note === null ? {} : { note: String(row.note) }),
  };
}

/** What is read of one job, and the short lists of jobs that a master looks after. */
export function jobReads(store: SqliteStore): LocalJobReads {
  const { database, recent } = store;
  const all = (sql: string, ...values: string[]) => store.reading(() => store.prepared(sql).all(...values));
  // A master asks for these with each return.
  const load = database.prepare("SELECT load FROM publication WHERE jid = ?");
  const hasLoad = database.prepare("SELECT 1 FROM publication WHERE jid = ?");
  const hasReturn = database.prepare("SELECT 1 FROM ret WHERE jid = ? AND minion = ?");

  return {
    hasLoad: (jid) => recent.hasLoad(jid) ?? store.reading(() => hasLoad.get(jid) !== undefined),
    hasReturn: (jid, minion) => store.reading(() => hasReturn.get(jid, minion) !== undefined),
    load: (jid) =>
      store.reading(() => {
        const row = load.get(jid);
        return row === undefined ? undefined : fromColumn(row.load) as JobLoad;
      }),
    minions: (jid) =>
      allMinions(
        all("SELECT minions FROM target WHERE jid = ?", jid).map(({ minions }) => fromColumn(minions) as string[]),
      ),
    returns: (jid) =>
      all("SELECT minion, stored, value, retcode, success, out FROM ret WHERE jid = ? ORDER BY minion", jid)
        .map(returnOfRow),
    outcomes: (jid) => all("SELECT * FROM outcome WHERE jid = ? ORDER BY minion", jid).map(outcomeOf),
    unsettled: () => all("SELECT jid FROM job WHERE open = 1 ORDER BY jid").map(({ jid }) => String(jid)),
    inState: (state) =>
      all("SELECT * FROM outcome WHERE state = ? ORDER BY jid, minion", state)
        .map((row) => ({ jid: String(row.jid), outcome: outcomeOf(row) })),
  };
}
