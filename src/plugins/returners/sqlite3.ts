import type { ReturnerContext, ReturnerModule } from "../../model/loader/family.ts";
import type { Database } from "../../runtime/database.ts";
import { toJson } from "./json.ts";
import { numberOption, returnerOptions } from "./options.ts";

const TABLE = `CREATE TABLE IF NOT EXISTS salt_events (
  id INTEGER PRIMARY KEY,
  event_id TEXT NOT NULL UNIQUE,
  tag TEXT NOT NULL,
  data TEXT NOT NULL,
  alter_time TEXT NOT NULL,
  master_id TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS idx_salt_events_tag ON salt_events (tag);`;
/** How long a write waits for another program. */
const BUSY_MS = 5000;

/**
 * Writes the events of a master into a file of SQLite, the table `salt_events`. Options: `sqlite3.database`, the path of the file;
 * `sqlite3.events`, how many it keeps, by default any number.
 */
export function sqliteReturner(): ReturnerModule {
  let open: { path: string; database: Database } | undefined;

  function databaseOf(context: ReturnerContext, path: string): Database {
    if (open?.path === path) return open.database;
    open?.database.close();
    const { fs, databases } = context.runtime;
    // A file of SQLite's own making is readable by all.
    if (fs.stat(path) === undefined) fs.write(path, "", { mode: 0o600 });
    const database = databases.open(path, { busyMs: BUSY_MS });
    const full = context.opts.durability === "process" ? "NORMAL" : "FULL";
    database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = ${full}; ${TABLE}`);
    open = { path, database };
    return database;
  }

  return {
    returner: () =>
      Promise.reject(new TypeError("Cannot send returns to sqlite3: it takes the events of a master alone")),
    eventReturn(context, { events }) {
      const options = returnerOptions(context, "sqlite3", {
        database: "/usr/lib/salt/salt.db" as unknown,
        events: 0 as unknown,
      });
      const most = numberOption("sqlite3.events", options.events);
      const database = databaseOf(context, String(options.database));
      const id = String(context.opts.id ?? "");
      database.exec("BEGIN IMMEDIATE");
      try {
        // An event that is there already was given before.
        const insert = database.prepare(
          "INSERT OR IGNORE INTO salt_events (event_id, tag, data, alter_time, master_id) VALUES (?, ?, ?, ?, ?)",
        );
        const now = new Date(context.runtime.clock.now()).toISOString();
        for (const event of events) insert.run(event.id, event.tag, toJson(event.data), now, id);
        if (most > 0) {
          database.prepare("DELETE FROM salt_events WHERE id <= (SELECT max(id) FROM salt_events) - ?").run(most);
        }
        database.exec("COMMIT");
      } catch (error) {
        database.exec("ROLLBACK");
        throw error;
      }
      return Promise.resolve();
    },
    close() {
      open?.database.close();
      open = undefined;
      return Promise.resolve();
    },
  };
}

export const returner: ReturnerModule = sqliteReturner();
