import { messageOf } from "../../base/errors.ts";
import { CommandExecutionError } from "../../model/loader/family.ts";
import type { SdbContext, SdbDriver } from "../../model/loader/sdb.ts";
import { type AnyMap, lookup, str, truthy } from "../../language/python/values.ts";
import { decode, encode } from "../../protocol/wire/msgpack.ts";
import type { Database, SqlValue } from "../../runtime/database.ts";

/** How long each access waits for another program. */
const BUSY_MS = 5000;
/** Bytes of the largest value. */
const LARGEST = 16 * 1024 * 1024;
/** A text, a quoted name, a comment, or the name of a parameter. */
const TOKENS = /'[^']*'|"[^"]*"|`[^`]*`|\[[^\]]*\]|--[^\n]*|\/\*[\s\S]*?\*\/|:(key|value)\b/g;

const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`;

/** Opens the file, and makes the table; that it is there already is no error. */
function withDatabase<T>({ runtime }: SdbContext, profile: AnyMap, use: (database: Database, table: string) => T): T {
  const given = lookup(profile, "database");
  if (typeof given !== "string" || given === "") {
    throw new CommandExecutionError("An sdb profile of the driver sqlite3 needs the path of a file: database");
  }
  const { fs, databases } = runtime;
  // A file of SQLite's own making is readable by all.
  if (fs.stat(given) === undefined) fs.write(given, "", { mode: 0o600 });
  const name = str(lookup(profile, "table") ?? "sdb");
  const table = quoted(name);
  const own = lookup(profile, "create_statements");
  const statements = Array.isArray(own) && own.length > 0
    ? own.map(str)
    : truthy(lookup(profile, "create_table") ?? true)
    ? [`CREATE TABLE ${table} (key text, value blob)`, `CREATE UNIQUE INDEX ${quoted(`${name}_idx`)} ON ${table} (key)`]
    : [];
  const database = databases.open(given, { busyMs: BUSY_MS });
  try {
    try {
      for (const statement of statements) database.exec(statement);
    } catch {
      // It is there, as with every call but the first; what is wrong otherwise fails with the query.
    }
    return use(database, table);
  } catch (error) {
    if (error instanceof CommandExecutionError) throw error;
    throw new CommandExecutionError(`Cannot use ${given}: ${messageOf(error)}`, { cause: error });
  } finally {
    database.close();
  }
}

function bound(query: string, values: Record<"key" | "value", SqlValue>): { sql: string; values: SqlValue[] } {
  const names: ("key" | "value")[] = [];
  const sql = query.replace(TOKENS, (token, name: "key" | "value" | undefined) => {
    if (name === undefined) return token;
    if (!names.includes(name)) names.push(name);
    return `?${names.indexOf(name) + 1}`;
  });
  return { sql, values: names.map((name) => values[name]) };
}

/** Values in a file of SQLite, packed as Salt packs them. Options: `database`; `table`, `create_table`, or queries. */
export const sdb: SdbDriver = {
  get: (context, key, profile) =>
    withDatabase(context, profile, (database, table) => {
      const query = lookup(profile, "get_query") ?? `SELECT value FROM ${table} WHERE key=:key`;
      const { sql, values } = bound(str(query), { key, value: null });
      const found = Object.values(database.prepare(sql).get(...values) ?? {})[0];
      if (found === undefined) return null;
      if (found instanceof Uint8Array && found.length <= LARGEST) return decode(found, { mode: "bin" });
      throw new CommandExecutionError(`The value is not packed as Salt packs it, or has more than ${LARGEST} bytes`);
    }),
  set: (context, key, value, profile) =>
    withDatabase(context, profile, (database, table) => {
      const query = lookup(profile, "set_query") ?? `INSERT OR REPLACE INTO ${table} VALUES (:key, :value)`;
      const packed = encode(value, "bin");
      if (packed.length > LARGEST) throw new CommandExecutionError(`The value has more than ${LARGEST} bytes`);
      const { sql, values } = bound(str(query), { key, value: packed });
      database.prepare(sql).run(...values);
      return true;
    }),
};
