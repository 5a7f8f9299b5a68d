import { ConfigError, messageOf } from "../../base/errors.ts";
import type { ExtPillar, PillarContext } from "../../model/loader/ext_pillar.ts";
import { isMap, lookup, str } from "../../language/python/values.ts";
import { parseOrderedJson } from "../../language/python/json.ts";
import { loadDriver } from "../driver.ts";
import { float, integer, MAX_ROWS, QueryFailure, type Rows, sqlPillar, withId } from "./sql.ts";

/** The part of npm's `postgres` that is used here. */
interface Page extends Array<unknown[]> {
  columns: { name: string }[];
}
interface Query extends PromiseLike<unknown> {
  values(): { cursor(rows: number): AsyncIterable<Page> } & PromiseLike<Page>;
}
interface Sql {
  unsafe(query: string, values?: unknown[]): Query;
  end(options: { timeout: number }): Promise<void>;
}
type Driver = { default(options: Record<string, unknown>): Sql };

/** Seconds. */
const CONNECT = 10;
/** Time of one query. */
const LIMIT_MS = 60_000;
const PAGE = 500;

/** Reads `{1,NULL,{"a b"}}`, and its items by `read`. */
function arrayOf(text: string, read: (item: string) => unknown): unknown[] {
  const lists: unknown[][] = [[]];
  // `[0:1]=` before an array says where its indices begin.
  for (const [token, quoted] of text.replace(/^\[[^=]*=/, "").matchAll(/[{}]|"((?:\\[^]|[^"\\])*)"|[^{},"]+/g)) {
    if (token === "{") {
      const inner: unknown[] = [];
      lists.at(-1)!.push(inner);
      lists.push(inner);
    } else if (token === "}") lists.pop();
    else if (quoted !== undefined) lists.at(-1)!.push(read(quoted.replace(/\\([^])/g, "$1")));
    else lists.at(-1)!.push(token === "NULL" ? null : read(token));
  }
  return lists[0]![0] as unknown[];
}

/** The readers of PostgreSQL's types by their numbers, and those of arrays of them. Values as psycopg2 gives them; times stay text. */
const READERS: { read: (text: string) => unknown; types: number[]; arrays: number[] }[] = [
  { read: (text) => text === "t", types: [16], arrays: [1000] },
  { read: integer, types: [20, 21, 23, 26], arrays: [1005, 1007, 1016, 1028] },
  { read: float, types: [700, 701], arrays: [1021, 1022] },
  { read: (text) => parseOrderedJson(text), types: [114, 3802], arrays: [199, 3807] },
  { read: (text) => text, types: [25, 1082, 1114, 1184], arrays: [1002, 1009, 1015, 2951] },
];
const TYPES = Object.fromEntries(
  READERS.flatMap(({ read, types, arrays }, at) => {
    const parseArray = (text: string) => arrayOf(text, read);
    return [
      [`values${at}`, { to: types[0]!, from: types, parse: read, serialize: String }],
      [`arrays${at}`, { to: arrays[0]!, from: arrays, parse: parseArray, serialize: String }],
    ] as const;
  }),
);

interface Place {
  host: string;
  port: number;
  database: string;
  user: string;
  password: string;
}

function placeOf({ opts }: PillarContext): Place {
  const option = (name: string, otherwise: unknown) =>
    (isMap(opts.postgres) ? lookup(opts.postgres, name) : undefined) ?? otherwise;
  return {
    host: str(option("host", "localhost")),
    port: Number(option("port", 5432)),
    database: str(option("db", "salt")),
    user: str(option("user", "salt")),
    password: str(option("pass", "salt")),
  };
}

async function ask(sql: Sql, query: string, id: string): Promise<Rows> {
  const text = withId(query, "$1");
  const rows: unknown[][] = [];
  let columns: string[] = [];
  try {
    for await (const page of sql.unsafe(text, [id]).values().cursor(PAGE)) {
      columns = page.columns.map(({ name }) => name);
      rows.push(...page);
      if (rows.length > MAX_ROWS) throw new Error(`Cannot use a query: it has more than ${MAX_ROWS} rows`);
    }
  } catch (error) {
    if ((error as Error).name !== "PostgresError") throw error;
    throw new QueryFailure(messageOf(error), { cause: error });
  }
  return { columns, rows };
}

/** Rows of queries to PostgreSQL. Options: `postgres.host`, `.port`, `.user`, `.pass`, `.db`, as a map. */
export const pillar: ExtPillar = {
  signature: "*args, **kwargs",
  neverOnDemand: "it runs any query with the account of the master",
  async run(context, args) {
    const place = placeOf(context);
    const { default: postgres } = await loadDriver("postgres", "the external pillar postgres") as Driver;
    const sql = postgres({
      ...place,
      max: 1,
      connect_timeout: CONNECT,
      types: TYPES,
      fetch_types: false,
      onnotice: () => {},
      connection: { application_name: "salt", statement_timeout: LIMIT_MS },
    });
    try {
      // Never committed, as in Salt.
      await sql.unsafe("BEGIN");
      return await sqlPillar(context, args, (query) => ask(sql, query, context.id));
    } catch (error) {
      const { host, port, database, user } = place;
      if (error instanceof ConfigError) throw error;
      throw new Error(`Cannot use database "${database}" at ${host}:${port} as user "${user}": ${messageOf(error)}`, {
        cause: error,
      });
    } finally {
      await sql.end({ timeout: 1 });
    }
  },
};
