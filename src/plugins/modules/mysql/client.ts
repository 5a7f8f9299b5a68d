import { CommandNotFoundError, type JobContext, SaltInvocationError } from "../../../model/loader/family.ts";
import { type Args, str, truthy } from "../../../language/python/values.ts";
import { programPath, runAll } from "../../commands.ts";
import type { MysqlFields } from "../../mysql_session.ts";
import { checkedText, MYSQL_PROGRAMS, mysqlErrorOf, parseResults, SESSION_WORDS } from "../../mysql_session.ts";

export type MysqlRow = Record<string, string | null>;

/** The last error of a job's queries, for the states that tell of it (Salt's `__context__["mysql.error"]`). */
const ERRORS = new WeakMap<AbortSignal, string>();

/** Takes the last error of this job; undefined if there was none since. */
export function takeError({ signal }: Pick<JobContext, "signal">): string | undefined {
  const error = ERRORS.get(signal);
  ERRORS.delete(signal);
  return error;
}

export function noteError(context: JobContext, error: string): void {
  ERRORS.set(context.signal, error);
  context.log.error("a query failed", { error });
}

/** A query was refused, or there was no connection: noted as the last error of the job. */
class QueryError extends Error {
  /** The server's or the client's number. */
  readonly number: number;

  constructor(number: number, message: string) {
    super(`MySQL Error ${number}: ${message}`);
    this.number = number;
  }
}

/** The words of the client for a connection: from the arguments `connection_*`, else the options `mysql.*`. */
async function connectionWords(context: JobContext, args: Args): Promise<{ words: string[]; password?: string }> {
  const hasFile = truthy(args.connection_default_file ?? null);
  const given = async (name: string): Promise<string | undefined> => {
    const key = `connection_${name}`;
    const value = key in args ? args[key] : hasFile ? null : await context.call("config.option", [`mysql.${name}`]);
    return truthy(value ?? null) ? str(value) : undefined;
  };
  const file = await given("default_file");
  const group = await given("default_group");
  const words = [file === undefined ? "--no-defaults" : `--defaults-file=${file}`];
  if (file !== undefined && group !== undefined) words.push(`--defaults-group-suffix=${group}`);
  const options = { host: "host", user: "user", port: "port", db: "database", unix_socket: "socket" };
  for (const [name, option] of Object.entries(options)) {
    const value = await given(name);
    if (value !== undefined) words.push(`--${option}=${value}`);
  }
  const password = await given("pass");
  words.push(`--default-character-set=${await given("charset") ?? "utf8mb4"}`);
  return { words, ...(password === undefined ? {} : { password }) };
}

/**
 * Runs statements in one session, and returns the rows of each that has any to give.
 *
 * The client gets them on its input, and takes no commands of its own from there but `delimiter`.
 *
 * @throws {QueryError} if one is refused, or there is no connection
 */
export async function execute(context: JobContext, sql: string, args: Args): Promise<MysqlFields[][]> {
  const program = MYSQL_PROGRAMS.map((name) => programPath(context, name)).find((path) => path !== undefined);
  if (program === undefined) {
    throw new CommandNotFoundError(`None of the programs ${MYSQL_PROGRAMS.join(", ")} is installed`);
  }
  const { words, password } = await connectionWords(context, args);
  const { retcode, stdout, stderr } = await runAll(context, [program, ...words, "--xml", ...SESSION_WORDS], {
    stdin: `${sql}\n`,
    rstrip: false,
    ignore_retcode: true,
    ...(password === undefined ? {} : { env: { MYSQL_PWD: password } }),
  });
  if (retcode === 0) return parseResults(stdout);
  const { number, message } = mysqlErrorOf(stderr);
  const error = new QueryError(number, message);
  noteError(context, error.message);
  throw error;
}

/** Of a session of our own statements: texts mean the same whatever the server's mode is. */
const OWN_MODE = "SET SESSION sql_mode='';";

/** The rows of the last of our own statements. @throws {QueryError} */
export async function rowsOf(context: JobContext, sql: string, args: Args): Promise<MysqlRow[]> {
  const rows = (await execute(context, `${OWN_MODE}\n${sql};`, args)).at(-1) ?? [];
  return rows.map((fields) => Object.fromEntries(fields));
}

/** What `work` finds; `failed` if its query is refused. */
export async function orElse<T, F>(failed: F, work: () => Promise<T>): Promise<T | F> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof QueryError) return failed;
    throw error;
  }
}

/** True if a statement of ours could be run. */
export async function runs(context: JobContext, sql: string, args: Args): Promise<boolean> {
  return await orElse(false, async () => {
    await rowsOf(context, sql, args);
    return true;
  });
}

/** A name as SQL has it. @param forGrants as that of a database in a grant, where `_` stands for any character */
export function ident(name: unknown, forGrants = false): string {
  const text = checkedText(name).replaceAll("`", "``");
  return `\`${forGrants ? text.replaceAll("_", "\\_").replaceAll("%", "\\%") : text}\``;
}

/** A bare word of SQL: the name of a plugin, a character set. @throws {SaltInvocationError} if it is none */
export function word(value: unknown): string {
  const text = str(value);
  if (/^\w+$/.test(text)) return text;
  throw new SaltInvocationError(`Expected a name of letters, digits and _, got '${text}'`);
}

/** The connection among the arguments of a function. */
export const connectionOf = (args: Args): Args => args.connection_args as Args;

/** The version of the server as it says it; empty if there is no connection. */
export async function serverVersion(context: JobContext, connection: Args): Promise<string> {
  return await orElse("", async () => (await rowsOf(context, "SELECT VERSION() AS v", connection))[0]?.v ?? "");
}

/** True if a version is that one or later, by its numbers. */
export function isAtLeast(version: string, wanted: string): boolean {
  const [have, want] = [version, wanted].map((text) => (/^[\d.]+/.exec(text)?.[0] ?? "").split(".").map(Number));
  for (let at = 0; at < want!.length; at++) if ((have![at] ?? 0) !== want![at]) return (have![at] ?? 0) > want![at]!;
  return true;
}
