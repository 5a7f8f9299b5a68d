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
import type { FileSystem } from "../../runtime/fs.ts";
import { decode, encode, Packed } from "../../wire/msgpack.ts";
import { entryOf, entryText } from "./entry_text.ts";
import { anyGlob, MANY, PAGE, prefixOf, storedWordsOf, summaryFilter, WORD_KINDS } from "./search.ts";
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

/** Jids of one list, in the order of the search. */
interface Cursor {
  next: string[];
  more: boolean;
  read(after: string): string[];
}

/**
 * The master's job cache in one SQLite file. All that is saved in one turn of the loop is one transaction, closed by
 * {@link JobCache.flush}.
 *
 * @throws {SystemError} naming the file if it cannot be used
 */
export function sqliteJobCache(options: SqliteJobCacheOptions): JobCache {
  const { path, now, later } = options;
  const database = openJobFile(options);
  const begin = database.prepare("BEGIN IMMEDIATE");
  const commit = database.prepare("COMMIT");
  const insertJob = database.prepare("INSERT OR IGNORE INTO job (jid, created) VALUES (?, ?)");
  const updateEntry = database.prepare(
    "INSERT INTO job (jid, created, open, entry) VALUES (?, ?, 1, ?) " +
      "ON CONFLICT (jid) DO UPDATE SET open = 1, entry = excluded.entry",
  );
  const upsertLoad = database.prepare("INSERT OR REPLACE INTO publication (jid, load) VALUES (?, ?)");
  const upsertTarget = database.prepare("INSERT OR REPLACE INTO target (jid, source, minions) VALUES (?, ?, ?)");
  const deleteWords = database.prepare("DELETE FROM word WHERE jid = ?");
  const insertWord = database.prepare("INSERT OR IGNORE INTO word (jid, kind, word) VALUES (?, ?, ?)");
  const insertReturn = database.prepare(
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
  function flush(): void {
    const failed = lost;
    lost = undefined;
    if (failed !== undefined) throw failed;
    if (!open) return;
    try {
      commit.run();
      open = false;
    } catch (error) {
      throw giveUp(error);
    }
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
      flush();
    } catch (error) {
      // Whoever has saved in this turn must hear of it, too.
      if (!own) lost = error as SystemError;
      throw error;
    }
    database.exec(`PRAGMA incremental_vacuum(${VACUUM_PAGES})`);
  }
  const turn = () => new Promise<void>(later);
  const pragma = (name: string) => Number(Object.values(database.prepare(`PRAGMA ${name}`).get() ?? {})[0] ?? 0);
  const usedBytes = () => (pragma("page_count") - pragma("freelist_count")) * pragma("page_size");

  /** Entries of jobs by the texts that are kept of them. */
  function entriesOf(text: unknown): JobListEntry[] {
    return (JSON.parse(`[${text ?? ""}]`) as unknown[]).map((item) => entryOf(item, loadOf));
  }

  /** The jids that a time spans; undefined if there are none. */
  function bounds({ fromMs, untilMs }: JobSearch): { low: string; high: string } | undefined {
    if (fromMs === undefined && untilMs === undefined) return { low: "", high: "~" };
    const row = prepared("SELECT min(jid) AS low, max(jid) AS high FROM job WHERE created >= ? AND created <= ?")
      .get(fromMs ?? 0, untilMs ?? Number.MAX_SAFE_INTEGER);
    if (row === undefined || row.low === null) return undefined;
    return { low: String(row.low), high: String(row.high) };
  }

  /** The conditions of a list's rows: within the span, after the last row seen, of the time asked for. */
  function span(search: JobSearch, { low, high }: { low: string; high: string }) {
    const oldest = search.oldestFirst === true;
    return {
      order: oldest ? "ORDER BY jid" : "ORDER BY jid DESC",
      where: oldest ? "jid > ? AND jid <= ?" : "jid < ? AND jid >= ?",
      // Below every jid, and above: they begin with a digit.
      start: oldest ? `${low.slice(0, -1)}` : `${high}!`,
      end: oldest ? high : low,
      from: search.fromMs ?? 0,
      until: search.untilMs ?? Number.MAX_SAFE_INTEGER,
    };
  }

  /** All jobs, or those of a time. */
  function* everyJob(search: JobSearch, limits: { low: string; high: string }): Iterable<JobListEntry[]> {
    const { order, where, start, end, from, until } = span(search, limits);
    const statement = prepared(
      `SELECT group_concat(entry) AS entries, count(*) AS count FROM (SELECT entry FROM job WHERE ${where} ` +
        `AND created >= ? AND created <= ? AND entry IS NOT NULL ${order} LIMIT ?)`,
    );
    let left = search.limit ?? Infinity;
    let after = start;
    while (left > 0) {
      const wanted = Math.min(PAGE, left);
      const { entries, count } = reading(() => statement.get(after, end, from, until, wanted))!;
      if (Number(count) === 0) return;
      const page = entriesOf(entries);
      yield page;
      after = page.at(-1)!.jid;
      left -= page.length;
      if (page.length < wanted) return;
    }
  }

  /** What a search is answered from: lists of jids in order, each from an index. */
  function cursors(search: JobSearch, limits: { low: string; high: string }): Cursor[] {
    const { order, where, end } = span(search, limits);
    const cursor = (sql: string, ...values: SqlValue[]): Cursor => {
      const statement = prepared(`SELECT DISTINCT jid FROM ${sql} AND ${where} ${order} LIMIT ?`);
      const read = (after: string) => statement.all(...values, after, end, PAGE).map(({ jid }) => String(jid));
      return { next: [], more: true, read };
    };
    const kind = WORD_KINDS.find((one) => search[one] !== undefined);
    if (kind !== undefined) {
      return wordsLike(kind, search[kind]!).map((word) => cursor("word WHERE kind = ? AND word = ?", kind, word));
    }
    const saved = cursor("outcome WHERE state = ?", search.outcome!);
    switch (search.outcome) {
      case "returned":
        return [cursor("job WHERE entry IS NOT NULL")];
      case "failed":
        return [saved, cursor("ret WHERE failed = 1")];
      case "published":
        return [saved, cursor("job WHERE open = 1")];
      default:
        return [saved];
    }
  }

  /** The words of a kind that patterns fit, among those that there are. */
  function wordsLike(kind: string, patterns: readonly string[]): string[] {
    const first = prepared("SELECT min(word) AS word FROM word WHERE kind = ? AND word >= ?");
    const next = prepared("SELECT min(word) AS word FROM word WHERE kind = ? AND word > ?");
    const found = new Set<string>(kind === "target" ? [MANY] : []);
    for (const pattern of patterns) {
      const { prefix, exact } = prefixOf(pattern);
      if (exact) found.add(pattern);
      else {
        const fits = anyGlob([pattern]);
        let word = first.get(kind, prefix)?.word;
        while (typeof word === "string" && word.startsWith(prefix)) {
          if (fits(word)) found.add(word);
          word = next.get(kind, word)?.word;
        }
      }
    }
    return [...found];
  }

  const hasOutcome = (jid: string, state: OutcomeState): boolean => {
    const returns = prepared("SELECT minion, stored, failed FROM ret WHERE jid = ?").all(jid).map((row) => ({
      minion: String(row.minion),
      storedMs: Number(row.stored),
      retcode: row.failed,
      success: true,
    }));
    return mergeOutcomes(minionsOf(jid), outcomesOf(jid), returns, 0).some((one) => one.state === state);
  };

  /** Jobs that a search finds by their words or outcomes. */
  function* foundJobs(search: JobSearch, limits: { low: string; high: string }): Iterable<JobListEntry[]> {
    const { start, from, until } = span(search, limits);
    const oldest = search.oldestFirst === true;
    const lists = cursors(search, limits);
    const fits = summaryFilter(search);
    const byJids = prepared(
      "SELECT group_concat(entry) AS entries FROM job WHERE jid IN (SELECT value FROM json_each(?)) " +
        "AND created >= ? AND created <= ? AND entry IS NOT NULL",
    );
    let left = search.limit ?? Infinity;
    let after = start;
    while (left > 0) {
      const jids = reading(() => merge(lists, after, oldest));
      if (jids.length === 0) return;
      after = jids.at(-1)!;
      const page = entriesOf(reading(() => byJids.get(JSON.stringify(jids), from, until))!.entries)
        .filter(({ jid, summary }) =>
          fits(summary) && (search.outcome === undefined || reading(() => hasOutcome(jid, search.outcome!)))
        )
        .sort((a, b) => (a.jid < b.jid) === oldest ? -1 : 1)
        .slice(0, left);
      left -= page.length;
      if (page.length > 0) yield page;
    }
  }

  return {
    place: path,
    reserve: (jid) => saving(() => insertJob.run(jid, Math.floor(now())).changes > 0),
    saveLoad(jid, load, minions) {
      const summary = summaryOf(load);
      saving(() => {
        updateEntry.run(jid, Math.floor(now()), entryText(jid, summary));
        upsertLoad.run(jid, encode(load, "bin"));
        upsertTarget.run(jid, "", encode(minions, "bin"));
        deleteWords.run(jid);
        for (const [kind, word] of storedWordsOf(summary)) insertWord.run(jid, kind, word);
      });
      remember(jid, true);
    },
    saveMinions(jid, minions, syndic = "") {
      saving(() => {
        insertJob.run(jid, Math.floor(now()));
        upsertTarget.run(jid, syndic, encode(minions, "bin"));
      });
    },
    saveReturn: (jid, stored) =>
      saving(() => {
        const { minion, return: value, retcode, success, out, storedMs } = stored;
        // Of a job that nobody has told of yet, too: expiry goes by jobs.
        if (!recent.has(jid)) {
          insertJob.run(jid, Math.floor(now()));
          remember(jid, selectHasLoad.get(jid) !== undefined);
        }
        const plain = retcode === 0 && success === true;
        return insertReturn.run(
          jid,
          minion,
          storedMs,
          value.bytes,
          retcode === 0 ? ZERO : packed(retcode),
          success === true ? TRUE : packed(success),
          out ?? null,
          plain || succeeded(retcode, success) ? 0 : 1,
        ).changes > 0;
      }),
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
    *list(search: JobSearch = {}): Iterable<JobListEntry[]> {
      const limits = reading(() => bounds(search));
      if (limits === undefined) return;
      const plain = search.outcome === undefined && WORD_KINDS.every((kind) => search[kind] === undefined);
      yield* plain ? everyJob(search, limits) : foundJobs(search, limits);
    },
    async expire(beforeMs) {
      const select = prepared(
        `SELECT jid, created FROM job WHERE created >= ? AND created < ? AND open = 0 ORDER BY created LIMIT ${SLICE}`,
      );
      let gone = 0;
      let from = 0;
      for (;;) {
        const rows = reading(() => select.all(from, Math.floor(beforeMs)));
        if (rows.length === 0) return gone;
        remove(rows.map(({ jid }) => String(jid)));
        gone += rows.length;
        from = Number(rows.at(-1)!.created);
        await turn();
      }
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
        if (excess <= 0) return gone;
        const jids: string[] = [];
        for (const { jid, size } of reading(() => select.all())) {
          if (jids.length > 0 && excess <= 0) break;
          jids.push(String(jid));
          excess -= Number(size);
        }
        if (jids.length === 0) return gone;
        remove(jids);
        gone += jids.length;
        await turn();
      }
    },
    flush,
    close() {
      try {
        flush();
      } finally {
        database.close();
      }
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

/** The next jids of several ordered lists, each once. */
function merge(lists: readonly Cursor[], after: string, oldest: boolean): string[] {
  const before = (a: string, b: string) => oldest ? a < b : a > b;
  const merged: string[] = [];
  let last = after;
  while (merged.length < PAGE) {
    let first: string | undefined;
    for (const list of lists) {
      while (list.next.length > 0 && !before(last, list.next[0]!)) list.next.shift();
      if (list.next.length === 0 && list.more) {
        list.next = list.read(last);
        list.more = list.next.length === PAGE;
      }
      const head = list.next[0];
      if (head !== undefined && (first === undefined || before(head, first))) first = head;
    }
    if (first === undefined) break;
    merged.push(last = first);
  }
  return merged;
}
