import type { JobContext } from "../../../model/loader/family.ts";
import { executionFunction, executionFunctions, SaltInvocationError } from "../../../model/loader/family.ts";
import { type Args, str, truthy } from "../../../language/python/values.ts";
import type { PsqlConnection, PsqlRow } from "./psql.ts";
import {
  CONNECTION,
  parseCsv,
  psqlConnectionOf,
  psqlIdent,
  psqlLiteral,
  psqlQuery,
  psqlRuns,
  psqlVersion,
} from "./psql.ts";
import { USUAL_ENCRYPTION, verifierOf } from "./passwords.ts";

type Role = Record<string, unknown>;

const FLAGS = [
  "superuser",
  "inherits privileges",
  "can create roles",
  "can create databases",
  "can update system catalogs",
  "can login",
  "replication",
  "connections",
];

const isTrue = (value: string | undefined): boolean | null => value === "t" ? true : value === "f" ? false : null;

function rolesQuery(version: string, withPassword: boolean): string {
  const [major = 0, minor = 0] = version.split(".").map((part) => parseInt(part));
  const catalogs = major < 9 || (major === 9 && minor < 5) ? "pg_roles.rolcatupdate" : "NULL";
  const replication = major < 9 || (major === 9 && minor < 1) ? "NULL" : "pg_roles.rolreplication";
  return 'SELECT pg_roles.rolname as "name", pg_roles.rolsuper as "superuser", ' +
    'pg_roles.rolinherit as "inherits privileges", pg_roles.rolcreaterole as "can create roles", ' +
    `pg_roles.rolcreatedb as "can create databases", ${catalogs} as "can update system catalogs", ` +
    `pg_roles.rolcanlogin as "can login", ${replication} as "replication", ` +
    'pg_roles.rolconnlimit as "connections", ' +
    "(SELECT array_agg(pg_roles2.rolname) FROM pg_catalog.pg_auth_members " +
    "JOIN pg_catalog.pg_roles pg_roles2 ON (pg_auth_members.roleid = pg_roles2.oid) " +
    'WHERE pg_auth_members.member = pg_roles.oid) as "groups", ' +
    'pg_roles.rolvaliduntil::timestamp(0) as "expiry time", pg_roles.rolconfig as "defaults variables"' +
    (withPassword ? ', COALESCE(pg_shadow.passwd, pg_authid.rolpassword) as "password"' : "") +
    " FROM pg_roles" +
    (withPassword
      ? " LEFT JOIN pg_authid ON pg_roles.oid = pg_authid.oid LEFT JOIN pg_shadow ON pg_roles.oid = pg_shadow.usesysid"
      : "");
}

function roleOf(row: PsqlRow, withPassword: boolean): Role {
  const time = row["expiry time"] ?? "";
  return {
    ...Object.fromEntries(FLAGS.map((name) => [name, isTrue(row[name])])),
    "expiry time": /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/.test(time) ? time : null,
    "defaults variables": row["defaults variables"],
    ...(withPassword ? { password: row.password } : {}),
    groups: parseCsv((row.groups ?? "").replace(/^[{}]+|[{}]+$/g, ""))[0] ?? [],
  };
}

/** The roles of a server by name; false if it does not answer. */
async function roles(
  context: JobContext,
  connection: PsqlConnection,
  withPassword: boolean,
): Promise<Record<string, Role> | false> {
  const version = await psqlVersion(context, connection);
  if (version === undefined) {
    context.log.error("the version of PostgreSQL is not known: does the server run?");
    return false;
  }
  const rows = await psqlQuery(context, rolesQuery(version, withPassword), connection);
  return Object.fromEntries(rows.map((row) => [row.name!, roleOf(row, withPassword)]));
}

async function role(context: JobContext, name: unknown, connection: PsqlConnection, withPassword = false) {
  const all = await roles(context, connection, withPassword);
  return all !== false && Object.hasOwn(all, str(name)) ? all[str(name)]! : null;
}

type Kind = "user" | "group";

/** What a role may, where the kind of role decides unless a call does. */
function flagWords(args: Args, kind: Kind | undefined, before: Role | undefined): string[] {
  const inherit = args.inherit ?? (kind === undefined ? null : true);
  const login = args.login ?? (kind === undefined ? null : kind === "user");
  const given: [string, unknown][] = [
    ["INHERIT", inherit],
    ["CREATEDB", args.createdb],
    ["CREATEROLE", args.createroles],
    // Only a superuser may say anything of it.
    [
      "SUPERUSER",
      before !== undefined && truthy(args.superuser ?? null) === truthy(before.superuser) ? null : args.superuser,
    ],
    ["REPLICATION", args.replication],
    ["LOGIN", login],
  ];
  return given.filter(([, value]) => value !== null && value !== undefined)
    .map(([word, value]) => truthy(value) ? word : `NO${word}`);
}

function limitWords({ connlimit, valid_until: until }: Args): string[] {
  const limit = connlimit === null || connlimit === undefined ? undefined : str(connlimit);
  if (limit !== undefined && !/^-?\d+$/.test(limit)) {
    throw new SaltInvocationError(`connlimit must be a whole number, not '${limit}'`);
  }
  return [
    ...(limit === undefined ? [] : [`CONNECTION LIMIT ${limit}`]),
    ...(typeof until === "string" && until !== "" ? [`VALID UNTIL ${psqlLiteral(until)}`] : []),
  ];
}

function passwordWords(context: JobContext, name: string, args: Args): string[] {
  const { rolepassword: password } = args;
  if (password === false) return ["PASSWORD NULL"];
  if (password === null || password === undefined || password === "") return [];
  const encrypted = args.encrypted ?? USUAL_ENCRYPTION;
  const verifier = verifierOf(context.runtime.crypto, name, password, encrypted);
  // UNENCRYPTED, which Salt says for false, is an error since PostgreSQL 10: without the word the server decides.
  return [`${truthy(encrypted) ? "ENCRYPTED " : ""}PASSWORD ${psqlLiteral(verifier)}`];
}

/** The statements that make a role as it is asked for. */
function roleStatements(
  context: JobContext,
  verb: "CREATE" | "ALTER",
  name: string,
  args: Args,
  { kind, before }: { kind?: Kind; before?: Role },
): string {
  const words = [...flagWords(args, kind, before), ...passwordWords(context, name, args), ...limitWords(args)];
  const groups = Array.isArray(args.groups)
    ? args.groups.map(str)
    : truthy(args.groups ?? null)
    ? str(args.groups).split(",")
    : [];
  const head = `${verb} ROLE ${psqlIdent(name)}${words.length === 0 ? "" : ` WITH ${words.join(" ")}`}`;
  return [head, ...groups.map((group) => `GRANT ${psqlIdent(group)} TO ${psqlIdent(name)}`)].join("; ");
}

const isSecret = ({ rolepassword }: Args) => typeof rolepassword === "string" && rolepassword !== "";

const create = (kind: Kind, parameter: string) => async (context: JobContext, args: Args) => {
  const name = str(args[parameter]);
  if (await role(context, name, psqlConnectionOf(args)) !== null) {
    context.log.info("the role exists", { kind, name });
    return false;
  }
  const sql = roleStatements(context, "CREATE", name, args, { kind });
  return await psqlRuns(context, { sql, secret: isSecret(args) }, psqlConnectionOf(args));
};

const update = (kind: Kind, parameter: string) => async (context: JobContext, args: Args) => {
  const name = str(args[parameter]);
  const before = await role(context, name, psqlConnectionOf(args));
  if (before === null) {
    context.log.info("there is no such role", { kind, name });
    return false;
  }
  const sql = `${roleStatements(context, "ALTER", name, args, { before })};`;
  return await psqlRuns(context, { sql, secret: isSecret(args) }, psqlConnectionOf(args));
};

const remove = (parameter: string) => async (context: JobContext, args: Args) => {
  const name = str(args[parameter]);
  if (await role(context, name, psqlConnectionOf(args)) === null) return false;
  await psqlRuns(context, `DROP ROLE ${psqlIdent(name)}`, psqlConnectionOf(args));
  return await role(context, name, psqlConnectionOf(args)) === null;
};

const START = "user=None, host=None, port=None, maintenance_db=None, password=None, createdb=None, createroles=None, ";
const ENCRYPTED =
  "\n\nencrypted: md5 (the default), scram-sha-256, or False for as it is. A password goes to the server as " +
  "what it keeps of it, and not in a command line";

export const ROLES = executionFunctions({
  [`user_list(${CONNECTION}, return_password: bool=False)` as const]: {
    doc: "The roles of a server: name → what each may.\n\n    salt '*' postgres.user_list",
    run: (context, args) => roles(context, psqlConnectionOf(args), args.return_password),
  },
  [`role_get(name, ${CONNECTION}, return_password: bool=False)` as const]: {
    doc: "What a role may; null if there is none of that name.\n\n    salt '*' postgres.role_get app",
    run: (context, args) => role(context, args.name, psqlConnectionOf(args), args.return_password),
  },
  [`user_exists(name, ${CONNECTION})` as const]: {
    doc: "True if there is a role of that name.\n\n    salt '*' postgres.user_exists app",
    run: async (context, args) => await role(context, args.name, psqlConnectionOf(args)) !== null,
  },
  user_create: executionFunction({
    signature: `username, ${START}inherit=None, login=None, connlimit=None, encrypted=None, superuser=None,
        replication=None, rolepassword=None, valid_until=None, groups=None, runas=None`,
    doc: `Makes a user.\n\n    salt '*' postgres.user_create app rolepassword=secret${ENCRYPTED}`,
    run: create("user", "username"),
  }),
  user_update: executionFunction({
    signature: `username, ${START}encrypted=None, superuser=None, inherit=None, login=None, connlimit=None,
        replication=None, rolepassword=None, valid_until=None, groups=None, runas=None`,
    doc: `Changes a user.\n\n    salt '*' postgres.user_update app createdb=True${ENCRYPTED}`,
    run: update("user", "username"),
  }),
  [`user_remove(username, ${CONNECTION})` as const]: {
    doc: "Removes a user.\n\n    salt '*' postgres.user_remove app",
    run: remove("username"),
  },
  group_create: executionFunction({
    signature: `groupname, ${START}encrypted=None, login=None, inherit=None, superuser=None, replication=None,
        rolepassword=None, groups=None, runas=None`,
    doc: `Makes a group.\n\n    salt '*' postgres.group_create apps${ENCRYPTED}`,
    run: create("group", "groupname"),
  }),
  group_update: executionFunction({
    signature: `groupname, ${START}encrypted=None, inherit=None, login=None, superuser=None, replication=None,
        rolepassword=None, groups=None, runas=None`,
    doc: `Changes a group.\n\n    salt '*' postgres.group_update apps createdb=True${ENCRYPTED}`,
    run: update("group", "groupname"),
  }),
  [`group_remove(groupname, ${CONNECTION})` as const]: {
    doc: "Removes a group.\n\n    salt '*' postgres.group_remove apps",
    run: remove("groupname"),
  },
});
