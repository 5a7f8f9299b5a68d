import { summaryOf } from "../../../model/job/job_cache.ts";
import { succeeded } from "../../../model/job/outcome.ts";
import { encode } from "../../../protocol/wire/msgpack.ts";
import { toColumn } from "../columns.ts";
import { entryText } from "../entry_text.ts";
import type { JobSaves } from "../parts.ts";
import { storedWordsOf } from "../search.ts";
import type { SqliteStore } from "./store.ts";

/** What nearly every return has. */
const ZERO = encode(0, "bin");
const TRUE = encode(true, "bin");

/** What a master saves, each into the transaction of this turn. */
export function jobSaves(store: SqliteStore): JobSaves {
  const { database, recent } = store;
  const insertJob = database.prepare("INSERT OR IGNORE INTO job (jid, created) VALUES (?, ?)");
  const updateEntry = database.prepare(
    "INSERT INTO job (jid, created, open, entry) VALUES (?, ?, 1, ?) " +
      "ON CONFLICT (jid) DO UPDATE SET open = 1, entry = coalesce(entry, excluded.entry)",
  );
  const insertLoad = database.prepare("INSERT OR IGNORE INTO publication (jid, load) VALUES (?, ?)");
  const upsertTarget = database.prepare("INSERT OR REPLACE INTO target (jid, source, minions) VALUES (?, ?, ?)");
  const insertWord = database.prepare("INSERT OR IGNORE INTO word (jid, kind, word) VALUES (?, ?, ?)");
  const upsertOutcome = database.prepare(
    "INSERT OR REPLACE INTO outcome (jid, minion, state, at, until, since, retcode, note) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
  );
  const updateSettled = database.prepare("UPDATE job SET open = 0 WHERE jid = ? AND open = 1");

  return {
    reserve: (jid) => store.saving(() => insertJob.run(jid, store.now()).changes > 0),
    saveLoad(jid, load, minions) {
      const summary = summaryOf(load);
      store.saving(() => {
        updateEntry.run(jid, store.now(), entryText(jid, summary));
        const isNew = insertLoad.run(jid, encode(load, "bin")).changes > 0;
        upsertTarget.run(jid, "", encode(minions, "bin"));
        if (isNew) { for (const [kind, word] of storedWordsOf(summary)) insertWord.run(jid, kind, word); }
      });
      recent.remember(jid, true);
    },
    saveMinions(jid, minions, syndic = "") {
      store.saving(() => {
        insertJob.run(jid, store.now());
        upsertTarget.run(jid, syndic, encode(minions, "bin"));
      });
    },
    saveReturn: returnSaver(store),
    saveOutcomes(jid, outcomes) {
      store.saving(() => {
        insertJob.run(jid, store.now());
        for (const { minion, state, atMs, untilMs, sinceMs, retcode, note } of outcomes) {
          upsertOutcome.run(
            jid,
            minion,
            state,
            atMs,
            untilMs ?? null,
            sinceMs ?? null,
            toColumn(retcode),
            note ?? null,
          );
        }
      });
    },
    settle: (jid) => void store.saving(() => updateSettled.run(jid)),
  };
}

/** Thousands of returns a second are saved here: one statement each, and no closure per call. */
function returnSaver(store: SqliteStore): JobSaves["saveReturn"] {
  const { database, recent } = store;
  const insertJob = database.prepare("INSERT OR IGNORE INTO job (jid, created) VALUES (?, ?)");
  const hasLoad = database.prepare("SELECT 1 FROM publication WHERE jid = ?");
  const insertGood = database.prepare(
    "INSERT OR IGNORE INTO ret (jid, minion, stored, value, retcode, success, out) VALUES (?, ?, ?, ?, ?, ?, ?)",
  );
  const insertOther = database.prepare(
    "INSERT OR IGNORE INTO ret (jid, minion, stored, value, retcode, success, out, failed) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
  );
  return (jid, { minion, return: value, retcode, success, out, storedMs }) => {
    try {
      store.begin();
      // A job without a load gets a row, too: expiry goes by jobs.
      if (recent.hasLoad(jid) === undefined) {
        insertJob.run(jid, store.now());
        recent.remember(jid, hasLoad.get(jid) !== undefined);
      }
      if (retcode === 0 && success === true) {
        return insertGood.run(jid, minion, storedMs, value.bytes, ZERO, TRUE, out ?? null).changes > 0;
      }
      const failed = succeeded(retcode, success) ? 0 : 1;
      const [code, verdict] = [toColumn(retcode), toColumn(success)];
      return insertOther.run(jid, minion, storedMs, value.bytes, code, verdict, out ?? null, failed).changes > 0;
    } catch (error) {
      throw store.lose(error);
    }
  };
}
