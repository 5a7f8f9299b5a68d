import { executionFunction, executionFunctions, type JobContext } from "../../../model/loader/family.ts";
import { type Args, str, truthy } from "../../../language/python/values.ts";
import { connectionOf, type MysqlRow, orElse, rowsOf, runs, serverVersion, word } from "./client.ts";
import { mysqlLiteral } from "../../mysql_session.ts";

/** The status of a plugin; empty if it is not there. */
export async function pluginStatus(context: JobContext, name: unknown, connection: Args): Promise<string | false> {
  if (!truthy(name)) return false;
  const sql = `SELECT PLUGIN_STATUS AS s FROM INFORMATION_SCHEMA.PLUGINS WHERE PLUGIN_NAME = ${mysqlLiteral(name)}`;
  return await orElse("", async () => (await rowsOf(context, sql, connection))[0]?.s ?? "");
}

async function slave(context: JobContext, connection: Args): Promise<MysqlRow | undefined> {
  return (await rowsOf(context, "SHOW SLAVE STATUS", connection))[0];
}

/** A function that lists what a statement shows. */
const listing = (
  sql: string,
  doc: string,
  pick: (rows: MysqlRow[]) => unknown,
  failed: unknown = [],
) =>
  executionFunction({
    signature: "**connection_args",
    doc,
    run: (context, args) => orElse(failed, async () => pick(await rowsOf(context, sql, connectionOf(args)))),
  });

const pairs = (rows: MysqlRow[]) => Object.fromEntries(rows.map((row) => Object.values(row) as [string, string]));
const one = (rows: MysqlRow[]) => rows[0] ?? [];
const some = (rows: MysqlRow[]) => rows.length === 0 ? [[]] : rows;

export const SERVER = executionFunctions({
  status: listing("SHOW STATUS", "The counters of a server.\n\n    salt '*' mysql.status", pairs, {}),
  "version(**connection_args)": {
    doc: "The version of the server.\n\n    salt '*' mysql.version",
    run: (context, args) => serverVersion(context, connectionOf(args)),
  },
  "slave_lag(**connection_args)": {
    doc:
      "Seconds that a copy is behind; -1 if the server copies nothing, -2 if copying stands, -3 after an error.\n\n" +
      "    salt '*' mysql.slave_lag",
    async run(context, args): Promise<number | null> {
      return await orElse(-3, async () => {
        const status = await slave(context, connectionOf(args));
        if (status === undefined) return -1;
        if (status.Slave_IO_Running !== "Yes") return -2;
        return status.Seconds_Behind_Master === null ? null : Number(status.Seconds_Behind_Master);
      });
    },
  },
  /** Makes a server that copies another one that stands alone. */
  "free_slave(**connection_args)": {
    doc: "Makes a server that copies another one stand alone.\n\n    salt '*' mysql.free_slave",
    async run(context, args): Promise<string> {
      const connection = connectionOf(args);
      return await orElse("", async () => {
        const before = await slave(context, connection);
        if (before === undefined) return "";
        // Its master may be gone: that is a reason to do this.
        await runs(context, "FLUSH LOGS", { connection_host: before.Master_Host });
        await rowsOf(context, "STOP SLAVE", connection);
        await rowsOf(context, "RESET SLAVE ALL", connection);
        return await slave(context, connection) === undefined ? "promoted" : "failed";
      });
    },
  },
  processlist: listing(
    "SHOW FULL PROCESSLIST",
    "What the server is doing.\n\n    salt '*' mysql.processlist",
    (rows) => rows,
  ),
  get_master_status: listing(
    "SHOW MASTER STATUS",
    "The log that copies are made from.\n\n    salt '*' mysql.get_master_status",
    one,
  ),
  get_slave_status: listing("SHOW SLAVE STATUS", "How copying goes.\n\n    salt '*' mysql.get_slave_status", one),
  showvariables: listing("SHOW VARIABLES", "The variables of a session.\n\n    salt '*' mysql.showvariables", some),
  showglobal: listing("SHOW GLOBAL VARIABLES", "The variables of a server.\n\n    salt '*' mysql.showglobal", some),
  plugins_list: listing(
    "SHOW PLUGINS",
    "The plugins of a server.\n\n    salt '*' mysql.plugins_list",
    (rows) => rows.map((row) => ({ name: row.Name, status: row.Status })),
  ),
  "plugin_status(name, **connection_args)": {
    doc: "The status of a plugin; empty if it is not there.\n\n    salt '*' mysql.plugin_status auth_socket",
    run: (context, args) => pluginStatus(context, args.name, connectionOf(args)),
  },
  "plugin_add(name, soname=None, **connection_args)": {
    doc: "Installs a plugin.\n\n    salt '*' mysql.plugin_add auth_socket",
    async run(context, { name, soname, connection_args }): Promise<boolean> {
      if (!truthy(name)) return false;
      const connection = connection_args;
      if (truthy(await pluginStatus(context, name, connection))) return true;
      const library = truthy(soname) ? str(soname) : `${str(name)}.so`;
      return await runs(context, `INSTALL PLUGIN ${word(name)} SONAME ${mysqlLiteral(library)}`, connection);
    },
  },
  "plugin_remove(name, **connection_args)": {
    doc: "Removes a plugin.\n\n    salt '*' mysql.plugin_remove auth_socket",
    async run(context, { name, connection_args }): Promise<boolean> {
      if (!truthy(name)) return false;
      const connection = connection_args;
      if (!truthy(await pluginStatus(context, name, connection))) return true;
      return await runs(context, `UNINSTALL PLUGIN ${word(name)}`, connection);
    },
  },
});
