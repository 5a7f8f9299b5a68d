import type { AuditStore, Records, StoredRecord } from "../../../feature/cluster/storage.ts";
import { checkPuts, MAX_NAME_CHARACTERS, MAX_VALUE_BYTES } from "../../../feature/cluster/storage.ts";
import type { PostgresRow, Value } from "../../job_caches/postgres/queries.ts";
import { PAGE_BYTES } from "../memory.ts";
import type { LedgerServer } from "./server.ts";

const NOW = "(extract(epoch FROM clock_timestamp()) * 1000)::float8";

/**
 * All in one statement, so that a master that is stopped in the middle holds nothing up. The row of the feed is locked first and
 * until the end: versions become visible in their order, and a reader misses none. (Numbers of a sequence would not.)
 */
const PUT = `WITH input AS MATERIALIZED (
  SELECT * FROM json_to_recordset($2::text::json) AS i(n int, name text, value text, expected bigint)
), feed AS (
  INSERT INTO brine_feed AS f (kind, version) SELECT $1, count(*) FROM input
  ON CONFLICT (kind) DO UPDATE SET version = f.version + excluded.version RETURNING version
)
INSERT INTO brine_record AS r (kind, name, version, based_on, value, by, changed)
SELECT $1, i.name, feed.version - (SELECT count(*) FROM input) + i.n, i.expected, decode(i.value, 'hex'), $3, ${NOW}
FROM feed, input i WHERE i.expected <= 0 OR
  EXISTS (SELECT 1 FROM brine_record there WHERE there.kind = $1 AND there.name = i.name) ORDER BY i.n
ON CONFLICT (kind, name) DO UPDATE SET version = excluded.version, based_on = excluded.based_on, value = excluded.value,
  by = excluded.by, changed = excluded.changed
  WHERE excluded.based_on < 0 OR r.version = excluded.based_on OR (excluded.based_on = 0 AND r.value IS NULL)
RETURNING name, version`;
/** What no master has written may be of any size: it comes as no value and a short name, and is refused for that. */
const COLUMNS =
  `name, version, CASE WHEN octet_length(value) > ${MAX_VALUE_BYTES} THEN ''::bytea ELSE value END AS value, left(by, ${MAX_NAME_CHARACTERS}) AS by`;
const GET = `SELECT ${COLUMNS} FROM brine_record WHERE kind = $1 AND name = $2`;
const CHANGES = `SELECT latest, forgotten, among, name, version, value, by FROM (
  SELECT version AS latest, forgotten FROM brine_feed WHERE kind = $1
) feed LEFT JOIN LATERAL (
  SELECT *, count(*) OVER () AS among, row_number() OVER (ORDER BY version) AS nth,
    sum(coalesce(octet_length(value), 0)) OVER (ORDER BY version) AS total
  FROM (SELECT ${COLUMNS} FROM brine_record WHERE kind = $1 AND version > $2::bigint ORDER BY version
    LIMIT $3::int + 1) first
) page ON nth <= $3::int AND (nth = 1 OR total <= $4::float8) ORDER BY version`;
/**
 * Rows that one statement removes: it ends within its time however much there is, and holds neither leases nor other masters up.
 */
const SLICE = 1000;
const RAISE = "INSERT INTO brine_feed AS f (kind, version, forgotten) VALUES ($1, $2::bigint, $2::bigint) " +
  "ON CONFLICT (kind) DO UPDATE SET version = excluded.version, forgotten = excluded.forgotten WHERE f.version < excluded.version";
const FORGET = `WITH own AS (SELECT kind FROM brine_feed WHERE kind = $1 FOR UPDATE), gone AS (
  DELETE FROM brine_record r USING own WHERE r.kind = own.kind AND r.name IN (SELECT name FROM brine_record
    WHERE kind = $1 AND value IS NULL AND changed < $2::float8 ORDER BY version LIMIT ${SLICE}) RETURNING version
)
UPDATE brine_feed SET forgotten = greatest(forgotten, (SELECT coalesce(max(version), 0) FROM gone)) WHERE kind = $1
RETURNING (SELECT count(*) FROM gone) AS forgotten_now`;

/** @param remove removes a slice, and says how many rows that were */
async function inSlices(remove: () => Promise<number>): Promise<number> {
  for (let sum = 0;;) {
    const gone = await remove();
    sum += gone;
    if (gone < SLICE) return sum;
  }
}

const bytesOf = (column: unknown): Uint8Array | undefined =>
  column === null ? undefined : new Uint8Array(column as Uint8Array);

const recordOf = ({ name, version, value, by }: PostgresRow): StoredRecord => ({
  name: String(name),
  version: Number(version),
  value: bytesOf(value),
  by: String(by),
});

export function postgresRecords(server: LedgerServer): Records {
  return {
    async put(kind, by, puts) {
      checkPuts(kind, puts);
      if (puts.length === 0) return [];
      const input = puts.map(({ name, value, ifVersion }, at) => ({
        n: at + 1,
        name,
        ...(value === undefined ? {} : { value: server.hex(value) }),
        expected: ifVersion ?? -1,
      }));
      const done = await server.run(PUT, kind, JSON.stringify(input), by);
      const versions = new Map(done.map(({ name, version }) => [String(name), Number(version)]));
      return puts.map(({ name }) => versions.get(name));
    },
    async get(kind, name) {
      const [row] = await server.run(GET, kind, name);
      return row && recordOf(row);
    },
    async changes(kind, after, limit, bytes = PAGE_BYTES) {
      const rows = await server.run(CHANGES, kind, after, limit, bytes);
      const [first] = rows;
      if (first === undefined) return { records: [], upTo: after, more: false, gap: after !== 0 };
      const records = first.name === null ? [] : rows.map(recordOf);
      const more = records.length < Number(first.among ?? 0);
      return {
        records,
        upTo: more ? records.at(-1)!.version : Math.max(after, Number(first.latest)),
        more,
        gap: after !== 0 && (after < Number(first.forgotten) || after > Number(first.latest)),
      };
    },
    latest: async (kind) =>
      Number((await server.run("SELECT version FROM brine_feed WHERE kind = $1", kind))[0]?.version ?? 0),
    raise: async (kind, above) => void await server.run(RAISE, kind, above),
    forget: (kind, beforeMs) =>
      inSlices(async () => Number((await server.run(FORGET, kind, beforeMs))[0]?.forgotten_now ?? 0)),
  };
}

const APPEND = "INSERT INTO brine_audit (by, n, at, line) SELECT $1, l.n, l.at, decode(l.line, 'hex') " +
  "FROM json_to_recordset($2::text::json) AS l(n bigint, at float8, line text) ON CONFLICT DO NOTHING";
/** As far as the lines before have so many bytes. */
const READ = (conditions: string, limit: string) =>
  `SELECT by, n, at, line FROM (SELECT *, sum(octet_length(line)) OVER newest AS total, row_number() OVER newest AS nth FROM (
  SELECT by, n, at, line FROM brine_audit WHERE ${conditions} ORDER BY at DESC, by DESC, n DESC LIMIT ${limit}::int
) found WINDOW newest AS (ORDER BY at DESC, by DESC, n DESC)) page WHERE nth = 1 OR total <= ${PAGE_BYTES} ORDER BY nth`;

const EXPIRE = "DELETE FROM brine_audit WHERE (by, n) IN (SELECT by, n FROM brine_audit WHERE at < $1::float8 " +
  `ORDER BY at, by, n LIMIT ${SLICE}) RETURNING 1`;

export function postgresAudit(server: LedgerServer): AuditStore {
  return {
    async append(by, lines) {
      if (lines.length === 0) return;
      const input = lines.map(({ n, atMs, line }) => ({ n, at: atMs, line: server.hex(line) }));
      await server.run(APPEND, by, JSON.stringify(input));
    },
    last: async (by) => Number((await server.run("SELECT max(n) AS n FROM brine_audit WHERE by = $1", by))[0]?.n ?? 0),
    async read({ by, sinceMs, untilMs, before, limit }) {
      const values: Value[] = [];
      const conditions = ["true"];
      const given = (value: Value) => `$${values.push(value)}`;
      if (by !== undefined) conditions.push(`by = ${given(by)}`);
      if (sinceMs !== undefined) conditions.push(`at >= ${given(sinceMs)}::float8`);
      if (untilMs !== undefined) conditions.push(`at <= ${given(untilMs)}::float8`);
      if (before !== undefined) {
        const last = [`${given(before.atMs)}::float8`, `${given(before.by)}::text`, `${given(before.n)}::bigint`];
        conditions.push(`(at, by, n) < (${last.join(", ")})`);
      }
      const rows = await server.run(READ(conditions.join(" AND "), given(limit)), ...values);
      return rows.map((row) => ({
        by: String(row.by),
        n: Number(row.n),
        atMs: Number(row.at),
        line: bytesOf(row.line)!,
      }));
    },
    expire: (beforeMs) => inSlices(async () => (await server.run(EXPIRE, beforeMs)).length),
  };
}
