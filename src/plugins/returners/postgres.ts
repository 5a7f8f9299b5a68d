import { codeOf, ConfigError, messageOf } from "../../errors.ts";
import type { ReturnerContext, ReturnerModule } from "../../loader/family.ts";
import { isMap, truthy } from "../../python/mod.ts";
import { loadDriver } from "../driver.ts";
import { Connections } from "./connections.ts";
import { fromJson, toJson } from "./json.ts";
import { numberOption, returnerOptions } from "./options.ts";

/** The part of npm's `postgres` that is used here. */
interface Query extends PromiseLike<Record<string, unknown>[]> {
  cursor(rows: number): AsyncIterable<Record<string, unknown>[]>;
}
interface Sql {
  unsafe(query: string, values?: unknown[]): Query;
  end(options?: { timeout?: number }): Promise<void>;
}
type Driver = { default(options: Record<string, unknown>): Sql };

/** Salt's tables, as the documentation of its returner has them, made only where they are missing. */
export const TABLES = `CREATE TABLE IF NOT EXISTS jids (
  jid varchar(20) PRIMARY KEY,
  load text NOT NULL
);
CREATE TABLE IF NOT EXISTS salt_returns (
  fun varchar(50) NOT NULL,
  jid varchar(255) NOT NULL,
  return text NOT NULL,
  full_ret text,
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
  data text NOT NULL,
  alter_time TIMESTAMP WITH TIME ZONE DEFAULT now(),
  master_id varchar(255) NOT NULL
);
CREATE INDEX IF NOT EXISTS idx_salt_events_tag ON salt_events (tag);`;

/** Held while tables are made: PostgreSQL fails if two minions make the same table at once. */
const LOCK = 1112689230;
const UNDEFINED_TABLE = "42P01";
/** Seconds. */
const IDLE = 30;
const CONNECT = 10;
/** Rows of one page of a long list. */
const PAGE = 500;
const LONGEST_FUN = 50;

interface Place {
  host: string;
  port: number;
  database: string;
  user: string;
  password: string;
  create: boolean;
}

function placeOf(context: ReturnerContext): Place {
  const options = returnerOptions(context, "returner.postgres", {
    host: "localhost" as unknown,
    user: "salt" as unknown,
    passwd: "salt" as unknown,
    db: "salt" as unknown,
    port: 5432 as unknown,
    create_tables: false as unknown,
  });
  return {
    host: String(options.host),
    port: numberOption("returner.postgres.port", options.port),
    database: String(options.db),
    user: String(options.user),
    password: String(options.passwd),
    create: truthy(options.create_tables),
  };
}

/** An error with the place and what to do. */
function explained(error: unknown, { host, port, database, user }: Place): Error {
  const where = `database "${database}" at ${host}:${port}`;
  if (codeOf(error) === UNDEFINED_TABLE) {
    const [, table = "?"] = /"([^"]+)"/.exec(messageOf(error)) ?? [];
    return new Error(
      `Cannot use ${where}: it has no table ${table}. Set returner.postgres.create_tables: True, or make Salt's ` +
        `tables as user "${user}":\n${TABLES}`,
      { cause: error },
    );
  }
  return new Error(`Cannot use ${where} as user "${user}": ${messageOf(error)}`, { cause: error });
}

/** `success` as the text of Salt's column. */
function verdict(success: unknown): string {
  if (isMap(success)) return String(Object.values(success).every(truthy));
  return String(Array.isArray(success) ? success.every(truthy) : truthy(success ?? false));
}

async function connect(load: () => Promise<unknown>, place: Place): Promise<Sql> {
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
  if (create) await sql.unsafe(`SELECT pg_advisory_xact_lock(${LOCK});\n${TABLES}`);
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
): Required<
  Pick<ReturnerModule, "returner" | "saveLoad" | "getLoad" | "getJid" | "getJids" | "close">
> {
  const connections = new Connections<Place, Sql>({
    connect: (place) => connect(load, place),
    // The client reconnects by itself.
    isOpen: () => true,
    close: (sql) => sql.end({ timeout: 5 }),
  });

  async function query<T>(context: ReturnerContext, use: (sql: Sql) => PromiseLike<T>): Promise<T> {
    const place = placeOf(context);
    try {
      return await connections.use(context, place, use);
    } catch (error) {
      throw error instanceof ConfigError ? error : explained(error, place);
    }
  }

  return {
    async returner(context, ret) {
      const { fun, jid, id, success } = ret;
      const name = [fun].flat().map(String).join(",").slice(0, LONGEST_FUN);
      const values = [name, String(jid), toJson(ret.return), String(id), verdict(success), toJson(ret)];
      await query(context, (sql) =>
        sql.unsafe(
          "INSERT INTO salt_returns (fun, jid, return, id, success, full_ret) VALUES ($1, $2, $3, $4, $5, $6)",
          values,
        ));
    },
    async saveLoad(context, jid, load, minions) {
      // Salt's own returner does not save the minions, but reads them under this name.
      const text = toJson({ ...load, Minions: minions });
      await query(
        context,
        (sql) => sql.unsafe("INSERT INTO jids (jid, load) VALUES ($1, $2) ON CONFLICT DO NOTHING", [jid, text]),
      );
    },
    async getLoad(context, jid) {
      const [row] = await query(context, (sql) => sql.unsafe("SELECT load FROM jids WHERE jid = $1", [jid]));
      return row === undefined ? undefined : fromJson(String(row.load)) as Record<string, unknown>;
    },
    async getJid(context, jid) {
      const rows = await query(
        context,
        (sql) => sql.unsafe("SELECT id, full_ret FROM salt_returns WHERE jid = $1 ORDER BY alter_time DESC", [jid]),
      );
      // Newest first, so that the first return of a minion is the one that remains.
      return Object.fromEntries(rows.map(({ id, full_ret }) => [String(id), fromJson(String(full_ret))])) as Record<
        string,
        { return: unknown }
      >;
    },
    async *getJids(context) {
      const place = placeOf(context);
      const sql = await query(context, (sql) => Promise.resolve(sql));
      try {
        const rows = sql.unsafe('SELECT jid, load FROM jids ORDER BY jid COLLATE "C" DESC').cursor(PAGE);
        for await (const page of rows) {
          for (const { jid, load } of page) yield [String(jid), fromJson(String(load)) as Record<string, unknown>];
        }
      } catch (error) {
        throw explained(error, place);
      }
    },
    close: () => connections.close(),
  };
}

export const returner: ReturnerModule = postgresReturner();
