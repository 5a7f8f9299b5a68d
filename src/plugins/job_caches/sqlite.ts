import { SystemError } from "../../errors.ts";
import type { JobCache, JobListEntry, JobLoad, JobSearch, StoredReturn } from "../../job/job_cache.ts";
import type { Database, Databases } from "../../runtime/database.ts";
import { decode, encode, Packed } from "../../wire/msgpack.ts";

/** Written into the file (`PRAGMA user_version`); a file of a newer form is refused rather than misread. */
const SCHEMA_VERSION = 1;

const SCHEMA = `
CREATE TABLE job (
  jid TEXT PRIMARY KEY,
  created INTEGER NOT NULL,
  load BLOB
) WITHOUT ROWID;
CREATE TABLE target (
  jid TEXT NOT NULL,
  source TEXT NOT NULL,
  minions BLOB NOT NULL,
  PRIMARY KEY (jid, source)
) WITHOUT ROWID;
CREATE TABLE ret (
  jid TEXT NOT NULL,
  minion TEXT NOT NULL,
  stored INTEGER NOT NULL,
  value BLOB NOT NULL,
  retcode BLOB,
  success BLOB,
  out TEXT,
  PRIMARY KEY (jid, minion)
) WITHOUT ROWID;
CREATE INDEX job_created ON job (created);
`;

/** Jobs whose rows are remembered. */
const RECENT = 1000;
/** What nearly every return has. */
const ZERO = encode(0, "bin");
const TRUE = encode(true, "bin");

function openFile(databases: Databases, path: string): Database {
  const database = databases.open(path);
  try {
    database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA busy_timeout = 5000");
    const version = Number(database.prepare("PRAGMA user_version").get()?.user_version ?? 0);
    if (version > SCHEMA_VERSION) {
      throw new SystemError(
        "EVERSION",
        `The job cache "${path}" was written by a newer release (form ${version}, this one knows ${SCHEMA_VERSION}): ` +
          "upgrade, or move the file away to start on an empty one",
        { path },
      );
    }
    if (version === 0) database.exec(`BEGIN; ${SCHEMA} PRAGMA user_version = ${SCHEMA_VERSION}; COMMIT`);
    return database;
  } catch (error) {
    database.close();
    if (error instanceof SystemError) throw error;
    throw new SystemError("EIO", `Cannot use the job cache "${path}": ${(error as Error).message}`, {
      path,
      cause: error,
    });
  }
}

/**
 * The master's job cache in one SQLite file. All that is saved in one turn of the loop is one transaction, closed by
 * {@link JobCache.flush}.
 *
 * @throws {SystemError} naming the file if it cannot be used
 */
export function sqliteJobCache(databases: Databases, path: string, now: () => number): JobCache {
  const database = openFile(databases, path);
  const begin = database.prepare("BEGIN IMMEDIATE");
  const commit = database.prepare("COMMIT");
  const insertJob = database.prepare("INSERT OR IGNORE INTO job (jid, created) VALUES (?, ?)");
  const updateLoad = database.prepare(
    "INSERT INTO job (jid, created, load) VALUES (?, ?, ?) ON CONFLICT (jid) DO UPDATE SET load = excluded.load",
  );
  const upsertTarget = database.prepare(
    "INSERT INTO target (jid, source, minions) VALUES (?, ?, ?) ON CONFLICT (jid, source) DO UPDATE SET minions = excluded.minions",
  );
  const insertReturn = database.prepare(
    "INSERT OR IGNORE INTO ret (jid, minion, stored, value, retcode, success, out) VALUES (?, ?, ?, ?, ?, ?, ?)",
  );
  const selectLoad = database.prepare("SELECT load FROM job WHERE jid = ?");
  const selectTargets = database.prepare("SELECT minions FROM target WHERE jid = ?");
  const selectReturns = database.prepare(
    "SELECT minion, stored, value, retcode, success, out FROM ret WHERE jid = ? ORDER BY minion",
  );
  const selectJobs = database.prepare(
    "SELECT jid, load FROM job WHERE created >= ? AND created <= ? AND load IS NOT NULL ORDER BY jid DESC LIMIT ?",
  );
  const selectHasLoad = database.prepare("SELECT 1 FROM job WHERE jid = ? AND load IS NOT NULL");
  /** Jobs of late that have a row, and whether it has a load: a thousand returns of one job ask a thousand times. */
  const recent = new Map<string, boolean>();
  const remember = (jid: string, hasLoad: boolean) => {
    if (recent.size >= RECENT) recent.clear();
    recent.set(jid, hasLoad);
  };
  let open = false;

  const writing = () => {
    if (!open) begin.run();
    open = true;
  };
  const flush = () => {
    if (open) commit.run();
    open = false;
  };
  const unpack = (bytes: unknown) => decode(bytes as Uint8Array, { mode: "bin" });

  return {
    reserve(jid) {
      writing();
      return insertJob.run(jid, Math.floor(now())).changes > 0;
    },
    saveLoad(jid, load, minions) {
      writing();
      updateLoad.run(jid, Math.floor(now()), encode(load, "bin"));
      upsertTarget.run(jid, "", encode(minions, "bin"));
      remember(jid, true);
    },
    saveMinions(jid, minions, syndic = "") {
      writing();
      upsertTarget.run(jid, syndic, encode(minions, "bin"));
    },
    saveReturn(jid, stored) {
      writing();
      // Of a job that nobody has told of yet, too: expiry goes by jobs.
      if (!recent.has(jid)) {
        insertJob.run(jid, Math.floor(now()));
        remember(jid, selectHasLoad.get(jid) !== undefined);
      }
      return insertReturn.run(
        jid,
        stored.minion,
        Math.floor(stored.storedMs),
        stored.return.bytes,
        stored.retcode === 0 ? ZERO : encode(stored.retcode, "bin"),
        stored.success === true ? TRUE : encode(stored.success, "bin"),
        stored.out ?? null,
      ).changes > 0;
    },
    hasLoad: (jid) => recent.get(jid) ?? selectHasLoad.get(jid) !== undefined,
    load(jid) {
      const row = selectLoad.get(jid);
      return row?.load === undefined || row.load === null ? undefined : unpack(row.load) as JobLoad;
    },
    minions(jid) {
      const all = new Set<string>();
      for (const row of selectTargets.all(jid)) for (const id of unpack(row.minions) as string[]) all.add(id);
      return [...all].sort();
    },
    returns(jid) {
      return selectReturns.all(jid).map((row): StoredReturn => ({
        minion: String(row.minion),
        return: new Packed(row.value as Uint8Array),
        retcode: row.retcode === null ? undefined : unpack(row.retcode),
        success: row.success === null ? undefined : unpack(row.success),
        ...(row.out === null ? {} : { out: String(row.out) }),
        storedMs: Number(row.stored),
      }));
    },
    *list(search: JobSearch = {}): Iterable<JobListEntry> {
      const rows = selectJobs.iterate(
        search.fromMs ?? 0,
        search.untilMs ?? Number.MAX_SAFE_INTEGER,
        search.limit ?? -1,
      );
      for (const row of rows) yield { jid: String(row.jid), load: unpack(row.load) as JobLoad };
    },
    expire(beforeMs) {
      writing();
      recent.clear();
      const before = Math.floor(beforeMs);
      database.prepare("DELETE FROM ret WHERE jid IN (SELECT jid FROM job WHERE created < ?)").run(before);
      database.prepare("DELETE FROM target WHERE jid IN (SELECT jid FROM job WHERE created < ?)").run(before);
      const { changes } = database.prepare("DELETE FROM job WHERE created < ?").run(before);
      flush();
      return changes;
    },
    flush,
    close() {
      flush();
      database.close();
    },
  };
}
