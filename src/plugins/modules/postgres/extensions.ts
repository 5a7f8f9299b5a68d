import { executionFunction, executionFunctions, type JobContext } from "../../../model/loader/family.ts";
import { type Args, str, truthy } from "../../../language/python/values.ts";
import type { PsqlConnection, PsqlRow } from "./psql.ts";
import { CONNECTION, psqlConnectionOf, psqlIdent, psqlQuery, psqlRuns } from "./psql.ts";

/** What `create_metadata` says of an extension. */
export const EXTENSION = {
  absent: "EXTENSION NOT INSTALLED",
  installed: "EXTENSION INSTALLED",
  upgrade: "EXTENSION TO UPGRADE",
  move: "EXTENSION TO MOVE",
} as const;

async function available(context: JobContext, connection: PsqlConnection): Promise<Record<string, PsqlRow>> {
  const rows = await psqlQuery(context, "select * from pg_available_extensions()", connection);
  return Object.fromEntries(rows.map((row) => [row.name!, row]));
}

async function installed(context: JobContext, connection: PsqlConnection): Promise<Record<string, PsqlRow>> {
  const sql = "select a.*, b.nspname as schema_name from pg_extension a, pg_namespace b where a.extnamespace = b.oid";
  return Object.fromEntries((await psqlQuery(context, sql, connection)).map((row) => [row.extname!, row]));
}

const entry = (rows: Record<string, PsqlRow>, name: unknown): PsqlRow | null =>
  Object.hasOwn(rows, str(name)) ? rows[str(name)]! : null;

/** True if one version comes before another: parts of digits are numbers, others texts. */
function isOlder(a: string, b: string): boolean {
  const parts = (text: string) => text.match(/\d+|[a-z]+/g) ?? [];
  const [x, y] = [parts(a), parts(b)];
  for (let at = 0; at < Math.max(x.length, y.length); at++) {
    const [one, other] = [x[at], y[at]];
    if (one === undefined || other === undefined) return one === undefined;
    if (one === other) continue;
    return /^\d/.test(one) && /^\d/.test(other) ? Number(one) < Number(other) : one < other;
  }
  return false;
}

async function metadata(context: JobContext, args: Args): Promise<string[]> {
  const { name, ext_version, schema } = args;
  const found = entry(await installed(context, psqlConnectionOf(args)), name);
  if (found === null) return [EXTENSION.absent];
  const isBehind = ext_version !== null && isOlder(found.extversion ?? str(ext_version), str(ext_version));
  const isElsewhere = schema !== null && found.extrelocatable === "t" && found.schema_name !== str(schema);
  return [
    EXTENSION.installed,
    ...(isBehind ? [EXTENSION.upgrade] : []),
    ...(isElsewhere ? [EXTENSION.move] : []),
  ];
}

function createStatements(args: Args, state: string[]): string {
  const { name, schema, ext_version, from_version } = args;
  const own = psqlIdent(name);
  if (!state.includes(EXTENSION.absent)) {
    return [
      ...(truthy(schema) && state.includes(EXTENSION.move)
        ? [`ALTER EXTENSION ${own} SET SCHEMA ${psqlIdent(schema)};`]
        : []),
      ...(truthy(ext_version) && state.includes(EXTENSION.upgrade)
        ? [`ALTER EXTENSION ${own} UPDATE TO ${psqlIdent(ext_version)};`]
        : []),
    ].join(" ");
  }
  const options = [
    ...(truthy(schema) ? [`SCHEMA ${psqlIdent(schema)}`] : []),
    ...(truthy(ext_version) ? [`VERSION ${psqlIdent(ext_version)}`] : []),
    ...(truthy(from_version) ? [`FROM ${psqlIdent(from_version)}`] : []),
  ];
  const always = args.if_not_exists === null || truthy(args.if_not_exists);
  return `CREATE EXTENSION ${always ? "IF NOT EXISTS " : ""}${own}${
    options.length === 0 ? "" : ` WITH ${options.join(" ")}`
  };`;
}

export const EXTENSIONS = executionFunctions({
  [`available_extensions(${CONNECTION})` as const]: {
    doc: "The extensions that a server offers.\n\n    salt '*' postgres.available_extensions",
    run: (context, args) => available(context, psqlConnectionOf(args)),
  },
  [`installed_extensions(${CONNECTION})` as const]: {
    doc: "The extensions of a database.\n\n    salt '*' postgres.installed_extensions maintenance_db=mydb",
    run: (context, args) => installed(context, psqlConnectionOf(args)),
  },
  [`get_available_extension(name, ${CONNECTION})` as const]: {
    doc: "What is known of an extension that is offered.\n\n    salt '*' postgres.get_available_extension plpgsql",
    run: async (context, args) => entry(await available(context, psqlConnectionOf(args)), args.name),
  },
  [`get_installed_extension(name, ${CONNECTION})` as const]: {
    doc: "What is known of an extension of a database.\n\n    salt '*' postgres.get_installed_extension plpgsql",
    run: async (context, args) => entry(await installed(context, psqlConnectionOf(args)), args.name),
  },
  [`is_available_extension(name: str, ${CONNECTION})` as const]: {
    doc: "True if an extension is offered.\n\n    salt '*' postgres.is_available_extension hstore",
    run: async (context, args) =>
      Object.keys(await available(context, psqlConnectionOf(args))).some((name) =>
        name.toLowerCase() === args.name.toLowerCase()
      ),
  },
  [`is_installed_extension(name, ${CONNECTION})` as const]: {
    doc: "True if a database has an extension.\n\n    salt '*' postgres.is_installed_extension hstore",
    run: async (context, args) => entry(await installed(context, psqlConnectionOf(args)), args.name) !== null,
  },
  [`create_metadata(name, ext_version=None, schema=None, ${CONNECTION})` as const]: {
    doc: "Whether an extension is installed, and what would change.\n\n    salt '*' postgres.create_metadata hstore",
    run: metadata,
  },
  create_extension: executionFunction({
    signature: `name, if_not_exists=None, schema=None, ext_version=None, from_version=None, ${CONNECTION}`,
    doc: "Installs, upgrades or moves an extension.\n\n    salt '*' postgres.create_extension hstore",
    async run(context, args): Promise<boolean> {
      const connection = psqlConnectionOf(args);
      const before = await metadata(context, args);
      const offered = Object.keys(await available(context, connection)).map((name) => name.toLowerCase());
      if (offered.includes(str(args.name).toLowerCase())) {
        const sql = createStatements(args, before);
        if (sql !== "") await psqlRuns(context, sql, connection);
      }
      return (await metadata(context, args)).every((flag) => flag === EXTENSION.installed);
    },
  }),
  [`drop_extension(name, if_exists: bool=None, restrict: bool=None, cascade=None, ${CONNECTION})` as const]: {
    doc: "Removes an extension.\n\n    salt '*' postgres.drop_extension hstore",
    async run(context, args): Promise<boolean> {
      const connection = psqlConnectionOf(args);
      const { name, if_exists, restrict, cascade } = args;
      const words = [
        "DROP EXTENSION",
        ...(if_exists ? ["IF EXISTS"] : []),
        psqlIdent(name),
        ...(cascade === null || truthy(cascade) ? ["CASCADE"] : []),
        ...(restrict ? ["RESTRICT"] : []),
      ];
      if (entry(await installed(context, connection), name) !== null) {
        await psqlRuns(context, `${words.join(" ")};`, connection);
      }
      return entry(await installed(context, connection), name) === null;
    },
  },
});
