import type { Context, JobContext } from "../../../model/loader/family.ts";
import { CommandExecutionError, SaltInvocationError } from "../../../model/loader/family.ts";
import { type Args, repr, str, truthy } from "../../../language/python/values.ts";
import { type CommandOutcome, programPath, runAll } from "../../commands.ts";
import { findAccount } from "../../../runtime/accounts.ts";
import { isProgram, which } from "../../linux/programs.ts";
import { temporaryFile } from "../../host_files.ts";

/** Rows and fields of CSV: fields between quotes may have commas, line feeds, and quotes as two. */
export function parseCsv(text: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  let isRow = false;
  const end = () => {
    rows.push(row);
    row = [];
    isRow = false;
  };
  for (const [whole, quoted, plain = "", stop] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\n]*))(,|\r?\n|$)/g)) {
    // The end of the text is found once more behind its last line feed.
    if (whole === "" && !isRow) break;
    row.push(quoted === undefined ? plain.replace(/\r$/, "") : quoted.replaceAll('""', '"'));
    isRow = stop === ",";
    if (!isRow) end();
  }
  return rows;
}

/** The parameters of a connection, in Salt's order. */
export const CONNECTION = "user=None, host=None, port=None, maintenance_db=None, password=None, runas=None";

/** Where a server is, and who asks it. */
export interface PsqlConnection {
  user?: unknown;
  host?: unknown;
  port?: unknown;
  maintenance_db?: unknown;
  password?: unknown;
  runas?: unknown;
}

/** The connection among the arguments of a function. */
export function psqlConnectionOf({ user, host, port, maintenance_db, password, runas }: Args): PsqlConnection {
  return { user, host, port, maintenance_db, password, runas };
}

/** The path of one of PostgreSQL's programs: of `postgres.bins_dir`, or the first of `PATH`. */
export async function postgresProgram(context: JobContext, name: string): Promise<string> {
  const directory = await context.call("config.option", ["postgres.bins_dir"]);
  const own = truthy(directory) ? `${str(directory)}/${name}` : undefined;
  const path = own !== undefined && isProgram(context.runtime.fs, own) ? own : programPath(context, name);
  if (path === undefined) throw new CommandExecutionError(`${name} executable not found.`);
  return path;
}

/** An option of the configuration; undefined if it is not set. */
async function option(context: JobContext, name: string): Promise<unknown> {
  const value = await context.call("config.option", [`postgres.${name}`]);
  return truthy(value) ? value : undefined;
}

async function chosen(context: JobContext, given: unknown, name: string): Promise<string | undefined> {
  const value = truthy(given ?? null) ? given : await option(context, name);
  return value === undefined ? undefined : str(value);
}

/** The user of this host that PostgreSQL's programs run as where a call names none. */
export function systemUser(context: JobContext): string {
  return str(context.grains.os_family ?? "").includes("OpenBSD") ? "_postgresql" : "postgres";
}

/** Runs `use` with a file that one user of this host alone can read. */
export async function withSecret<T>(
  context: JobContext,
  content: string,
  owner: string | undefined,
  use: (path: string) => Promise<T>,
): Promise<T> {
  const { fs } = context.runtime;
  const account = owner === undefined ? undefined : findAccount(context.runtime, owner);
  if (owner !== undefined && account === undefined) throw new CommandExecutionError(`User '${owner}' is not available`);
  const path = temporaryFile(context.runtime, content);
  try {
    if (account !== undefined && context.runtime.process.uid() === 0) fs.chown(path, account.uid, account.gid);
    return await use(path);
  } finally {
    fs.remove(path);
  }
}

/** A field of a file of passwords. */
const passField = (text: string) => text.replace(/[\\:]/g, "\\$&");

/** What a run of psql is given: statements as its argument, or, if they hold a secret, on its standard input. */
interface Statements {
  sql: string;
  secret?: boolean;
}

/** Runs psql. It never asks for a password: that comes in a file. */
export async function psql(
  context: JobContext,
  { sql, secret = false }: Statements,
  connection: PsqlConnection,
  variables: readonly string[] = [],
): Promise<CommandOutcome> {
  const host = await chosen(context, connection.host, "host");
  const isLocal = host === undefined || host.startsWith("/");
  const runas = truthy(connection.runas ?? null) ? str(connection.runas) : isLocal ? systemUser(context) : undefined;
  const user = await chosen(context, connection.user, "user");
  const port = await chosen(context, connection.port, "port");
  const words = [
    await postgresProgram(context, "psql"),
    "--no-align",
    "--no-readline",
    "--no-psqlrc",
    "--no-password",
    ...(user === undefined ? [] : ["--username", user]),
    ...(host === undefined ? [] : ["--host", host]),
    ...(port === undefined ? [] : ["--port", port]),
    "--dbname",
    await chosen(context, connection.maintenance_db, "maintenance_db") ?? "postgres",
    ...variables.flatMap((variable) => ["-v", variable]),
    ...(secret ? ["-v", "ON_ERROR_STOP=1", "--single-transaction", "-f", "-"] : ["-c", sql]),
  ];
  const run = (env: Record<string, string>) =>
    runAll(context, words, { ...runOptions, env, ...(runas === undefined ? {} : { runas }) });
  const timeout = await option(context, "timeout");
  const runOptions: Args = {
    reset_system_locale: false,
    clean_env: true,
    ...(timeout === undefined ? {} : { timeout }),
    ...(secret ? { stdin: sql } : {}),
  };
  const password = connection.password ?? await option(context, "pass");
  const outcome = password === undefined || password === null ? await run({}) : await withSecret(
    context,
    [
      isLocal ? "localhost" : passField(host),
      port ?? "*",
      "*",
      passField(user ?? runas ?? "*"),
      passField(str(password)),
    ]
      .join(":") + "\n",
    runas,
    (path) => run({ PGPASSFILE: path }),
  );
  if (outcome.retcode !== 0) context.log.error("psql failed", { retcode: outcome.retcode });
  return outcome;
}

/** True if a statement could be run. */
export async function psqlRuns(
  context: JobContext,
  statements: Statements | string,
  connection: PsqlConnection,
): Promise<boolean> {
  const given = typeof statements === "string" ? { sql: statements } : statements;
  return (await psql(context, given, connection)).retcode === 0;
}

export type PsqlRow = Record<string, string>;

/** The rows that a query finds; none if it fails. @param write it may change something */
export async function psqlQuery(
  context: JobContext,
  sql: string,
  connection: PsqlConnection,
  write = false,
): Promise<PsqlRow[]> {
  const copy = `COPY (${sql.trim().replace(/;+$/, "")}) TO STDOUT WITH CSV HEADER`;
  const whole = write ? `START TRANSACTION READ WRITE; ${copy}; COMMIT TRANSACTION;` : copy;
  const { retcode, stdout } = await psql(context, { sql: whole }, connection, ["datestyle=ISO,MDY"]);
  if (retcode > 0) return [];
  const [header = [], ...rows] = parseCsv(stdout).filter((row) => row.length > 0);
  const found = rows.map((row) => Object.fromEntries(header.slice(0, row.length).map((name, at) => [name, row[at]!])));
  // The last line tells of the transaction.
  return write ? found.slice(0, -1) : found;
}

export const psqlIdent = (name: unknown): string => `"${checked(name).replaceAll('"', '""')}"`;

/** A text as SQL has it, whatever `standard_conforming_strings` says. */
export function psqlLiteral(value: unknown): string {
  const text = checked(value).replaceAll("'", "''");
  return text.includes("\\") ? `E'${text.replaceAll("\\", "\\\\")}'` : `'${text}'`;
}

function checked(value: unknown): string {
  const text = str(value);
  if (text.includes("\0")) {
    throw new SaltInvocationError(`A name or value of SQL cannot hold a null character: ${repr(text)}`);
  }
  return text;
}

/** The version of the server as it says it; undefined if it does not answer. */
export async function psqlVersion(context: JobContext, connection: PsqlConnection): Promise<string | undefined> {
  const sql = "SELECT setting FROM pg_catalog.pg_settings WHERE name = 'server_version'";
  const found = await psqlQuery(context, sql, connection);
  return found[0]?.setting;
}

/** True if PostgreSQL's program psql can be run here, or Debian's programs for its clusters. */
export function isAvailable({ runtime: { fs, process }, opts }: Pick<Context, "runtime" | "opts">): boolean {
  const directory = opts["postgres.bins_dir"];
  if (typeof directory === "string" && isProgram(fs, `${directory}/psql`)) return true;
  return ["psql", "pg_createcluster"].some((name) => which(fs, name, process.env("PATH")) !== undefined);
}
