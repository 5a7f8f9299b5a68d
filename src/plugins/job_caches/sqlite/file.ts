import { dirName } from "../../../base/paths.ts";
import { messageOf, SystemError } from "../../../base/errors.ts";
import { type JobLoad, summaryOf } from "../../../model/job/job_cache.ts";
import { succeeded } from "../../../model/job/outcome.ts";
import type { Database, Databases } from "../../../runtime/database.ts";
import type { FileSystem } from "../../../runtime/fs.ts";
import { decode } from "../../../protocol/wire/msgpack.ts";
import { entryText } from "../entry_text.ts";
import { storedWordsOf } from "../search.ts";

export interface JobFileOptions {
  databases: Databases;
  fs: FileSystem;
  path: string;
  /** How long another process that holds the file is waited for. @default 5000 */
  busyMs?: number;
}

/** Written into the file (`PRAGMA user_version`); a file of a newer form is refused rather than misread. */
const SCHEMA_VERSION = 2;
/** `PRAGMA application_id`: "Brin". */
const APPLICATION_ID = 0x4272696e;

/**
 * `job.entry` is what lists are read from (`entry_text.ts`), null until there is a load; the load itself is elsewhere, so
 * that a list passes over none. `job.open` is 1 while a job with a load is not settled.
 */
const SCHEMA = `
CREATE TABLE job (
  jid TEXT PRIMARY KEY,
  created INTEGER NOT NULL,
  open INTEGER NOT NULL DEFAULT 0,
  entry TEXT
) WITHOUT ROWID;
CREATE INDEX job_created ON job (created);
CREATE INDEX job_open ON job (jid) WHERE open = 1;
CREATE TABLE publication (
  jid TEXT PRIMARY KEY,
  load BLOB NOT NULL
) WITHOUT ROWID;
CREATE TABLE target (
  jid TEXT NOT NULL,
  source TEXT NOT NULL,
  minions BLOB NOT NULL,
  PRIMARY KEY (jid, source)
) WITHOUT ROWID;
CREATE TABLE word (
  jid TEXT NOT NULL,
  kind TEXT NOT NULL,
  word TEXT NOT NULL,
  PRIMARY KEY (jid, kind, word)
) WITHOUT ROWID;
CREATE INDEX word_jid ON word (kind, word, jid);
CREATE TABLE ret (
  jid TEXT NOT NULL,
  minion TEXT NOT NULL,
  stored INTEGER NOT NULL,
  value BLOB NOT NULL,
  retcode BLOB,
  success BLOB,
  out TEXT,
  failed INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (jid, minion)
) WITHOUT ROWID;
CREATE INDEX ret_failed ON ret (jid) WHERE failed = 1;
CREATE TABLE outcome (
  jid TEXT NOT NULL,
  minion TEXT NOT NULL,
  state TEXT NOT NULL,
  at INTEGER NOT NULL,
  until INTEGER,
  since INTEGER,
  retcode BLOB,
  note TEXT,
  PRIMARY KEY (jid, minion)
) WITHOUT ROWID;
CREATE INDEX outcome_state ON outcome (state, jid);
`;
const TABLES = [...SCHEMA.matchAll(/CREATE TABLE (\w+)/g)].map(([, name]) => name!);

/** Larger files are looked at only where each of their trees begins and ends. */
const CHECKED_WHOLE_BYTES = 4 << 20;
/** Larger files of version 1 keep the pages that they free for later jobs, since to rewrite them would take too long. */
const REWRITTEN_BYTES = 256 << 20;

/** What SQLite's texts mean: an errno, and what to do. */
const REMEDIES: [pattern: RegExp, errno: string, remedy: string][] = [
  [
    /locked|busy/i,
    "EBUSY",
    'another program uses it, such as sqlite3 or a copy: find it with "fuser -v FILE", and stop it or wait',
  ],
  [/is full|no space/i, "ENOSPC", "free space on its file system, or lower keep_jobs_seconds or brine_job_cache_bytes"],
  [
    /not a database|malformed|corrupt/i,
    "ECORRUPT",
    "restore it from a copy, or move it away together with FILE-wal and FILE-shm to start on an empty one",
  ],
  [/readonly|read-only/i, "EROFS", "let the master's user write the file and its directory"],
  [/unable to open/i, "EACCES", "create its directory, and let the master's user write to it"],
];

/** The error to throw for a failure of the file: with its path, the cause, and what to do. */
export function fileFailure(path: string, error: unknown): SystemError {
  const text = messageOf(error);
  if (error instanceof SystemError && text.startsWith("Cannot use the job cache")) return error;
  const [, errno, remedy] = REMEDIES.find(([pattern]) => pattern.test(text)) ??
    [undefined, error instanceof SystemError ? error.errno : "EIO", "see the system's log for the state of the disk"];
  return new SystemError(
    errno,
    `Cannot use the job cache "${path}": ${text}; ${remedy.replaceAll("FILE", path)}`,
    { path, cause: error },
  );
}

function refuse(path: string, errno: string, text: string): never {
  throw new SystemError(errno, `Cannot use the job cache "${path}": ${text}`, { path });
}

/**
 * Opens the file of the job cache, makes it if there is none, and brings an older one up to date.
 *
 * @throws {SystemError} naming the file and what to do; never starts on an empty file in place of one that is damaged
 */
export function openJobFile(options: JobFileOptions): Database {
  const { databases, fs, path, busyMs = 5000 } = options;
  const size = fs.stat(path)?.size ?? 0;
  if (size === 0 && (fs.stat(`${path}-wal`)?.size ?? 0) > 0) {
    // SQLite would throw away what the log holds.
    refuse(
      path,
      "ECORRUPT",
      `the file is ${
        fs.stat(path) === undefined ? "missing" : "empty"
      } while "${path}-wal" holds what was written to ` +
        "it last: restore both from a copy, or move the latter away to start on an empty one",
    );
  }
  let database: Database | undefined;
  try {
    closeToOthers(fs, path);
    database = databases.open(path, { busyMs });
    prepareFile(database, path, size);
    return database;
  } catch (error) {
    database?.close();
    throw fileFailure(path, error);
  }
}

/** Returns are confidential. The files beside this one (`-wal`, `-shm`) get their mode from it. */
function closeToOthers(fs: FileSystem, path: string): void {
  if (fs.stat(path) === undefined) {
    // Where there is no directory, SQLite will say so.
    if (fs.stat(dirName(path))?.kind === "directory") fs.append(path, "", 0o600);
    return;
  }
  for (const name of [path, `${path}-wal`, `${path}-shm`]) {
    const mode = fs.stat(name)?.mode ?? 0;
    if ((mode & 0o007) !== 0) fs.chmod(name, mode & 0o770);
  }
}

function prepareFile(database: Database, path: string, size: number): void {
  const number = (pragma: string) => Number(Object.values(database.prepare(`PRAGMA ${pragma}`).get() ?? {})[0] ?? 0);
  const [version, application] = [number("user_version"), number("application_id")];
  const tables = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all().map(({ name }) => name);
  const ours = application === APPLICATION_ID || (application === 0 && version === 1 && isFirstForm(tables));
  if (!ours && (tables.length > 0 || version !== 0 || application !== 0)) {
    refuse(path, "EFORM", "it is a database of something else: move it away, or set another cachedir");
  }
  if (version > SCHEMA_VERSION) {
    refuse(
      path,
      "EVERSION",
      `it was written by a newer release (form ${version}, this one knows ${SCHEMA_VERSION}): upgrade, or move it away ` +
        "to start on an empty one",
    );
  }
  // Before the first table, or it takes a rewrite of the file; and before the log, which makes the first page.
  if (!ours) database.exec("PRAGMA auto_vacuum = INCREMENTAL");
  database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA journal_size_limit = 16777216");
  if (!ours) {
    transaction(database, () => {
      // Another process may have been faster.
      if (number("user_version") === 0) database.exec(`${SCHEMA} ${STAMP}`);
    });
  } else {
    if (size <= CHECKED_WHOLE_BYTES) {
      const found = Object.values(database.prepare("PRAGMA quick_check(1)").get() ?? {})[0];
      if (found !== "ok") throw new Error(`database disk image is malformed (${found})`);
    }
    if (version === 1) migrate(database, path, size, number);
    const missing = TABLES.filter((name) => version === SCHEMA_VERSION && !tables.includes(name));
    if (missing.length > 0) throw new Error(`database disk image is malformed (no table ${missing.join(", ")})`);
    for (const table of TABLES) {
      // Both ends of each tree: what is cut off or overwritten shows there, however large the file.
      database.prepare(`SELECT min(jid) FROM ${table}`).get();
      database.prepare(`SELECT max(jid) FROM ${table}`).get();
    }
  }
}

const STAMP = `PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${SCHEMA_VERSION};`;

const isFirstForm = (tables: unknown[]) =>
  tables.length === 3 && ["job", "ret", "target"].every((name) => tables.includes(name));

function transaction(database: Database, change: () => void): void {
  database.exec("BEGIN IMMEDIATE");
  try {
    change();
    database.exec("COMMIT");
  } catch (error) {
    try {
      database.exec("ROLLBACK");
    } catch {
      // SQLite has done so by itself.
    }
    throw error;
  }
}

/** Version 1 had neither outcomes nor anything to search by; its jobs count as settled, since no client waits for them. */
function migrate(database: Database, path: string, size: number, number: (pragma: string) => number): void {
  transaction(database, () => {
    if (number("user_version") !== 1) return;
    database.exec("ALTER TABLE job RENAME TO job_1; DROP INDEX job_created");
    database.exec(SCHEMA.replace(/CREATE TABLE (?:target|ret) [^;]*;/g, "").replace(/CREATE INDEX ret_[^;]*;/, ""));
    database.exec("ALTER TABLE ret ADD COLUMN failed INTEGER NOT NULL DEFAULT 0");
    database.exec("INSERT INTO job (jid, created) SELECT jid, created FROM job_1");
    database.exec("INSERT INTO publication (jid, load) SELECT jid, load FROM job_1 WHERE load IS NOT NULL");
    database.exec("DROP TABLE job_1");
    const select = database.prepare("SELECT jid, load FROM publication WHERE jid > ? ORDER BY jid LIMIT 500");
    const update = database.prepare("UPDATE job SET entry = ? WHERE jid = ?");
    const insert = database.prepare("INSERT OR IGNORE INTO word (jid, kind, word) VALUES (?, ?, ?)");
    for (let after = "";;) {
      const rows = select.all(after);
      if (rows.length === 0) break;
      for (const row of rows) {
        const jid = after = String(row.jid);
        const summary = summaryOf(decode(row.load as Uint8Array, { mode: "bin" }) as JobLoad);
        update.run(entryText(jid, summary), jid);
        for (const [kind, word] of storedWordsOf(summary)) insert.run(jid, kind, word);
      }
    }
    // All but those with code 0 and success, which nearly every return has.
    const odd = database.prepare(
      "SELECT jid, minion, retcode, success FROM ret WHERE retcode <> x'00' OR success <> x'c3'",
    );
    const fail = database.prepare("UPDATE ret SET failed = 1 WHERE jid = ? AND minion = ?");
    const value = (bytes: unknown) => bytes === null ? undefined : decode(bytes as Uint8Array, { mode: "bin" });
    for (const { jid, minion, retcode, success } of odd.all()) {
      if (!succeeded(value(retcode), value(success))) fail.run(jid!, minion!);
    }
    database.exec(`CREATE INDEX ret_failed ON ret (jid) WHERE failed = 1; ${STAMP}`);
  });
  if (size <= REWRITTEN_BYTES) {
    try {
      database.exec("PRAGMA auto_vacuum = INCREMENTAL; VACUUM");
    } catch (error) {
      // Another process reads it, or there is no room for a second copy: later jobs then use the freed pages.
      if (!/locked|busy|full/i.test(messageOf(error))) throw fileFailure(path, error);
    }
  }
}
