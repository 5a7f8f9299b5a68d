import { codeOf, ConfigError, messageOf } from "../../base/errors.ts";
import { EventsRefused, type ReturnerContext, type ReturnerModule } from "../../model/loader/family.ts";
import { truthy } from "../../language/python/values.ts";
import { loadDriver } from "../driver.ts";
import { Connections } from "./connections.ts";
import { fromJson, toJson } from "./json.ts";
import { numberOption, returnerOptions, verdict } from "./options.ts";

/** The part of npm's `postgres` that is used here. */
interface Query extends PromiseLike<Record<string, unknown>[]> {
  cursor(rows: number): AsyncIterable<Record<string, unknown>[]>;
}
interface Sql {
  unsafe(query: string, values?: unknown[]): Query;
  end(options?: { timeout?: number }): Promise<void>;
}
type Driver = { default(options: Record<string, unknown>): Sql };

/** The type of columns that hold JSON: `text` in the tables of Salt's `postgres`, `jsonb` in those of `pgjsonb`. */
type JsonColumn = "text" | "jsonb";

/** Salt's tables, as the documentation of its returners has them, made only where they are missing. */
const tablesOf = (json: JsonColumn) =>
  `CREATE TABLE IF NOT EXISTS jids (
  jid varchar(20) PRIMARY KEY,
  load ${json} NOT NULL
);
CREATE TABLE IF NOT EXISTS salt_returns (
  fun varchar(50) NOT NULL,
  jid varchar(255) NOT NULL,
  return ${json} NOT NULL,
  full_ret ${json},
  id varchar(255) NOT NULL,
  success varchar(10) NOT NULL,
  alter_time TIMESTAMP WITH TIME ZONE DEFAULT now()
);
CREATE INDEX IF NOT EXISTS idx_salt_returns_id ON salt_returns (id);
CREATE INDEX IF NOT EXISTS idx_salt_returns_jid ON salt_returns (jid);
CREATE INDEX IF NOT EXISTS idx_salt_returns_fun ON salt_returns (fun);
CREATE INDEX IF NOT EXISTS idx_salt_returns_updated ON salt_returns (alter_time);
CREATE SEQUENCE IF NOT EXISTS seq_salt_events_id;
CREATE TABLE IF NOT EXISTS salt_events (
  id BIGINT NOT NULL UNIQUE DEFAULT nextval('seq_salt_events_id'),
  tag varchar(255) NOT NULL,
  data ${json} NOT NULL,
  alter_time TIMESTAMP WITH TIME ZONE DEFAULT now(),
  master_id varchar(255) NOT NULL
);
CREATE INDEX IF NOT EXISTS idx_salt_events_tag ON salt_events (tag);`;

export const TABLES = tablesOf("text");

/** Held while tables are made: PostgreSQL fails if two minions make the same table at once. */
const LOCK = 1112689230;
const UNDEFINED_TABLE = "42P01";
/** Seconds. */
const IDLE = 30;
const CONNECT = 10;
/** Rows of one page of a long list. */
const PAGE = 500;
const LONGEST_FUN = 50;
const LONGEST_TAG = 255;
/** A zero as JSON writes it, and not a backslash before the letters of one. */
const ZERO = /((?<!\\)(?:\\\\)*)\\u0000/g;
/** How many of the latest rows are looked at for events that may be there already. */
const LATEST = 100_000;

/** A returner of these tables: where its options stand, and how its columns differ. */
interface Kind {
  prefix: string;
  password: "passwd" | "pass";
  json: JsonColumn;
}
const POSTGRES: Kind = { prefix: "returner.postgres", password: "passwd", json: "text" };
export const PGJSONB: Kind = { prefix: "returner.pgjsonb", password: "pass", json: "jsonb" };

interface Place {
  host: string;
  port: number;
  database: string;
  user: string;
  password: string;
  create: boolean;
}

function placeOf(context: ReturnerContext, { prefix, password }: Kind): Place {
  const options = returnerOptions(context, prefix, {
    host: "localhost" as unknown,
    user: "salt" as unknown,
    [password]: "salt" as unknown,
    db: "salt" as unknown,
    port: 5432 as unknown,
    create_tables: false as unknown,
  });
  return {
    host: String(options.host),
    port: numberOption(`${prefix}.port`, options.port),
    database: String(options.db),
    user: String(options.user),
    password: String(options[password]),
    create: truthy(options.create_tables),
  };
}

function explained(error: unknown, { host, port, database, user }: Place, { prefix, json }: Kind): Error {
  const where = `database "${database}" at ${host}:${port}`;
  if (codeOf(error) === UNDEFINED_TABLE) {
    const [, table = "?"] = /"([^"]+)"/.exec(messageOf(error)) ?? [];
    return new Error(
      `Cannot use ${where}: it has no table ${table}. Set ${prefix}.create_tables: True, or make Salt's ` +
        `tables as user "${user}":\n${tablesOf(json)}`,
      { cause: error },
    );
  }
  return new Error(`Cannot use ${where} as user "${user}": ${messageOf(error)}`, { cause: error });
}

async function connect(load: () => Promise<unknown>, place: Place, json: JsonColumn): Promise<Sql> {
  const { host, port, database, user, password, create } = place;
  const { default: postgres } = await load() as Driver;
  const sql = postgres({
    host,
    port,
    database,
    user,
    password,
    max: 2,
    idle_timeout: IDLE,
    connect_timeout: CONNECT,
    // Only texts go in and out, which need no types.
    fetch_types: false,
    // Notices say that a table exists already.
    onnotice: () => {},
    connection: { application_name: "salt" },
  });
  if (create) await sql.unsafe(`SELECT pg_advisory_xact_lock(${LOCK});\n${tablesOf(json)}`);
  return sql;
}

/**
 * Writes returns as rows of Salt's own tables `jids` and `salt_returns`, which Salt's tools read. Options:
 * `returner.postgres.host`, `.port`, `.user`, `.passwd`, `.db`; `.create_tables` makes the tables if they are missing.
 *
 * @see salt/returners/postgres.py
 */
export function postgresReturner(
  load: () => Promise<unknown> = () => loadDriver("postgres", "the returner postgres"),
  kind: Kind = POSTGRES,
): Required<
  Pick<ReturnerModule, "returner" | "saveLoad" | "getLoad" | "getJid" | "getJids" | "eventReturn" | "close">
> {
  /** A parameter with JSON: as text, which the driver would else write as JSON once more. */
  const json = (n: number) => `$${n}::text::${kind.json}`;
  const connections = new Connections<Place, Sql>({
    connect: (place) => connect(load, place, kind.json),
    // The client reconnects by itself.
    isOpen: () => true,
    close: (sql) => sql.end({ timeout: 5 }),
  });

  async function query<T>(context: ReturnerContext, use: (sql: Sql) => PromiseLike<T>): Promise<T> {
    const place = placeOf(context, kind);
    try {
      return await connections.use(context, place, use);
    } catch (error) {
      throw error instanceof ConfigError ? error : explained(error, place, kind);
    }
  }

  return {
    async returner(context, ret) {
      const { fun, jid, id, success } = ret;
      const name = [fun].flat().map(String).join(",").slice(0, LONGEST_FUN);
      const values = [name, String(jid), toJson(ret.return), String(id), String(verdict(success)), toJson(ret)];
      await query(context, (sql) =>
        sql.unsafe(
          `INSERT INTO salt_returns (fun, jid, return, id, success, full_ret) VALUES ($1, $2, ${json(3)}, $4, $5, ${
            json(6)
          })`,
          values,
        ));
    },
    async saveLoad(context, jid, load, minions) {
      // Salt's own returner does not save the minions, but reads them under this name.
      const text = toJson({ ...load, Minions: minions });
      await query(
        context,
        (sql) => sql.unsafe(`INSERT INTO jids (jid, load) VALUES ($1, ${json(2)}) ON CONFLICT DO NOTHING`, [jid, text]),
      );
    },
    async getLoad(context, jid) {
      const [row] = await query(context, (sql) => sql.unsafe("SELECT load::text FROM jids WHERE jid = $1", [jid]));
      return row === undefined ? undefined : fromJson(String(row.load)) as Record<string, unknown>;
    },
    async getJid(context, jid) {
      const rows = await query(
        context,
        (sql) =>
          sql.unsafe("SELECT id, full_ret::text FROM salt_returns WHERE jid = $1 ORDER BY alter_time DESC", [jid]),
      );
      // Newest first, so that the first return of a minion is the one that remains.
      return Object.fromEntries(rows.map(({ id, full_ret }) => [String(id), fromJson(String(full_ret))])) as Record<
        string,
        { return: unknown }
      >;
    },
    async *getJids(context) {
      const place = placeOf(context, kind);
      const sql = await query(context, (sql) => Promise.resolve(sql));
      try {
        const rows = sql.unsafe('SELECT jid, load::text FROM jids ORDER BY jid COLLATE "C" DESC').cursor(PAGE);
        for await (const page of rows) {
          for (const { jid, load } of page) yield [String(jid), fromJson(String(load)) as Record<string, unknown>];
        }
      } catch (error) {
        throw explained(error, place, kind);
      }
    },
    async eventReturn(context, { events, again }) {
      const id = String(context.opts.id ?? "");
      const rows = events.map(({ tag, data }) => {
        const text = toJson(data);
        // What PostgreSQL has no place for: no text may hold a zero, and no tag be longer than its column.
        const known = kind.json === "jsonb" ? text.replace(ZERO, "$1\\ufffd") : text;
        return [tag.replaceAll("\0", "\ufffd").slice(0, LONGEST_TAG), known];
      });
      const batch = "FROM json_array_elements($1::text::json) WITH ORDINALITY AS batch(event, n)";
      const [tag, data] = ["batch.event->>0", `(batch.event->>1)::${kind.json}`];
      try {
        await query(context, async (sql) => {
          const text = JSON.stringify(rows);
          if (again) {
            // All of them were stored at once, or none was.
            const [found] = await sql.unsafe(
              `SELECT count(*)::text AS missing ${batch} WHERE NOT EXISTS (SELECT 1 FROM salt_events AS old WHERE ` +
                `old.id > (SELECT max(id) - ${LATEST} FROM salt_events) AND old.master_id = $2 AND old.tag = ${tag} ` +
                `AND old.data = ${data})`,
              [text, id],
            );
            if (found?.missing === "0") return;
          }
          await sql.unsafe(
            `INSERT INTO salt_events (tag, data, master_id) SELECT ${tag}, ${data}, $2 ${batch} ORDER BY batch.n`,
            [text, id],
          );
        });
      } catch (error) {
        const { cause } = error as { cause?: unknown };
        // 22: the data, 23: a constraint of the table.
        if (!/^2[23]/.test(codeOf(cause) ?? "")) throw error;
        throw new EventsRefused(messageOf(error), { cause });
      }
    },
    close: () => connections.close(),
  };
}

export const returner: ReturnerModule = postgresReturner();
