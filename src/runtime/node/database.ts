import process from "node:process";
import { codeOf, messageOf, SystemError } from "../../errors.ts";
import type { Database, Databases, SqlRow, Statement } from "../database.ts";

/** SQLite over `node:sqlite`, which all three runtimes carry. */
export function nodeDatabases(): Databases {
  return {
    open(path, { busyMs = 0 } = {}): Database {
      // Loaded here and not above: a command line that opens no database must not wait for SQLite.
      const { DatabaseSync } = process.getBuiltinModule("node:sqlite");
      let database: InstanceType<typeof DatabaseSync>;
      try {
        database = new DatabaseSync(path);
        // First: whoever was the last to have the file may just be clearing up after itself.
        if (busyMs > 0) database.exec(`PRAGMA busy_timeout = ${busyMs}`);
        // Opening is lazy: this is where a file that is no database is found out.
        database.exec("PRAGMA schema_version");
      } catch (error) {
        throw new SystemError(codeOf(error) || "EIO", `Cannot open the database "${path}": ${messageOf(error)}`, {
          path,
          cause: error,
        });
      }
      let open = true;
      return {
        exec: (sql) => database.exec(sql),
        prepare(sql): Statement {
          const statement = database.prepare(sql);
          return {
            run: (...values) => ({ changes: Number(statement.run(...values).changes) }),
            get: (...values) => statement.get(...values) as SqlRow | undefined,
            all: (...values) => statement.all(...values) as SqlRow[],
            iterate: (...values) => statement.iterate(...values) as Iterable<SqlRow>,
          };
        },
        close() {
          if (open) database.close();
          open = false;
        },
      };
    },
  };
}
