import { executionFunction, executionFunctions, type JobContext } from "../../../model/loader/family.ts";
import { type Args, str } from "../../../language/python/values.ts";
import { connectionOf, ident, type MysqlRow, orElse, rowsOf, runs, word } from "./client.ts";
import { mysqlLiteral } from "../../mysql_session.ts";

const first = (row: MysqlRow): string | null => Object.values(row)[0] ?? null;

async function exists(context: JobContext, name: unknown, args: Args): Promise<boolean> {
  return await orElse(false, async () => {
    const sql = `SELECT SCHEMA_NAME FROM INFORMATION_SCHEMA.SCHEMATA WHERE SCHEMA_NAME=${mysqlLiteral(name)}`;
    return (await rowsOf(context, sql, args)).length === 1;
  });
}

async function get(context: JobContext, name: unknown, args: Args): Promise<unknown> {
  return await orElse([], async () => {
    const [row] = await rowsOf(
      context,
      "SELECT DEFAULT_CHARACTER_SET_NAME AS cs, DEFAULT_COLLATION_NAME AS co FROM INFORMATION_SCHEMA.SCHEMATA " +
        `WHERE SCHEMA_NAME=${mysqlLiteral(name)}`,
      args,
    );
    return row === undefined ? {} : { character_set: row.cs, collate: row.co };
  });
}

async function tables(context: JobContext, name: unknown, connection: Args): Promise<(string | null)[] | false> {
  if (!await exists(context, name, connection)) return false;
  return await orElse([], async () => (await rowsOf(context, `SHOW TABLES IN ${ident(name)}`, connection)).map(first));
}

/** Runs a statement on one table, or on each of a database. */
const onTables = (verb: "CHECK" | "REPAIR" | "OPTIMIZE", doc: string) =>
  executionFunction({
    signature: "name, table=None, **connection_args",
    doc: `${doc}\n\n    salt '*' mysql.db_${verb.toLowerCase()} mydb`,
    async run(context, args) {
      const connection = connectionOf(args);
      const one = (table: unknown) =>
        orElse({}, () => rowsOf(context, `${verb} TABLE ${ident(args.name)}.${ident(table)}`, connection));
      if (args.table !== null) return await one(args.table);
      const found: unknown[] = [];
      for (const table of await tables(context, args.name, connection) || []) found.push(await one(table));
      return found;
    },
  });

export const DATABASES = executionFunctions({
  "db_list(**connection_args)": {
    doc: "The databases of a server.\n\n    salt '*' mysql.db_list",
    run: (context, args) =>
      orElse([], async () => (await rowsOf(context, "SHOW DATABASES", connectionOf(args))).map(first)),
  },
  "db_exists(name, **connection_args)": {
    doc: "True if there is a database of that name.\n\n    salt '*' mysql.db_exists mydb",
    run: (context, args) => exists(context, args.name, connectionOf(args)),
  },
  "db_get(name, **connection_args)": {
    doc: "Character set and collation of a database.\n\n    salt '*' mysql.db_get mydb",
    run: (context, args) => get(context, args.name, connectionOf(args)),
  },
  "db_create(name, character_set=None, collate=None, **connection_args)": {
    doc: "Makes a database.\n\n    salt '*' mysql.db_create mydb utf8mb4 utf8mb4_general_ci",
    async run(context, args): Promise<boolean> {
      const { name, character_set, collate } = args;
      const connection = connectionOf(args);
      if (await exists(context, name, connection)) {
        context.log.info("the database exists", { database: str(name) });
        return false;
      }
      const sql = `CREATE DATABASE IF NOT EXISTS ${ident(name)}` +
        (character_set === null ? "" : ` CHARACTER SET ${mysqlLiteral(character_set)}`) +
        (collate === null ? "" : ` COLLATE ${mysqlLiteral(collate)}`);
      return await runs(context, sql, connection);
    },
  },
  "alter_db(name, character_set=None, collate=None, **connection_args)": {
    doc: "Gives a database another character set or collation.\n\n    salt '*' mysql.alter_db mydb charset='utf8mb4'",
    async run(context, args): Promise<unknown> {
      const connection = connectionOf(args);
      const before = await get(context, args.name, connection) as Record<string, unknown>;
      const [set, collate] = [args.character_set ?? before.character_set, args.collate ?? before.collate];
      if (set === undefined || collate === undefined) return false;
      return await runs(
        context,
        `ALTER DATABASE ${ident(args.name)} CHARACTER SET ${word(set)} COLLATE ${word(collate)}`,
        connection,
      );
    },
  },
  "db_remove(name, **connection_args)": {
    doc: "Removes a database.\n\n    salt '*' mysql.db_remove mydb",
    async run(context, { name, connection_args }): Promise<boolean> {
      const connection = connection_args;
      if (!await exists(context, name, connection) || ["mysql", "information_schema"].includes(str(name))) {
        context.log.info("the database does not exist, or must not be removed", { database: str(name) });
        return false;
      }
      return await runs(context, `DROP DATABASE ${ident(name)}`, connection) &&
        !await exists(context, name, connection);
    },
  },
  "db_tables(name, **connection_args)": {
    doc: "The tables of a database; False if there is none of that name.\n\n    salt '*' mysql.db_tables mydb",
    run: (context, args) => tables(context, args.name, connectionOf(args)),
  },
  db_check: onTables("CHECK", "Checks a table, or all of a database."),
  db_repair: onTables("REPAIR", "Repairs a table, or all of a database."),
  db_optimize: onTables("OPTIMIZE", "Optimizes a table, or all of a database."),
});
