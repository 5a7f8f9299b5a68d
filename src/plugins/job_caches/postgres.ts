import { ConfigError, messageOf, type SaltError } from "../../errors.ts";
import {
  type JobCache,
  type JobListEntry,
  type JobLoad,
  mergeOutcomes,
  type StoredReturn,
  summaryOf,
} from "../../job/job_cache.ts";
import { type OutcomeState, succeeded, type TargetOutcome } from "../../job/outcome.ts";
import { decode, encode, Packed } from "../../wire/msgpack.ts";
import { entryOf, entryText } from "./entry_text.ts";
import { storedWordsOf } from "./search.ts";
import { searchJobs, type SearchStore, type Source } from "./search_store.ts";
import { type Remedy, serverFailure, WriteBuffer } from "./write_buffer.ts";

export interface PostgresOptions {
  host: string;
  port: number;
  user: string;
  password?: string;
  database: string;
  now(): number;
}

type Value = string | number | boolean | null | Uint8Array;
type Row = Record<string, unknown>;
interface Queries {
  unsafe(sql: string, values?: Value[], options?: { prepare?: boolean }): PromiseLike<Row[] & { count: number }>;
}
/** The part of npm's `postgres` that is used here. */
interface Client extends Queries {
  begin(work: (queries: Queries) => unknown): Promise<unknown>;
  end(options: { timeout: number }): Promise<void>;
}

/** In a variable, so that neither a bundler nor Deno fetches it for those who have another job cache. */
const PACKAGE = "postgres";

/** Written into the table `brine_meta`; a newer form is refused rather than misread. */
const SCHEMA_VERSION = 1;

/** Jids and minions are compared by bytes, as everywhere else here. */
const SCHEMA = `
CREATE TABLE brine_job (
  jid text COLLATE "C" PRIMARY KEY,
  created double precision NOT NULL,
  open boolean NOT NULL DEFAULT false,
  entry text,
  load bytea
);
CREATE INDEX brine_job_created ON brine_job (created, jid);
CREATE INDEX brine_job_open ON brine_job (jid) WHERE open;
CREATE TABLE brine_target (
  jid text COLLATE "C" NOT NULL,
  source text COLLATE "C" NOT NULL,
  minions bytea NOT NULL,
  PRIMARY KEY (jid, source)
);
CREATE TABLE brine_word (
  jid text COLLATE "C" NOT NULL,
  kind text COLLATE "C" NOT NULL,
  word text COLLATE "C" NOT NULL
);
CREATE INDEX brine_word_of ON brine_word (jid);
CREATE INDEX brine_word_jid ON brine_word (kind, left(word, 500), jid);
CREATE TABLE brine_ret (
  jid text COLLATE "C" NOT NULL,
  minion text COLLATE "C" NOT NULL,
  stored double precision NOT NULL,
  value bytea NOT NULL,
  retcode bytea,
  success bytea,
  out text,
  failed boolean NOT NULL,
  PRIMARY KEY (jid, minion)
);
CREATE INDEX brine_ret_failed ON brine_ret (jid) WHERE failed;
CREATE TABLE brine_outcome (
  jid text COLLATE "C" NOT NULL,
  minion text COLLATE "C" NOT NULL,
  state text NOT NULL,
  outcome bytea NOT NULL,
  PRIMARY KEY (jid, minion)
);
CREATE INDEX brine_outcome_state ON brine_outcome (state, jid);
`;
const TABLES = ["ret", "outcome", "word", "target", "job"];

const REMEDIES: readonly Remedy[] = [
  [/28P01|28000|password|authentication/i, "EACCES", "check returner.postgres.user and returner.postgres.passwd"],
  [/3D000/, "ENOENT", "create the database that returner.postgres.db names"],
  [/42501|permission denied/i, "EACCES", "the user must own its tables or be allowed to create them"],
  [/53100|No space left/i, "ENOSPC", "free space on the server's disk"],
  [/53300|too many/i, "EAGAIN", "raise the server's max_connections"],
  [/25006|read-only/i, "EROFS", "the server takes no writes: name the primary in returner.postgres.host"],
  [
    /ECONN|CONNECTION|CONNECT_TIMEOUT|ENOTFOUND|EHOSTUNREACH|EAI_AGAIN|57P0|EPIPE/i,
    "ECONNREFUSED",
    "see that the server runs and can be reached: returner.postgres.host and returner.postgres.port; the master goes " +
    "on using it as soon as it is back",
  ],
];

/** Jobs that are removed in one transaction. */
const SLICE = 100;
/** Jobs that are known to have a load. */
const RECENT = 1000;

/** PostgreSQL has no text with a NUL. */
const text = (value: string) => value.replaceAll("\0", "\ufffd");
const packed = (value: unknown) => value === undefined ? null : encode(value, "bin");
const unpack = (bytes: unknown) => bytes === null ? undefined : decode(bytes as Uint8Array, { mode: "bin" });

/** What the index holds of a word, which may be longer. */
const indexed = (word: string) => Array.from(text(word)).slice(0, 500).join("");

async function load(): Promise<(options: Record<string, unknown>) => Client> {
  try {
    return (await import(PACKAGE)).default;
  } catch (cause) {
    throw new ConfigError(
      `Cannot load "${PACKAGE}" (npm install postgres), which master_job_cache: postgres needs: ${messageOf(cause)}`,
      { cause },
    );
  }
}

/** The rows that hold the jids of a source. */
function rowsOf(source: Source): [from: string, ...values: string[]] {
  switch (source.kind) {
    case "listed":
      return ["brine_job WHERE entry IS NOT NULL"];
    case "open":
      return ["brine_job WHERE open"];
    case "failed":
      return ["brine_ret WHERE failed"];
    case "word":
      return ["brine_word WHERE kind = $3 AND left(word, 500) = $4", source.of, indexed(source.word)];
    case "state":
      return ["brine_outcome WHERE state = $3", source.state];
  }
}

/**
 * The master's job cache in a PostgreSQL server, in tables that begin with `brine_`. What is saved waits for
 * {@link JobCache.flush}, which sends it in one transaction.
 *
 * @throws {SystemError} naming the server if it cannot be used
 * @throws {ConfigError} if the package `postgres` is not installed
 */
export async function openPostgresJobCache(options: PostgresOptions): Promise<JobCache> {
  const { host, port, user, password, database, now } = options;
  const place = `postgres://${user}@${host}:${port}/${database}`;
  const client = (await load())({
    host,
    port,
    username: user,
    password: password ?? "",
    database,
    // One, on which everything is in order.
    max: 1,
    connect_timeout: 10,
    // A server that is back is wanted at once.
    backoff: () => 0.1,
    fetch_types: false,
    onnotice: () => {},
    connection: { application_name: "brine" },
  });
  const failure = (error: unknown): SaltError => serverFailure(place, error, REMEDIES);
  const run = async (sql: string, ...values: Value[]) => {
    try {
      return await client.unsafe(sql, values, { prepare: true });
    } catch (error) {
      throw failure(error);
    }
  };
  try {
    await prepareSchema(client, place);
  } catch (error) {
    await client.end({ timeout: 0 });
    throw failure(error);
  }

  /** Reserved here, and without a load so far: whether there is one need not be asked. */
  const fresh = new Set<string>();
  /** Jobs of late that have a load. */
  const recent = new Set<string>();
  const writes = new WriteBuffer<[sql: string, ...values: Value[]]>(
    async (batch) => {
      try {
        // All on their way at once; the first that fails undoes the others.
        await client.begin((queries) =>
          Promise.all(batch.map(([sql, ...values]) => queries.unsafe(sql, values, { prepare: true })))
        );
      } catch (error) {
        throw failure(error);
      }
    },
    () => {
      recent.clear();
      fresh.clear();
    },
  );
  const read = async (sql: string, ...values: Value[]) => {
    await writes.settle();
    return await run(sql, ...values);
  };

  const addJob = (jid: string) =>
    writes.push(["INSERT INTO brine_job (jid, created) VALUES ($1, $2) ON CONFLICT DO NOTHING", jid, now()]);
  const addTargets = (jid: string, source: string, minions: readonly string[]) =>
    writes.push([
      "INSERT INTO brine_target (jid, source, minions) VALUES ($1, $2, $3) " +
      "ON CONFLICT (jid, source) DO UPDATE SET minions = excluded.minions",
      jid,
      source,
      encode(minions, "bin"),
    ]);
  const loadOf = async (jid: string) => {
    const [row] = await read("SELECT load FROM brine_job WHERE jid = $1 AND load IS NOT NULL", jid);
    return row === undefined ? undefined : unpack(row.load) as JobLoad;
  };
  const hasLoad = async (jid: string) =>
    recent.has(jid) || (await read("SELECT 1 FROM brine_job WHERE jid = $1 AND load IS NOT NULL", jid)).length > 0;
  const minionsOf = async (jid: string) => {
    const all = new Set<string>();
    for (const row of await read("SELECT minions FROM brine_target WHERE jid = $1", jid)) {
      for (const id of unpack(row.minions) as string[]) all.add(id);
    }
    return [...all].sort();
  };
  const outcomesOf = async (jid: string) =>
    (await read("SELECT outcome FROM brine_outcome WHERE jid = $1 ORDER BY minion", jid))
      .map((row) => unpack(row.outcome) as TargetOutcome);
  async function remove(jids: readonly string[]): Promise<void> {
    recent.clear();
    try {
      await client.begin((queries) =>
        Promise.all(TABLES.map((table) =>
          queries.unsafe(
            `DELETE FROM brine_${table} WHERE jid IN (SELECT json_array_elements_text($1::text::json))`,
            [JSON.stringify(jids)],
            { prepare: true },
          )
        ))
      );
    } catch (error) {
      throw failure(error);
    }
  }

  const store: SearchStore = {
    async bounds(fromMs, untilMs) {
      const [row] = await read(
        "SELECT min(jid) AS low, max(jid) AS high FROM brine_job WHERE created >= $1 AND created <= $2",
        fromMs,
        untilMs,
      );
      return row!.low === null ? undefined : { low: String(row!.low), high: String(row!.high) };
    },
    async jids(source, after, oldestFirst, limit) {
      const [from, ...values] = rowsOf(source);
      const beyond = oldestFirst ? "jid > $1 ORDER BY jid" : "jid < $1 ORDER BY jid DESC";
      const rows = await read(`SELECT DISTINCT jid FROM ${from} AND ${beyond} LIMIT $2::int`, after, limit, ...values);
      return rows.map(({ jid }) => String(jid));
    },
    async words(kind, prefix) {
      // From one to the next by the index, however many jobs have each.
      const rows = await read(
        `WITH RECURSIVE found (word) AS (
          (SELECT min(left(word, 500)) FROM brine_word WHERE kind = $1 AND left(word, 500) >= $2)
          UNION ALL
          SELECT (SELECT min(left(word, 500)) FROM brine_word WHERE kind = $1 AND left(word, 500) > found.word)
          FROM found WHERE starts_with(found.word, $2)
        ) SELECT word FROM found WHERE starts_with(word, $2)`,
        kind,
        indexed(prefix),
      );
      return rows.map(({ word }) => String(word));
    },
    async entries(jids, fromMs, untilMs) {
      const [row] = await read(
        "SELECT string_agg(entry, ',') AS entries FROM brine_job " +
          "WHERE jid IN (SELECT json_array_elements_text($1::text::json)) AND created >= $2 AND created <= $3",
        JSON.stringify(jids),
        fromMs,
        untilMs,
      );
      const loads = new Map<string, JobLoad>();
      const items = JSON.parse(`[${row!.entries ?? ""}]`) as unknown[];
      for (const item of items) if (typeof item === "string") loads.set(item, await loadOf(item) ?? {});
      return items.map((item): JobListEntry => entryOf(item, (jid) => loads.get(jid)));
    },
    async hasOutcome(jid, state) {
      const returns = (await read("SELECT minion, stored, failed FROM brine_ret WHERE jid = $1", jid)).map((row) => ({
        minion: String(row.minion),
        storedMs: Number(row.stored),
        retcode: row.failed === true ? 1 : 0,
        success: true,
      }));
      return mergeOutcomes(await minionsOf(jid), await outcomesOf(jid), returns, 0).some((one) => one.state === state);
    },
  };

  return {
    place,
    async reserve(jid) {
      await writes.settle();
      // Not kept back: two masters may share the server.
      const rows = await run(
        "INSERT INTO brine_job (jid, created) VALUES ($1, $2) ON CONFLICT DO NOTHING RETURNING jid",
        jid,
        now(),
      );
      if (fresh.size >= RECENT) fresh.clear();
      if (rows.length > 0) fresh.add(jid);
      return rows.length > 0;
    },
    async saveLoad(jid, load, minions) {
      if (!fresh.delete(jid) && await hasLoad(jid)) {
        addTargets(jid, "", minions);
        writes.push(["UPDATE brine_job SET open = true WHERE jid = $1", jid]);
        return;
      }
      const summary = summaryOf(load);
      writes.push([
        "INSERT INTO brine_job (jid, created, open, entry, load) VALUES ($1, $2, true, $3, $4) " +
        "ON CONFLICT (jid) DO UPDATE SET open = true, entry = coalesce(brine_job.entry, excluded.entry), " +
        "load = coalesce(brine_job.load, excluded.load)",
        jid,
        now(),
        entryText(jid, summary),
        encode(load, "bin"),
      ]);
      addTargets(jid, "", minions);
      for (const [kind, word] of storedWordsOf(summary)) {
        writes.push(["INSERT INTO brine_word (jid, kind, word) VALUES ($1, $2, $3)", jid, kind, text(word)]);
      }
      if (recent.size >= RECENT) recent.clear();
      recent.add(jid);
    },
    saveMinions(jid, minions, syndic = "") {
      addJob(jid);
      addTargets(jid, syndic, minions);
    },
    saveReturn(jid, { minion, return: value, retcode, success, out, storedMs }) {
      const isKnown = async () =>
        (await run("SELECT 1 FROM brine_ret WHERE jid = $1 AND minion = $2", jid, minion)).length > 0;
      return writes.once(`${jid} ${minion}`, isKnown, () => {
        addJob(jid);
        writes.push([
          "INSERT INTO brine_ret (jid, minion, stored, value, retcode, success, out, failed) " +
          "VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT DO NOTHING",
          jid,
          minion,
          storedMs,
          value.bytes,
          packed(retcode),
          packed(success),
          out === undefined ? null : text(out),
          !succeeded(retcode, success),
        ]);
      });
    },
    saveOutcomes(jid, outcomes) {
      addJob(jid);
      for (const outcome of outcomes) {
        writes.push([
          "INSERT INTO brine_outcome (jid, minion, state, outcome) VALUES ($1, $2, $3, $4) " +
          "ON CONFLICT (jid, minion) DO UPDATE SET state = excluded.state, outcome = excluded.outcome",
          jid,
          outcome.minion,
          outcome.state,
          encode(outcome, "bin"),
        ]);
      }
    },
    settle: (jid) => writes.push(["UPDATE brine_job SET open = false WHERE jid = $1 AND open", jid]),
    load: loadOf,
    hasLoad,
    hasReturn: async (jid, minion) =>
      (await read("SELECT 1 FROM brine_ret WHERE jid = $1 AND minion = $2", jid, minion)).length > 0,
    minions: minionsOf,
    returns: async (jid) =>
      (await read("SELECT * FROM brine_ret WHERE jid = $1 ORDER BY minion", jid)).map((row): StoredReturn => ({
        minion: String(row.minion),
        return: new Packed(row.value as Uint8Array),
        retcode: unpack(row.retcode),
        success: unpack(row.success),
        ...(row.out === null ? {} : { out: String(row.out) }),
        storedMs: Number(row.stored),
      })),
    outcomes: outcomesOf,
    unsettled: async () =>
      (await read("SELECT jid FROM brine_job WHERE open ORDER BY jid")).map(({ jid }) => String(jid)),
    inState: async (state: OutcomeState) =>
      (await read("SELECT jid, outcome FROM brine_outcome WHERE state = $1 ORDER BY jid, minion", state))
        .map((row) => ({ jid: String(row.jid), outcome: unpack(row.outcome) as TargetOutcome })),
    list: (search = {}) => searchJobs(store, search),
    async expire(beforeMs) {
      let gone = 0;
      for (;;) {
        const rows = await read(
          `SELECT jid FROM brine_job WHERE created < $1 AND NOT open ORDER BY created LIMIT ${SLICE}`,
          beforeMs,
        );
        if (rows.length === 0) return gone;
        await remove(rows.map(({ jid }) => String(jid)));
        gone += rows.length;
      }
    },
    async shrink(bytes) {
      const [row] = await read(
        "SELECT coalesce((SELECT sum(octet_length(value)) FROM brine_ret), 0)::float8 + " +
          "coalesce((SELECT sum(octet_length(load)) FROM brine_job), 0)::float8 AS held",
      );
      let excess = Number(row!.held) - bytes;
      let gone = 0;
      while (excess > 0) {
        const rows = await read(
          "SELECT jid, coalesce(octet_length(load), 0)::float8 + " +
            "coalesce((SELECT sum(octet_length(value)) FROM brine_ret r WHERE r.jid = j.jid), 0)::float8 AS size " +
            `FROM brine_job j WHERE NOT open ORDER BY jid LIMIT ${SLICE}`,
        );
        const jids: string[] = [];
        for (const { jid, size } of rows) {
          if (excess <= 0) break;
          jids.push(String(jid));
          excess -= Number(size);
        }
        if (jids.length === 0) break;
        await remove(jids);
        gone += jids.length;
      }
      return gone;
    },
    flush: () => writes.flush(),
    async close() {
      try {
        await writes.flush();
      } finally {
        await client.end({ timeout: 5 });
      }
    },
  };
}

async function prepareSchema(client: Client, place: string): Promise<void> {
  await client.begin(async (queries) => {
    // Of several that start at once, one makes the tables.
    await queries.unsafe("SELECT pg_advisory_xact_lock(1114794606)");
    await queries.unsafe("CREATE TABLE IF NOT EXISTS brine_meta (name text PRIMARY KEY, value text NOT NULL)");
    const [row] = await queries.unsafe("SELECT value FROM brine_meta WHERE name = 'version'");
    if (row === undefined) {
      await queries.unsafe(SCHEMA);
      await queries.unsafe(`INSERT INTO brine_meta (name, value) VALUES ('version', '${SCHEMA_VERSION}')`);
    } else if (Number(row.value) > SCHEMA_VERSION) {
      throw new ConfigError(
        `Cannot use the job cache at ${place}: its tables were made by a newer release (form ${row.value}, this one ` +
          `knows ${SCHEMA_VERSION}): upgrade, or name another database in returner.postgres.db`,
      );
    }
  });
}
