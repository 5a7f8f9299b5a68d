import { codeOf, messageOf, SystemError } from "../../base/errors.ts";
import type { Database, Databases, SqlRow, SqlStatement, SqlValue } from "../database.ts";

/** SQLite over `node:sqlite`, which all three runtimes have. */
export function nodeDatabases(): Databases {
  return {
    open(path, { busyMs = 0 } = {}): Database {
      // SQLite is loaded here and not at the top: a program that opens no database must not wait for it.
      const { DatabaseSync } = process.getBuiltinModule("node:sqlite");
      let database: InstanceType<typeof DatabaseSync>;
      try {
        database = new DatabaseSync(path);
        // The timeout is set first: the last process that used the file may still be cleaning up.
        if (busyMs > 0) database.exec(`PRAGMA busy_timeout = ${busyMs}`);
        // SQLite opens files lazily: reading the schema's version detects a file that is not a database.
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
        prepare(sql): SqlStatement {
          const statement = database.prepare(sql);
          return {
            run: (...values) => ({ changes: Number(statement.run(...values).changes) }),
            get: (...values) => statement.get(...values) as SqlRow | undefined,
            all: (...values) => statement.all(...values) as SqlRow[],
            iterate: (...values) => statement.iterate(...values) as Iterable<SqlRow>,
            table(values, most) {
              // Statements keep their settings, so the rows are read with a new statement.
              const own = database.prepare(sql);
              own.setReadBigInts(true);
              // Deno has setReturnArrays(), but its types do not.
              (own as unknown as { setReturnArrays(on: boolean): void }).setReturnArrays(true);
              const rows: SqlValue[][] = [];
              for (const row of own.iterate(...values) as Iterable<unknown>) {
                if (rows.length >= most) throw new RangeError(`a query has more than ${most} rows`);
                rows.push(row as SqlValue[]);
              }
              return { columns: own.columns().map((column) => column.name), rows };
            },
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
