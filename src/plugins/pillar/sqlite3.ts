import { messageOf } from "../../base/errors.ts";
import type { ExtPillar } from "../../model/loader/ext_pillar.ts";
import { isMap, lookup, str } from "../../language/python/values.ts";
import type { SqlValue } from "../../runtime/database.ts";
import { Float } from "../../protocol/wire/msgpack.ts";
import { MAX_ROWS, QueryFailure, type Rows, sqlPillar } from "./sql.ts";

/** Texts, quoted names and comments of a query. */
const NO_CODE = /'[^']*'|"[^"]*"|`[^`]*`|\[[^\]]*\]|--[^\n]*|\/\*[\s\S]*?\*\//g;

/** A value of SQLite: a float stays one, an integer that is safe is a number. */
function valueOf(value: SqlValue): unknown {
  if (typeof value === "bigint") return Number.isSafeInteger(Number(value)) ? Number(value) : value;
  return Number.isInteger(value) ? new Float(value as number) : value;
}

/** Rows of queries to a file of SQLite. Options: `sqlite3.database`, `.timeout` in seconds, as a map. */
export const pillar: ExtPillar = {
  signature: "*args, **kwargs",
  neverOnDemand: "it runs any query on the master",
  async run(context, args) {
    const { log, opts, runtime: { databases, fs } } = context;
    const given = isMap(opts.sqlite3) && lookup(opts.sqlite3, "database") !== undefined ? opts.sqlite3 : {};
    const path = str(lookup(given, "database") ?? "/var/lib/salt/pillar.db");
    const seconds = Number(lookup(given, "timeout") ?? 5);
    // SQLite would make the file.
    if (fs.stat(path) === undefined) {
      log.error("sqlite3: no such file", { database: path });
      return {};
    }
    const database = databases.open(path, { busyMs: Math.round(seconds * 1000) });
    try {
      database.exec("PRAGMA query_only = ON");
      return await sqlPillar(context, args, (query): Rows => {
        try {
          // SQLite takes a parameter that has no value for NULL.
          const places = query.replace(NO_CODE, "").match(/\?(?!\d)/g)?.length ?? 0;
          if (places > 1) throw new Error(`it has ${places} parameters: expected one, the id of the minion`);
          const { columns, rows } = database.prepare(query).table([context.id], MAX_ROWS);
          return { columns, rows: rows.map((row) => row.map(valueOf)) };
        } catch (error) {
          throw new QueryFailure(messageOf(error), { cause: error });
        }
      });
    } finally {
      database.close();
    }
  },
};
