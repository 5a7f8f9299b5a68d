import { hex } from "../../../protocol/crypto/hex.ts";
import { executionFunction, executionFunctions, type JobContext } from "../../../model/loader/family.ts";
import { type Args, str, truthy } from "../../../language/python/values.ts";
import { connectionOf, isAtLeast, noteError, orElse, rowsOf, runs, serverVersion, word } from "./client.ts";
import { mysqlLiteral } from "../../mysql_session.ts";
import { pluginStatus } from "./server.ts";

const NATIVE = "mysql_native_password";

/** Salt's notion of true: `true`, `"True"`, 1. */
export const isYes = (value: unknown): boolean =>
  typeof value === "string" ? value.toLowerCase() === "true" : typeof value === "boolean" ? value : Number(value) > 0;

/** A server, and how its users are kept. */
interface Server {
  connection: Args;
  isMaria: boolean;
  version: string;
  column: string;
}

/**
 * The server, where the password of the user who shall get it may be needed to get in: somebody changes the own password.
 *
 * @returns undefined if there is no connection
 */
async function openServer(context: JobContext, args: Args): Promise<Server | undefined> {
  let connection = connectionOf(args);
  let version = await serverVersion(context, connection);
  if (version === "" && truthy(args.password ?? null)) {
    connection = { ...connection, connection_pass: args.password };
    version = await serverVersion(context, connection);
  }
  if (version === "") return undefined;
  const given = args.password_column ?? null;
  const column = truthy(given) ? word(given) : await orElse("Password", async () => {
    const sql = "SELECT column_name FROM information_schema.COLUMNS WHERE table_schema='mysql' AND table_name='user' " +
      "AND column_name='Password'";
    return (await rowsOf(context, sql, connection)).length > 0 ? "Password" : "authentication_string";
  });
  return { connection, isMaria: version.includes("MariaDB"), version, column };
}

const isNewMysql = ({ isMaria, version }: Server) => !isMaria && isAtLeast(version, "8.0.11");

/** `'user'@'host'` */
export const account = ({ user, host }: Args) => `${mysqlLiteral(user)}@${mysqlLiteral(host)}`;
const accountRow = ({ user, host }: Args) => `User = ${mysqlLiteral(user)} AND Host = ${mysqlLiteral(host)}`;

function nativeHash(context: JobContext, password: string): string {
  const { crypto } = context.runtime;
  const once = crypto.hash("sha1", new TextEncoder().encode(password));
  return `*${hex(crypto.hash("sha1", once)).toUpperCase()}`;
}

async function pluginOf(context: JobContext, args: Args, { connection }: Server): Promise<string> {
  return await orElse(NATIVE, async () => {
    const [row] = await rowsOf(context, `SELECT plugin FROM mysql.user WHERE ${accountRow(args)}`, connection);
    return row?.plugin ?? NATIVE;
  });
}

/** What else must hold of the row of a user. */
async function condition(context: JobContext, args: Args, server: Server): Promise<string> {
  const { password, password_hash: hash } = args;
  if (isYes(args.passwordless ?? false)) {
    const plugin = server.isMaria ? "unix_socket" : "auth_socket";
    return isYes(args.unix_socket ?? false) ? ` AND plugin=${mysqlLiteral(plugin)}` : ` AND ${server.column} = ''`;
  }
  if (truthy(password ?? null)) {
    if (!isNewMysql(server)) return ` AND ${server.column} = PASSWORD(${mysqlLiteral(password)})`;
    if (await pluginOf(context, args, server) === NATIVE) {
      return ` AND ${server.column} = ${mysqlLiteral(nativeHash(context, str(password)))}`;
    }
    noteError(context, "Unable to verify password.");
    return "";
  }
  return truthy(hash ?? null) ? ` AND ${server.column} = ${mysqlLiteral(hash)}` : "";
}

async function exists(context: JobContext, args: Args): Promise<boolean> {
  const server = await openServer(context, args);
  if (server === undefined) return false;
  return await orElse(false, async () => {
    const more = await condition(context, args, server);
    const sql = `SELECT User,Host FROM mysql.user WHERE ${accountRow(args)}${more}`;
    return (await rowsOf(context, sql, server.connection)).length === 1;
  });
}

/** Why a user cannot be known by the socket, whatever server it is; undefined if one may. */
export const socketComplaint = (unixSocket: unknown, host: unknown): string | undefined =>
  truthy(unixSocket) && str(host) !== "localhost"
    ? "Auth via unix_socket can be set only for host=localhost"
    : undefined;

/** True if users may be known by the socket; otherwise the job has an error. */
async function maySocket(context: JobContext, args: Args, server: Server): Promise<boolean> {
  const plugin = server.isMaria ? "unix_socket" : "auth_socket";
  if (!truthy(await pluginStatus(context, plugin, server.connection))) {
    noteError(context, `The ${plugin} plugin is not enabled.`);
    return false;
  }
  const complaint = socketComplaint(true, args.host);
  if (complaint === undefined) return true;
  noteError(context, complaint);
  return false;
}

/** How a new user proves who it is; undefined if nothing says it. */
async function identified(context: JobContext, args: Args, server: Server): Promise<string | undefined> {
  const { password, password_hash: hash } = args;
  if (truthy(args.unix_socket)) {
    if (!await maySocket(context, args, server)) return undefined;
    return server.isMaria ? " IDENTIFIED VIA unix_socket" : " IDENTIFIED WITH auth_socket";
  }
  if (isYes(args.allow_passwordless)) return "";
  if (password === null && hash === null) {
    context.log.error("password or password_hash must be given, unless allow_passwordless is true");
    return undefined;
  }
  const value = mysqlLiteral(password ?? hash);
  if (isNewMysql(server)) {
    return ` IDENTIFIED WITH ${mysqlLiteral(args.auth_plugin)} ${password === null ? "AS" : "BY"} ${value}`;
  }
  return password === null ? ` IDENTIFIED BY PASSWORD ${value}` : ` IDENTIFIED BY ${value}`;
}

/** The statement that gives a user another password; undefined if nothing says which. */
async function passwordStatement(context: JobContext, args: Args, server: Server): Promise<string | undefined> {
  const { password, password_hash: hash } = args;
  const isFree = isYes(args.allow_passwordless);
  if (password === null && hash === null && !isFree) {
    context.log.error("password or password_hash must be given, unless allow_passwordless is true");
    return undefined;
  }
  const alter = `ALTER USER ${account(args)} IDENTIFIED`;
  if (isFree && isYes(args.unix_socket ?? false)) {
    if (!await maySocket(context, args, server)) return undefined;
    return server.isMaria ? `${alter} VIA unix_socket` : `${alter} WITH auth_socket AS ${mysqlLiteral(args.user)}`;
  }
  const plugin = await pluginOf(context, args, server);
  const value = mysqlLiteral(password ?? hash ?? "");
  if (isNewMysql(server)) return `${alter} WITH ${mysqlLiteral(plugin)} ${password === null ? "AS" : "BY"} ${value}`;
  const kept = password === null ? value : `PASSWORD(${value})`;
  if (server.isMaria && isAtLeast(server.version, "10.4")) return `${alter} VIA ${word(plugin)} USING ${kept}`;
  return `UPDATE mysql.user SET ${server.column}=${kept} WHERE ${accountRow(args)}`;
}

/** The grants of a user as the server writes them, without passwords; false if there is no such user. */
export async function userGrants(context: JobContext, args: Args): Promise<string[] | false> {
  if (!await exists(context, { user: args.user, host: args.host, connection_args: args.connection_args })) return false;
  return await orElse(false, async () => {
    const rows = await rowsOf(context, `SHOW GRANTS FOR ${account(args)}`, connectionOf(args));
    return rows.map((row) => {
      const whole = Object.values(row)[0] ?? "";
      const [grant = ""] = whole.split(" IDENTIFIED BY");
      const passes = whole.includes("WITH GRANT OPTION") && !grant.includes("WITH GRANT OPTION");
      return passes ? `${grant} WITH GRANT OPTION` : grant;
    });
  });
}

const WHO = "user, host='localhost'";

export const USERS = executionFunctions({
  "user_list(**connection_args)": {
    doc: "The users of a server.\n\n    salt '*' mysql.user_list",
    run: (context, args) => orElse([], () => rowsOf(context, "SELECT User,Host FROM mysql.user", connectionOf(args))),
  },
  user_exists: executionFunction({
    signature: `${WHO}, password=None, password_hash=None, passwordless=False, unix_socket=False,
        password_column=None, **connection_args`,
    doc: "True if there is a user, with that password if one is given.\n\n    salt '*' mysql.user_exists app localhost",
    run: exists,
  }),
  [`user_info(${WHO}, **connection_args)` as const]: {
    doc: "Everything that the server keeps of a user.\n\n    salt '*' mysql.user_info root localhost",
    async run(context, args): Promise<unknown> {
      return await orElse(false, async () => {
        const [row] = await rowsOf(context, `SELECT * FROM mysql.user WHERE ${accountRow(args)}`, connectionOf(args));
        return row ?? null;
      });
    },
  },
  user_create: executionFunction({
    signature: `${WHO}, password=None, password_hash=None, allow_passwordless=False, unix_socket=False,
        password_column=None, auth_plugin='${NATIVE}', **connection_args`,
    doc: "Makes a user.\n\n    salt '*' mysql.user_create app localhost secret",
    async run(context, args): Promise<boolean> {
      const { user, host } = args;
      const server = await openServer(context, args);
      if (server === undefined) return false;
      const plain = { user, host, connection_args: server.connection };
      if (await exists(context, plain)) {
        context.log.info("the user exists", { user: str(user), host: str(host) });
        return false;
      }
      const how = await identified(context, args, server);
      if (how === undefined || !await runs(context, `CREATE USER ${account(args)}${how}`, server.connection)) {
        return false;
      }
      const { password, password_hash } = args;
      return await exists(context, { ...plain, password, password_hash, password_column: args.password_column });
    },
  }),
  user_chpass: executionFunction({
    signature: `${WHO}, password=None, password_hash=None, allow_passwordless=False, unix_socket=None,
        password_column=None, **connection_args`,
    doc: "Gives a user another password.\n\n    salt '*' mysql.user_chpass app localhost secret",
    async run(context, args): Promise<boolean> {
      const { user, host } = args;
      const server = await openServer(context, args);
      if (server === undefined) return false;
      if (!await exists(context, { user, host, connection_args: server.connection })) {
        context.log.info("there is no such user", { user: str(user), host: str(host) });
        return false;
      }
      const sql = await passwordStatement(context, args, server);
      return sql !== undefined && await runs(context, `${sql};\nFLUSH PRIVILEGES`, server.connection);
    },
  }),
  [`user_remove(${WHO}, **connection_args)` as const]: {
    doc: "Removes a user.\n\n    salt '*' mysql.user_remove app localhost",
    async run(context, args): Promise<boolean> {
      if (!await exists(context, args)) return false;
      return await runs(context, `DROP USER ${account(args)}`, connectionOf(args)) && !await exists(context, args);
    },
  },
  [`user_grants(${WHO}, **connection_args)` as const]: {
    doc: "What a user may; False if there is none.\n\n    salt '*' mysql.user_grants app",
    run: userGrants,
  },
  "verify_login(user, password=None, **connection_args)": {
    doc: "True if a user can log in.\n\n    salt '*' mysql.verify_login app secret",
    run: async (context, { user, password, connection_args }) =>
      await serverVersion(context, {
        ...connection_args,
        connection_user: user,
        connection_pass: password,
      }) !== "",
  },
});
