import { executionFunctions, type JobContext } from "../../../model/loader/family.ts";
import { type Args, str } from "../../../language/python/values.ts";
import { type PsqlConnection, psqlConnectionOf, psqlIdent, psqlQuery, type PsqlRow, psqlRuns } from "./psql.ts";

const SCHEMA_CONNECTION = "user=None, db_user=None, db_password=None, db_host=None, db_port=None";
const LANGUAGE_CONNECTION = "user=None, host=None, port=None, password=None, runas=None";

function schemaConnection({ dbname, user, db_user, db_password, db_host, db_port }: Args): PsqlConnection {
  return { maintenance_db: dbname, runas: user, user: db_user, password: db_password, host: db_host, port: db_port };
}

async function schemas(context: JobContext, args: Args): Promise<Record<string, PsqlRow>> {
  const sql = 'SELECT pg_namespace.nspname as "name", pg_namespace.nspacl as "acl", pg_roles.rolname as "owner" ' +
    "FROM pg_namespace LEFT JOIN pg_roles ON pg_roles.oid = pg_namespace.nspowner";
  const rows = await psqlQuery(context, sql, schemaConnection(args));
  return Object.fromEntries(rows.map(({ name = "", owner = "", acl = "" }) => [name, { owner, acl }]));
}

async function schema(context: JobContext, args: Args): Promise<PsqlRow | null> {
  const all = await schemas(context, args);
  return Object.hasOwn(all, str(args.name)) ? all[str(args.name)]! : null;
}

async function languages(context: JobContext, args: Args): Promise<Record<string, string>> {
  const rows = await psqlQuery(context, 'SELECT lanname AS "Name" FROM pg_language', psqlConnectionOf(args));
  return Object.fromEntries(rows.map(({ Name = "" }) => [Name, Name]));
}

const changeLanguage = (verb: "CREATE" | "DROP") => async (context: JobContext, args: Args) => {
  const isThere = Object.hasOwn(await languages(context, args), str(args.name));
  if (isThere === (verb === "CREATE")) {
    context.log.info("nothing to do for the language", { language: str(args.name), present: isThere });
    return false;
  }
  return await psqlRuns(context, `${verb} LANGUAGE ${psqlIdent(args.name)}`, psqlConnectionOf(args));
};

/** Schemas and languages of a database. */
export const PSQL_SCHEMAS = executionFunctions({
  [`schema_list(dbname, ${SCHEMA_CONNECTION})` as const]: {
    doc: "The schemas of a database: name → owner and rights.\n\n    salt '*' postgres.schema_list mydb",
    run: schemas,
  },
  [`schema_get(dbname, name, ${SCHEMA_CONNECTION})` as const]: {
    doc: "Owner and rights of a schema; null if there is none.\n\n    salt '*' postgres.schema_get mydb app",
    run: schema,
  },
  [`schema_exists(dbname, name, ${SCHEMA_CONNECTION})` as const]: {
    doc: "True if a database has a schema.\n\n    salt '*' postgres.schema_exists mydb app",
    run: async (context, args) => await schema(context, args) !== null,
  },
  [`schema_create(dbname, name, owner=None, ${SCHEMA_CONNECTION})` as const]: {
    doc: "Makes a schema.\n\n    salt '*' postgres.schema_create mydb app owner=app",
    async run(context, args): Promise<boolean> {
      if (await schema(context, args) !== null) {
        context.log.info("the schema exists", { schema: str(args.name) });
        return false;
      }
      const owner = args.owner === null ? "" : ` AUTHORIZATION ${psqlIdent(args.owner)}`;
      return await psqlRuns(context, `CREATE SCHEMA ${psqlIdent(args.name)}${owner}`, schemaConnection(args));
    },
  },
  [`schema_remove(dbname, name, ${SCHEMA_CONNECTION})` as const]: {
    doc: "Removes a schema that is empty.\n\n    salt '*' postgres.schema_remove mydb app",
    async run(context, args): Promise<boolean> {
      if (await schema(context, args) === null) {
        context.log.info("there is no such schema", { schema: str(args.name) });
        return false;
      }
      await psqlRuns(context, `DROP SCHEMA ${psqlIdent(args.name)}`, schemaConnection(args));
      return await schema(context, args) === null;
    },
  },
  [`language_list(maintenance_db, ${LANGUAGE_CONNECTION})` as const]: {
    doc: "The languages of a database.\n\n    salt '*' postgres.language_list mydb",
    run: languages,
  },
  [`language_exists(name: str, maintenance_db, ${LANGUAGE_CONNECTION})` as const]: {
    doc: "True if a database has a language.\n\n    salt '*' postgres.language_exists plpgsql mydb",
    run: async (context, args) => Object.hasOwn(await languages(context, args), args.name),
  },
  [`language_create(name, maintenance_db, ${LANGUAGE_CONNECTION})` as const]: {
    doc: "Installs a language.\n\n    salt '*' postgres.language_create plperl mydb",
    run: changeLanguage("CREATE"),
  },
  [`language_remove(name, maintenance_db, ${LANGUAGE_CONNECTION})` as const]: {
    doc: "Removes a language.\n\n    salt '*' postgres.language_remove plperl mydb",
    run: changeLanguage("DROP"),
  },
});
