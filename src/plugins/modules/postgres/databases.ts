import {
  CommandExecutionError,
  executionFunction,
  executionFunctions,
  type JobContext,
  SaltInvocationError,
} from "../../../model/loader/family.ts";
import { type Args, entriesOf, isMap, repr, str, truthy } from "../../../language/python/values.ts";
import type { CommandOutcome } from "../../commands.ts";
import type { PsqlConnection, PsqlRow } from "./psql.ts";
import { CONNECTION, psql, psqlConnectionOf, psqlIdent, psqlLiteral, psqlQuery, psqlRuns } from "./psql.ts";

/** Rows by the field `Name`, which they lose. */
function byName(rows: PsqlRow[]): Record<string, PsqlRow> {
  return Object.fromEntries(rows.map(({ Name = "", ...rest }) => [Name, rest]));
}

async function databases(context: JobContext, connection: PsqlConnection): Promise<Record<string, PsqlRow>> {
  return byName(
    await psqlQuery(
      context,
      'SELECT datname as "Name", pga.rolname as "Owner", pg_encoding_to_char(encoding) as "Encoding", ' +
        'datcollate as "Collate", datctype as "Ctype", datacl as "Access privileges", spcname as "Tablespace" ' +
        "FROM pg_database pgd, pg_roles pga, pg_tablespace pgts " +
        "WHERE pga.oid = pgd.datdba AND pgts.oid = pgd.dattablespace",
      connection,
    ),
  );
}

/** A value that Salt refuses with this quote in it. */
function quoted(value: unknown, quote: '"' | "'"): string {
  const text = str(value);
  if (text.includes(quote)) throw new SaltInvocationError(`Unsupported character ${quote} in value: ${text}`);
  return quote === '"' ? psqlIdent(text) : psqlLiteral(text);
}

/** The statement that makes a database. @throws {SaltInvocationError} for a value that it cannot have */
export function databaseText(args: Args): string {
  const { name, tablespace, owner, template, encoding, lc_collate, lc_ctype } = args;
  const given: [string, unknown, '"' | "'"][] = [
    ["TABLESPACE", tablespace, '"'],
    ["OWNER", owner, '"'],
    ["TEMPLATE", template, '"'],
    ["ENCODING", encoding, "'"],
    ["LC_COLLATE", lc_collate, "'"],
    ["LC_CTYPE", lc_ctype, "'"],
  ];
  const chunks = given.filter(([, value]) => value !== null)
    .map(([word, value, quote]) => ` ${word} = ${quoted(value, quote)}`);
  return `CREATE DATABASE ${psqlIdent(name)}${chunks.length === 0 ? "" : ` WITH${chunks.join("")}`}`;
}

/** What a database has in it, and how each kind of it gets another owner. */
const OWNED: [statement: string, query: string][] = [
  ["schema", "select quote_ident(schema_name) as n from information_schema.schemata"],
  [
    "table",
    "select quote_ident(table_schema)||'.'||quote_ident(table_name) as n from information_schema.tables " +
    "where table_schema not in ('pg_catalog', 'information_schema')",
  ],
  [
    "function",
    "select p.oid::regprocedure::text as n from pg_catalog.pg_proc p " +
    "join pg_catalog.pg_namespace ns on p.pronamespace=ns.oid " +
    "where ns.nspname not in ('pg_catalog', 'information_schema') " +
    "and not exists (select 1 from pg_catalog.pg_aggregate a where a.aggfnoid = p.oid)",
  ],
  [
    "aggregate",
    "select p.oid::regprocedure::text as n from pg_catalog.pg_proc p " +
    "join pg_catalog.pg_namespace ns on p.pronamespace=ns.oid " +
    "where ns.nspname not in ('pg_catalog', 'information_schema') " +
    "and exists (select 1 from pg_catalog.pg_aggregate a where a.aggfnoid = p.oid)",
  ],
  [
    "sequence",
    "select quote_ident(sequence_schema)||'.'||quote_ident(sequence_name) as n from information_schema.sequences",
  ],
];

async function ownerTo(context: JobContext, args: Args): Promise<CommandOutcome> {
  const { dbname, ownername } = args;
  const connection = { ...psqlConnectionOf(args), maintenance_db: dbname };
  const statements = [`alter database ${psqlIdent(dbname)} owner to ${psqlIdent(ownername)};`];
  for (const [kind, sql] of OWNED) {
    for (const { n } of await psqlQuery(context, sql, connection)) {
      statements.push(`alter ${kind} ${n} owner to ${psqlIdent(ownername)};`);
    }
  }
  return await psql(context, { sql: ["begin;", ...statements, "commit;"].join("\n") }, connection);
}

async function tablespaces(context: JobContext, connection: PsqlConnection): Promise<Record<string, PsqlRow>> {
  return byName(
    await psqlQuery(
      context,
      'SELECT spcname as "Name", pga.rolname as "Owner", spcacl as "ACL", spcoptions as "Opts", ' +
        'pg_tablespace_location(pgts.oid) as "Location" FROM pg_tablespace pgts, pg_roles pga ' +
        "WHERE pga.oid = pgts.spcowner",
      connection,
    ),
  );
}

/** A parameter of a tablespace: a word. */
function parameter(name: unknown): string {
  const text = str(name);
  if (!/^[A-Za-z_]+$/.test(text)) throw new SaltInvocationError(`Not a parameter of a tablespace: ${repr(text)}`);
  return text;
}

const assigned = ([name, value]: [unknown, unknown]) => `${parameter(name)} = ${psqlLiteral(value)}`;

/** The statement that makes a tablespace. @throws {SaltInvocationError} for an option that is none */
export function tablespaceText(args: Args): string {
  const { name, location, options, owner } = args;
  const given = isMap(options) ? entriesOf(options).map(assigned) : [];
  return `CREATE TABLESPACE ${psqlIdent(name)}${truthy(owner) ? ` OWNER ${psqlIdent(owner)}` : ""} LOCATION ${
    psqlLiteral(location)
  }${given.length === 0 ? "" : ` WITH ( ${given.join(", ")} )`}`;
}

export const PSQL_DATABASES = executionFunctions({
  [`db_list(${CONNECTION})` as const]: {
    doc: "The databases of a server: name → owner, encoding and more.\n\n    salt '*' postgres.db_list",
    run: (context, args) => databases(context, psqlConnectionOf(args)),
  },
  [`db_exists(name: str, ${CONNECTION})` as const]: {
    doc: "True if there is a database of that name.\n\n    salt '*' postgres.db_exists mydb",
    run: async (context, args) => Object.hasOwn(await databases(context, psqlConnectionOf(args)), args.name),
  },
  db_create: executionFunction({
    signature: `name, user=None, host=None, port=None, maintenance_db=None, password=None, tablespace=None,
        encoding=None, lc_collate=None, lc_ctype=None, owner=None, template=None, runas=None`,
    doc: "Makes a database.\n\n    salt '*' postgres.db_create mydb owner=app template=template0",
    run: (context, args): Promise<boolean> => psqlRuns(context, databaseText(args), psqlConnectionOf(args)),
  }),
  db_alter: executionFunction({
    signature: `name, user=None, host=None, port=None, maintenance_db=None, password=None, tablespace=None,
        owner=None, owner_recurse: bool=False, runas=None`,
    doc: "Gives a database another owner or tablespace.\n\n    salt '*' postgres.db_alter mydb owner=other\n\n" +
      "owner_recurse: what is in it, too",
    async run(context, args): Promise<boolean> {
      const { name, owner, tablespace } = args;
      if (truthy(owner) && args.owner_recurse) {
        const connection = psqlConnectionOf(args);
        if ((await ownerTo(context, { ...connection, dbname: name, ownername: owner })).retcode !== 0) return false;
        return true;
      }
      const statements = [
        ...(truthy(owner) ? [`ALTER DATABASE ${psqlIdent(name)} OWNER TO ${psqlIdent(owner)}`] : []),
        ...(truthy(tablespace) ? [`ALTER DATABASE ${psqlIdent(name)} SET TABLESPACE ${psqlIdent(tablespace)}`] : []),
      ];
      let worked = true;
      // As in Salt the last one counts; each is tried.
      for (const sql of statements) worked = await psqlRuns(context, sql, psqlConnectionOf(args));
      return worked;
    },
  }),
  [`db_remove(name, ${CONNECTION})` as const]: {
    doc: "Removes a database, and ends the connections to it.\n\n    salt '*' postgres.db_remove mydb",
    async run(context, args): Promise<true> {
      const { name } = args;
      for (
        const sql of [
          `REVOKE CONNECT ON DATABASE ${psqlIdent(name)} FROM public;`,
          `SELECT pid, pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = ${psqlLiteral(name)} AND ` +
          "pid <> pg_backend_pid();",
          `DROP DATABASE ${psqlIdent(name)};`,
        ]
      ) {
        const { retcode, stderr } = await psql(context, { sql }, psqlConnectionOf(args));
        if (retcode !== 0) throw new CommandExecutionError(`Failed to remove the database ${str(name)}: ${stderr}`);
      }
      return true;
    },
  },
  "owner_to(dbname, ownername, user=None, host=None, port=None, password=None, runas=None)": {
    doc: "Gives a database and everything in it another owner.\n\n    salt '*' postgres.owner_to mydb other",
    run: ownerTo,
  },
  [`tablespace_list(${CONNECTION})` as const]: {
    doc: "The tablespaces of a server: name → owner, location and more.\n\n    salt '*' postgres.tablespace_list",
    run: (context, args) => tablespaces(context, psqlConnectionOf(args)),
  },
  [`tablespace_exists(name: str, ${CONNECTION})` as const]: {
    doc: "True if there is a tablespace of that name.\n\n    salt '*' postgres.tablespace_exists fast",
    run: async (context, args) => Object.hasOwn(await tablespaces(context, psqlConnectionOf(args)), args.name),
  },
  [`tablespace_create(name, location, options=None, owner=None, ${CONNECTION})` as const]: {
    doc: "Makes a tablespace in a directory that is there.\n\n    salt '*' postgres.tablespace_create fast /ssd/fast",
    run: (context, args): Promise<boolean> => psqlRuns(context, tablespaceText(args), psqlConnectionOf(args)),
  },
  tablespace_alter: executionFunction({
    signature: `name, user=None, host=None, port=None, maintenance_db=None, password=None, new_name=None,
        new_owner=None, set_option=None, reset_option=None, runas=None`,
    doc: "Changes name, owner or one parameter of a tablespace.\n\n" +
      `    salt '*' postgres.tablespace_alter fast set_option="{seq_page_cost: 1.1}"`,
    async run(context, args): Promise<boolean> {
      const { name, new_name, new_owner, set_option, reset_option } = args;
      const own = `ALTER TABLESPACE ${psqlIdent(name)}`;
      const first = isMap(set_option) ? entriesOf(set_option)[0] : undefined;
      const statements = [
        ...(truthy(new_name) ? [`${own} RENAME TO ${psqlIdent(new_name)}`] : []),
        ...(truthy(new_owner) ? [`${own} OWNER TO ${psqlIdent(new_owner)}`] : []),
        ...(first === undefined ? [] : [`${own} SET (${assigned(first)})`]),
        ...(truthy(reset_option)
          ? [`${own} RESET (${str(reset_option).split(",").map((one) => parameter(one.trim())).join(", ")})`]
          : []),
      ];
      for (const sql of statements) if (!await psqlRuns(context, sql, psqlConnectionOf(args))) return false;
      return true;
    },
  }),
  [`tablespace_remove(name, ${CONNECTION})` as const]: {
    doc: "Removes a tablespace.\n\n    salt '*' postgres.tablespace_remove fast",
    run: (context, args) => psqlRuns(context, `DROP TABLESPACE ${psqlIdent(args.name)}`, psqlConnectionOf(args)),
  },
});
