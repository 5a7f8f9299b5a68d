import { oldestJobs } from "../oldest_jobs.ts";
import type { JobRemoval } from "../parts.ts";
import type { SqliteStore } from "./store.ts";

/** Jobs that are removed in one transaction, and pages that are given back after it: about ten milliseconds. */
const SLICE = 100;
const VACUUM_PAGES = 500;

const TABLES = ["ret", "outcome", "word", "target", "publication", "job"];

const SETTLED_BEFORE =
  `SELECT jid, created FROM job WHERE created >= ? AND created < ? AND open = 0 ORDER BY created LIMIT ${SLICE}`;
const SIZES = "SELECT jid, (SELECT total(length(value)) FROM ret WHERE ret.jid = job.jid) + " +
  "(SELECT total(length(load)) FROM publication WHERE publication.jid = job.jid) AS size " +
  `FROM job WHERE open = 0 ORDER BY jid LIMIT ${SLICE}`;

/** Removes settled jobs in slices, each in a turn of the loop of its own. @param later calls back in a later turn */
export function jobRemoval(store: SqliteStore, later: (call: () => void) => void): JobRemoval {
  const turn = () => new Promise<void>(later);
  return {
    async expire(beforeMs) {
      let gone = 0;
      let from = 0;
      for (;;) {
        const rows = store.reading(() => store.prepared(SETTLED_BEFORE).all(from, Math.floor(beforeMs)));
        if (rows.length === 0) break;
        remove(store, rows.map(({ jid }) => String(jid)));
        gone += rows.length;
        from = Number(rows.at(-1)!.created);
        await turn();
      }
      if (gone > 0) await giveBack(store, turn);
      return gone;
    },
    async shrink(bytes) {
      let gone = 0;
      for (;;) {
        const excess = store.reading(() => usedBytes(store)) - bytes;
        if (excess <= 0) break;
        const rows = store.reading(() => store.prepared(SIZES).all());
        const jobs = oldestJobs(rows.map(({ jid, size }) => ({ jid: String(jid), size: Number(size) })), excess);
        if (jobs.length === 0) break;
        remove(store, jobs.map(({ jid }) => jid));
        gone += jobs.length;
        await turn();
      }
      if (gone > 0) await giveBack(store, turn);
      return gone;
    },
  };
}

function remove(store: SqliteStore, jids: readonly string[]): void {
  store.savingAlone(() => {
    store.recent.clear();
    const list = JSON.stringify(jids);
    for (const table of TABLES) {
      store.prepared(`DELETE FROM ${table} WHERE jid IN (SELECT value FROM json_each(?))`).run(list);
    }
  });
}

function pragma(store: SqliteStore, name: string): number {
  return Number(Object.values(store.database.prepare(`PRAGMA ${name}`).get() ?? {})[0] ?? 0);
}

function usedBytes(store: SqliteStore): number {
  return (pragma(store, "page_count") - pragma(store, "freelist_count")) * pragma(store, "page_size");
}

/** Gives freed pages back to the file system, where the file was made with incremental vacuum. */
async function giveBack(store: SqliteStore, turn: () => Promise<void>): Promise<void> {
  for (let left = pragma(store, "freelist_count"); left > 0;) {
    store.reading(() => store.database.exec(`PRAGMA incremental_vacuum(${VACUUM_PAGES})`));
    const before = left;
    left = pragma(store, "freelist_count");
    if (left >= before) return;
    await turn();
  }
}
