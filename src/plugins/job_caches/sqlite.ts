import { dirName } from "../../config/paths.ts";
import type { SystemError } from "../../errors.ts";
import {
  type JobCache,
  type JobListEntry,
  type JobLoad,
  type JobSearch,
  mergeOutcomes,
  type StoredReturn,
  summaryOf,
} from "../../job/job_cache.ts";
import { type OutcomeState, succeeded, type TargetOutcome } from "../../job/outcome.ts";
import type { Databases, SqlRow, SqlValue, Statement } from "../../runtime/database.ts";
import type { Durability, FileSystem } from "../../runtime/fs.ts";
import { decode, encode, Packed } from "../../wire/msgpack.ts";
import { entryOf, entryText } from "./entry_text.ts";
import { PAGE, storedWordsOf, WORD_KINDS } from "./search.ts";
import { searchJobs, type SearchStore, type Source } from "./search_store.ts";
import { fileFailure, openJobFile } from "./sqlite_file.ts";

export interface SqliteJobCacheOptions {
  databases: Databases;
  fs: FileSystem;
  path: string;
  now(): number;
  /** Calls back in a later turn of the loop. */
  later(call: () => void): void;
  /** How long another process is waited for that holds the file. @default 5000 */
  busyMs?: number;
  /** What is flushed outlives: a loss of power, or the end of the process. @default "power" */
  durability?: Durability;
}

/** Jobs whose rows are remembered. */
const RECENT = 1000;
/** Jobs that are removed in one transaction, and pages that are given back after it: about ten milliseconds. */
const SLICE = 100;
const VACUUM_PAGES = 500;
/** What nearly every return has. */
const ZERO = encode(0, "bin");
const TRUE = encode(true, "bin");

const packed = (value: unknown) => value === undefined ? null : encode(value, "bin");
const unpack = (bytes: SqlValue | undefined) => decode(bytes as Uint8Array, { mode: "bin" });

/** Below every jid, and above: they begin with a digit. */
const ALL = { low: "", high: "~" };

const BOUNDS = "SELECT min(jid) AS low, max(jid) AS high FROM job WHERE created >= ? AND created <= ?";
const ENTRIES = "SELECT group_concat(entry) AS entries FROM job WHERE jid IN (SELECT value FROM json_each(?)) " +
  "AND created >= ? AND created <= ? AND entry IS NOT NULL";

/** The rows that hold the jids of a source. */
function rowsOf(source: Source): [from: string, ...values: string[]] {
  switch (source.kind) {
    case "listed":
      return ["job WHERE entry IS NOT NULL"];
    case "open":
      return ["job WHERE open = 1"];
    case "failed":
      return ["ret WHERE failed = 1"];
    case "word":
      return ["word WHERE kind = ? AND word = ?", source.of, source.word];
    case "state":
      return ["outcome WHERE state = ?", source.state];
  }
}

function jidsOf(from: string, oldestFirst: boolean): string {
  return `SELECT DISTINCT jid FROM ${from} AND jid ${
    oldestFirst ? "> ? ORDER BY jid" : "< ? ORDER BY jid DESC"
  } LIMIT ?`;
}

/**
 * The master's job cache in one SQLite file. All that is saved in one turn of the loop is one transaction, closed by
 * {@link JobCache.flush}.
 *
 * @throws {SystemError} naming the file if it cannot be used
 */
export function sqliteJobCache(options: SqliteJobCacheOptions): JobCache {
  const { path, now, later, fs, durability = "power" } = options;
  const database = openJobFile(options);
  const begin = database.prepare("BEGIN IMMEDIATE");
  const commit = database.prepare("COMMIT");
  const insertJob = database.prepare("INSERT OR IGNORE INTO job (jid, created) VALUES (?, ?)");
  const updateEntry = database.prepare(
    "INSERT INTO job (jid, created, open, entry) VALUES (?, ?, 1, ?) " +
      "ON CONFLICT (jid) DO UPDATE SET open = 1, entry = coalesce(entry, excluded.entry)",
  );
  const insertLoad = database.prepare("INSERT OR IGNORE INTO publication (jid, load) VALUES (?, ?)");
  const upsertTarget = database.prepare("INSERT OR REPLACE INTO target (jid, source, minions) VALUES (?, ?, ?)");
  const insertWord = database.prepare("INSERT OR IGNORE INTO word (jid, kind, word) VALUES (?, ?, ?)");
  const insertReturn = database.prepare(
    "INSERT OR IGNORE INTO ret (jid, minion, stored, value, retcode, success, out) VALUES (?, ?, ?, ?, ?, ?, ?)",
  );
  const insertOther = database.prepare(
    "INSERT OR IGNORE INTO ret (jid, minion, stored, value, retcode, success, out, failed) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
  );
  const upsertOutcome = database.prepare(
    "INSERT OR REPLACE INTO outcome (jid, minion, state, at, until, since, retcode, note) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
  );
  const updateSettled = database.prepare("UPDATE job SET open = 0 WHERE jid = ? AND open = 1");
  const selectLoad = database.prepare("SELECT load FROM publication WHERE jid = ?");
  const selectHasLoad = database.prepare("SELECT 1 FROM publication WHERE jid = ?");
  const selectHasReturn = database.prepare("SELECT 1 FROM ret WHERE jid = ? AND minion = ?");
  const selectTargets = database.prepare("SELECT minions FROM target WHERE jid = ?");
  const selectReturns = database.prepare(
    "SELECT minion, stored, value, retcode, success, out FROM ret WHERE jid = ? ORDER BY minion",
  );
  const selectOutcomes = database.prepare("SELECT * FROM outcome WHERE jid = ? ORDER BY minion");
  /** Compiled when they are first needed: many a command asks for one thing alone. */
  const statements = new Map<string, Statement>();
  const prepared = (sql: string): Statement => {
    let statement = statements.get(sql);
    if (statement === undefined) statements.set(sql, statement = database.prepare(sql));
    return statement;
  };

  /** Jobs of late that have a row, and whether it has a load: a thousand returns of one job ask a thousand times. */
  const recent = new Map<string, boolean>();
  const remember = (jid: string, hasLoad: boolean) => {
    if (recent.size >= RECENT) recent.clear();
    recent.set(jid, hasLoad);
  };
  let open = false;
  /** Something was committed that a loss of power might take. */
  let unsynced = false;
  let syncing: Promise<void> | undefined;
  /** What was to be synced could not be. */
  let unsure = false;
  /** The names of the files are on the disk. */
  let named = false;
  /** Why what was saved since the last flush is lost. */
  let lost: SystemError | undefined;

  function giveUp(error: unknown): SystemError {
    try {
      database.exec("ROLLBACK");
    } catch {
      // After some errors SQLite has rolled back by itself.
    }
    open = false;
    // What they tell of may be among what is gone.
    recent.clear();
    return fileFailure(path, error);
  }
  /** Does what saves something, inside the transaction of this turn. */
  function saving<T>(save: () => T): T {
    if (lost !== undefined) throw lost;
    try {
      if (!open) begin.run();
      open = true;
      return save();
    } catch (error) {
      throw lost = giveUp(error);
    }
  }
  /** Closes the transaction of this turn. */
  function close(): void {
    const failed = lost;
    lost = undefined;
    if (failed !== undefined) throw failed;
    if (!open) return;
    try {
      commit.run();
      open = false;
      unsynced = true;
    } catch (error) {
      throw giveUp(error);
    }
  }
  /**
   * SQLite itself would hold up the event loop while the disk works (`synchronous = FULL`); it has written its log, and the
   * log is what has to be synced.
   */
  async function sync(): Promise<void> {
    unsynced = false;
    try {
      // After a failure the system may take for written what is not: it is copied where it belongs, and that synced.
      if (unsure) database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
      await Promise.all([fs.sync(`${path}-wal`), ...(named ? [] : [fs.sync(dirName(path))])]);
      [unsure, named] = [false, true];
    } catch (error) {
      [unsure, unsynced] = [true, true];
      throw fileFailure(path, error);
    } finally {
      syncing = undefined;
    }
  }
  function flush(): void | Promise<void> {
    close();
    if (durability === "process") return;
    if (syncing !== undefined) return syncing.catch(() => {}).then(flush);
    if (unsynced) return syncing = sync();
  }
  function reading<T>(read: () => T): T {
    try {
      return read();
    } catch (error) {
      throw fileFailure(path, error);
    }
  }

  const loadOf = (jid: string): JobLoad | undefined => {
    const row = selectLoad.get(jid);
    return row === undefined ? undefined : unpack(row.load) as JobLoad;
  };
  const minionsOf = (jid: string): string[] => {
    const all = new Set<string>();
    for (const row of selectTargets.all(jid)) for (const id of unpack(row.minions) as string[]) all.add(id);
    return [...all].sort();
  };
  const outcomesOf = (jid: string) => selectOutcomes.all(jid).map(outcomeOf);

  /** Removes jobs with all that belongs to them, in a transaction of its own or that of this turn. */
  function remove(jids: readonly string[]): void {
    const own = !open;
    saving(() => {
      recent.clear();
      const list = JSON.stringify(jids);
      for (const table of ["ret", "outcome", "word", "target", "publication", "job"]) {
        prepared(`DELETE FROM ${table} WHERE jid IN (SELECT value FROM json_each(?))`).run(list);
      }
    });
    try {
      close();
    } catch (error) {
      // Whoever has saved in this turn must hear of it, too.
      if (!own) lost = error as SystemError;
      throw error;
    }
  }
  const turn = () => new Promise<void>(later);
  const pragma = (name: string) => Number(Object.values(database.prepare(`PRAGMA ${name}`).get() ?? {})[0] ?? 0);
  /** Gives freed pages back to the file system, where the file is of the kind that can. */
  async function giveBack(): Promise<void> {
    for (let left = pragma("freelist_count"); left > 0;) {
      reading(() => database.exec(`PRAGMA incremental_vacuum(${VACUUM_PAGES})`));
      const before = left;
      left = pragma("freelist_count");
      if (left >= before) return;
      await turn();
    }
  }
  const usedBytes = () => (pragma("page_count") - pragma("freelist_count")) * pragma("page_size");

  /** Entries of jobs by the texts that are kept of them. */
  function entriesOf(text: unknown): JobListEntry[] {
    return (JSON.parse(`[${text ?? ""}]`) as unknown[]).map((item) => entryOf(item, loadOf));
  }

  /** All jobs, or those of a time: a page is one row of one statement. */
  function* everyJob(search: JobSearch): Iterable<JobListEntry[]> {
    const { fromMs = 0, untilMs = Number.MAX_SAFE_INTEGER, oldestFirst = false } = search;
    const timed = search.fromMs !== undefined || search.untilMs !== undefined;
    const limits = timed ? store.bounds(fromMs, untilMs) as { low: string; high: string } | undefined : ALL;
    if (limits === undefined) return;
    const statement = prepared(
      `SELECT group_concat(entry) AS entries FROM (SELECT entry FROM job WHERE ${
        oldestFirst ? "jid > ? AND jid <= ?" : "jid < ? AND jid >= ?"
      } AND created >= ? AND created <= ? AND entry IS NOT NULL ORDER BY jid ${oldestFirst ? "" : "DESC"} LIMIT ?)`,
    );
    const [start, end] = oldestFirst ? [limits.low.slice(0, -1), limits.high] : [`${limits.high}!`, limits.low];
    let left = search.limit ?? Infinity;
    for (let after = start; left > 0;) {
      const wanted = Math.min(PAGE, left);
      const page = reading(() => entriesOf(statement.get(after, end, fromMs, untilMs, wanted)!.entries));
      if (page.length > 0) yield page;
      if (page.length < wanted) return;
      after = page.at(-1)!.jid;
      left -= page.length;
    }
  }

  const store: SearchStore = {
    bounds: (fromMs, untilMs) =>
      reading(() => {
        const { low, high } = prepared(BOUNDS).get(fromMs, untilMs)!;
        return low === null ? undefined : { low: String(low), high: String(high) };
      }),
    jids: (source, after, oldestFirst, limit) =>
      reading(() => {
        const [from, ...values] = rowsOf(source);
        return prepared(jidsOf(from, oldestFirst)).all(...values, after, limit).map(({ jid }) => String(jid));
      }),
    words: (kind, prefix) =>
      reading(() => {
        const found: string[] = [];
        // From one to the next by the index, however many jobs have each.
        let word = prepared("SELECT min(word) AS word FROM word WHERE kind = ? AND word >= ?").get(kind, prefix)?.word;
        while (typeof word === "string" && word.startsWith(prefix)) {
          found.push(word);
          word = prepared("SELECT min(word) AS word FROM word WHERE kind = ? AND word > ?").get(kind, word)?.word;
        }
        return found;
      }),
    entries: (jids, fromMs, untilMs) =>
      reading(() => entriesOf(prepared(ENTRIES).get(JSON.stringify(jids), fromMs, untilMs)!.entries)),
    hasOutcome: (jid, state) =>
      reading(() => {
        const returns = prepared("SELECT minion, stored, failed FROM ret WHERE jid = ?").all(jid).map((row) => ({
          minion: String(row.minion),
          storedMs: Number(row.stored),
          retcode: row.failed,
          success: true,
        }));
        return mergeOutcomes(minionsOf(jid), outcomesOf(jid), returns, 0).some((one) => one.state === state);
      }),
  };

  return {
    place: path,
    reserve: (jid) => saving(() => insertJob.run(jid, Math.floor(now())).changes > 0),
    saveLoad(jid, load, minions) {
      const summary = summaryOf(load);
      saving(() => {
        updateEntry.run(jid, Math.floor(now()), entryText(jid, summary));
        const fresh = insertLoad.run(jid, encode(load, "bin")).changes > 0;
        upsertTarget.run(jid, "", encode(minions, "bin"));
        if (fresh) { for (const [kind, word] of storedWordsOf(summary)) insertWord.run(jid, kind, word); }
      });
      remember(jid, true);
    },
    saveMinions(jid, minions, syndic = "") {
      saving(() => {
        insertJob.run(jid, Math.floor(now()));
        upsertTarget.run(jid, syndic, encode(minions, "bin"));
      });
    },
    // Thousands a second come here: one statement each, and no function made for it.
    saveReturn(jid, { minion, return: value, retcode, success, out, storedMs }) {
      if (lost !== undefined) throw lost;
      try {
        if (!open) begin.run();
        open = true;
        // Of a job that nobody has told of yet, too: expiry goes by jobs.
        if (!recent.has(jid)) {
          insertJob.run(jid, Math.floor(now()));
          remember(jid, selectHasLoad.get(jid) !== undefined);
        }
        if (retcode === 0 && success === true) {
          return insertReturn.run(jid, minion, storedMs, value.bytes, ZERO, TRUE, out ?? null).changes > 0;
        }
        const failed = succeeded(retcode, success) ? 0 : 1;
        const [code, verdict] = [packed(retcode), packed(success)];
        return insertOther.run(jid, minion, storedMs, value.bytes, code, verdict, out ?? null, failed).changes > 0;
      } catch (error) {
        throw lost = giveUp(error);
      }
    },
    saveOutcomes(jid, outcomes) {
      saving(() => {
        insertJob.run(jid, Math.floor(now()));
        for (const { minion, state, atMs, untilMs, sinceMs, retcode, note } of outcomes) {
          upsertOutcome.run(jid, minion, state, atMs, untilMs ?? null, sinceMs ?? null, packed(retcode), note ?? null);
        }
      });
    },
    settle: (jid) => void saving(() => updateSettled.run(jid)),
    hasLoad: (jid) => recent.get(jid) ?? reading(() => selectHasLoad.get(jid) !== undefined),
    hasReturn: (jid, minion) => reading(() => selectHasReturn.get(jid, minion) !== undefined),
    load: (jid) => reading(() => loadOf(jid)),
    minions: (jid) => reading(() => minionsOf(jid)),
    returns: (jid) =>
      reading(() =>
        selectReturns.all(jid).map((row): StoredReturn => ({
          minion: String(row.minion),
          return: new Packed(row.value as Uint8Array),
          retcode: row.retcode === null ? undefined : unpack(row.retcode),
          success: row.success === null ? undefined : unpack(row.success),
          ...(row.out === null ? {} : { out: String(row.out) }),
          storedMs: Number(row.stored),
        }))
      ),
    outcomes: (jid) => reading(() => outcomesOf(jid)),
    unsettled: () =>
      reading(() => prepared("SELECT jid FROM job WHERE open = 1 ORDER BY jid").all().map(({ jid }) => String(jid))),
    inState: (state) =>
      reading(() =>
        prepared("SELECT * FROM outcome WHERE state = ? ORDER BY jid, minion").all(state)
          .map((row) => ({ jid: String(row.jid), outcome: outcomeOf(row) }))
      ),
    list(search: JobSearch = {}) {
      const plain = search.outcome === undefined && WORD_KINDS.every((kind) => search[kind] === undefined);
      return plain ? everyJob(search) : searchJobs(store, search);
    },
    async expire(beforeMs) {
      const select = prepared(
        `SELECT jid, created FROM job WHERE created >= ? AND created < ? AND open = 0 ORDER BY created LIMIT ${SLICE}`,
      );
      let gone = 0;
      let from = 0;
      for (;;) {
        const rows = reading(() => select.all(from, Math.floor(beforeMs)));
        if (rows.length === 0) break;
        remove(rows.map(({ jid }) => String(jid)));
        gone += rows.length;
        from = Number(rows.at(-1)!.created);
        await turn();
      }
      if (gone > 0) await giveBack();
      return gone;
    },
    async shrink(bytes) {
      const select = prepared(
        `SELECT jid, (SELECT total(length(value)) FROM ret WHERE ret.jid = job.jid) + ` +
          `(SELECT total(length(load)) FROM publication WHERE publication.jid = job.jid) AS size ` +
          `FROM job WHERE open = 0 ORDER BY jid LIMIT ${SLICE}`,
      );
      let gone = 0;
      for (;;) {
        let excess = reading(usedBytes) - bytes;
        if (excess <= 0) break;
        const jids: string[] = [];
        for (const { jid, size } of reading(() => select.all())) {
          if (jids.length > 0 && excess <= 0) break;
          jids.push(String(jid));
          excess -= Number(size);
        }
        if (jids.length === 0) break;
        remove(jids);
        gone += jids.length;
        await turn();
      }
      if (gone > 0) await giveBack();
      return gone;
    },
    flush,
    close() {
      try {
        const flushed = flush();
        if (flushed !== undefined) return flushed.finally(() => database.close());
      } catch (error) {
        database.close();
        throw error;
      }
      return database.close();
    },
  };
}

function outcomeOf(row: SqlRow): TargetOutcome {
  return {
    minion: String(row.minion),
    state: row.state as OutcomeState,
    atMs: Number(row.at),
    ...(row.until === null ? {} : { untilMs: Number(row.until) }),
    ...(row.since === null ? {} : { sinceMs: Number(row.since) }),
    ...(row.retcode === null ? {} : { retcode: unpack(row.retcode) }),
    ...(row.note === null ? {} : { note: String(row.note) }),
  };
}
