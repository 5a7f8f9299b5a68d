import { messageOf } from "../../base/errors.ts";
import type { ExtPillar, PillarContext } from "../../model/loader/ext_pillar.ts";
import { isMap, lookup, str, truthy } from "../../language/python/values.ts";
import type { Runtime } from "../../runtime/runtime.ts";
import { hexLiteral, MysqlError, type MysqlPlace, mysqlSession, parseResults, placeName } from "../mysql_session.ts";
import { float, integer, MAX_ROWS, QueryFailure, type Rows, sqlPillar, withId } from "./sql.ts";

/** The readers of MySQL's types; values of the others, such as decimals and times, stay text. */
const READERS: Record<string, (text: string) => unknown> = {
  ...Object.fromEntries(["TINY", "SHORT", "INT24", "LONG", "LONGLONG", "YEAR"].map((type) => [type, integer])),
  ...Object.fromEntries(["FLOAT", "DOUBLE"].map((type) => [type, float])),
};

/** The columns of a result as the client describes them, above its table. */
export function columnsOf(described: string): { name: string; type: string }[] {
  // Below the first rule there are values, which could look like a description.
  const [head = ""] = described.split(/^\+-/m, 1);
  return Array.from(
    head.matchAll(/^Field +\d+: +`([^\n]*)`$[^]*?^Type: +(\w+)/gm),
    ([, name = "", type = ""]) => ({ name, type }),
  );
}

function placeOf({ opts }: PillarContext): MysqlPlace {
  const options = isMap(opts.mysql) ? opts.mysql : {};
  const text = (map: unknown, name: string) => {
    const value = isMap(map) ? lookup(map, name) : undefined;
    return truthy(value ?? null) ? str(value) : undefined;
  };
  const ssl = lookup(options, "ssl");
  return {
    host: text(options, "host") ?? "localhost",
    port: Number(text(options, "port") ?? 3306),
    socket: text(options, "unix_socket"),
    user: text(options, "user") ?? "salt",
    password: str(lookup(options, "pass") ?? "salt"),
    database: text(options, "db") ?? "salt",
    ssl: { ca: text(ssl, "ca"), cert: text(ssl, "cert"), key: text(ssl, "key") },
  };
}

async function ask(runtime: Runtime, place: MysqlPlace, query: string, id: string): Promise<Rows> {
  const statement = `${withId(query, hexLiteral(id)).trim().replace(/;+$/, "")}\n;`;
  // Never committed, as in Salt.
  const session = (before: string, form?: string[]) =>
    mysqlSession(runtime, place, `SET SESSION autocommit=0${before};\n${statement}`, form);
  try {
    const columns = columnsOf(await session(", sql_select_limit=0", ["--table", "--column-type-info"]));
    const rows = parseResults(await session(""))[0] ?? [];
    if (rows.length > MAX_ROWS) throw new Error(`Cannot use a query: it has more than ${MAX_ROWS} rows`);
    return {
      columns: columns.map(({ name }) => name),
      rows: rows.map((row) =>
        row.map(([, value], at) => value === null ? null : READERS[columns[at]?.type ?? ""]?.(value) ?? value)
      ),
    };
  } catch (error) {
    // 2000 and above: there is no connection.
    if (!(error instanceof MysqlError) || error.number >= 2000) throw error;
    throw new QueryFailure(messageOf(error), { cause: error });
  }
}

/**
 * Rows of queries to MySQL or MariaDB. Options: `mysql.host`, `.port`, `.user`, `.pass`, `.db`, `.unix_socket`, and `.ssl` with `ca`,
 * `cert` and `key`, as a map.
 *
 * @see salt/pillar/mysql.py
 */
export const pillar: ExtPillar = {
  signature: "*args, **kwargs",
  neverOnDemand: "it runs any query with the account of the master",
  async run(context, args) {
    const place = placeOf(context);
    try {
      return await sqlPillar(context, args, (query) => ask(context.runtime, place, query, context.id));
    } catch (error) {
      throw new Error(`Cannot use ${placeName(place)}: ${messageOf(error)}`, { cause: error });
    }
  },
};
