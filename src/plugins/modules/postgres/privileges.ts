import { executionFunctions, type JobContext, SaltInvocationError } from "../../../model/loader/family.ts";
import { type Args, str, truthy } from "../../../language/python/values.ts";
import { psqlConnectionOf, psqlIdent, psqlLiteral, psqlQuery, psqlRuns } from "./psql.ts";

/** Letters of rights, as PostgreSQL lists them. */
const RIGHTS: Record<string, string> = {
  a: "INSERT",
  C: "CREATE",
  D: "TRUNCATE",
  c: "CONNECT",
  t: "TRIGGER",
  r: "SELECT",
  U: "USAGE",
  T: "TEMPORARY",
  w: "UPDATE",
  X: "EXECUTE",
  x: "REFERENCES",
  d: "DELETE",
  m: "MAINTAIN",
};

/** A kind of object: the rights that there are, and where rights and owner stand. */
interface ObjectKind {
  rights: string;
  /** SQL for the rights as `name`, and for the owner as `name`. */
  acl(name: string, schema: string): string;
  owner(name: string, schema: string): string;
}

const relation = (kinds: string) => ({
  acl: (name: string, schema: string) =>
    "SELECT relacl AS name FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace " +
    `WHERE nspname = ${psqlLiteral(schema)} AND relname = ${
      psqlLiteral(name)
    } AND relkind in (${kinds}) ORDER BY relname`,
  owner: (name: string, schema: string) =>
    "SELECT rolname AS name FROM pg_catalog.pg_class c JOIN pg_roles r ON c.relowner = r.oid " +
    "JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace " +
    `WHERE relkind in (${kinds}) AND nspname = ${psqlLiteral(schema)} AND relname = ${psqlLiteral(name)}`,
});

const named = (table: string, prefix: string, owner: string) => ({
  acl: (name: string) =>
    `SELECT ${prefix}acl AS name FROM pg_catalog.${table} WHERE ${prefix}name = ${
      psqlLiteral(name)
    } ORDER BY ${prefix}name`,
  owner: (name: string) =>
    `SELECT rolname AS name FROM pg_catalog.${table} o JOIN pg_roles r ON o.${owner} = r.oid ` +
    `WHERE ${prefix}name = ${psqlLiteral(name)}`,
});

const KINDS: Record<string, ObjectKind> = {
  table: { rights: "arwdDxtm", ...relation("'r', 'v'") },
  tablespace: { rights: "C", ...named("pg_tablespace", "spc", "spcowner") },
  language: { rights: "U", ...named("pg_language", "lan", "lanowner") },
  sequence: { rights: "rwU", ...relation("'S'") },
  schema: { rights: "UC", ...named("pg_namespace", "nsp", "nspowner") },
  database: { rights: "CTc", ...named("pg_database", "dat", "datdba") },
  function: {
    rights: "X",
    acl: (name, schema) =>
      "SELECT proacl AS name FROM pg_catalog.pg_proc p JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace " +
      `WHERE nspname = ${psqlLiteral(schema)} AND p.oid::regprocedure::text = ${psqlLiteral(name)} ` +
      "ORDER BY proname, proargtypes",
    owner: (name, schema) =>
      "SELECT rolname AS name FROM pg_catalog.pg_proc p JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace " +
      `JOIN pg_catalog.pg_roles r ON p.proowner = r.oid WHERE nspname = ${psqlLiteral(schema)} ` +
      `AND p.oid::regprocedure::text = ${psqlLiteral(name)} ORDER BY proname, proargtypes`,
  },
};

interface Wanted {
  kind: string;
  object: string;
  schema: string;
  role: string;
  privileges: string[];
}

function kindOf(value: unknown): string {
  const kind = str(value).toLowerCase();
  if (kind !== "group" && !Object.hasOwn(KINDS, kind)) {
    throw new SaltInvocationError(`Invalid object_type: ${kind} provided`);
  }
  return kind;
}

/** The arguments, checked. @throws {SaltInvocationError} for rights that such an object has none of */
function wantedOf(args: Args): Wanted {
  const kind = kindOf(args.object_type);
  const given = args.privileges === null ? "" : str(args.privileges);
  const privileges = given.toUpperCase().split(/\s?,\s?/);
  if (kind === "group") {
    if (given !== "") throw new SaltInvocationError("The privileges option should not be set for object_type group");
  } else {
    const known = [...KINDS[kind]!.rights].map((letter) => RIGHTS[letter]!);
    if (!privileges.every((one) => one === "ALL" || known.includes(one))) {
      throw new SaltInvocationError(`Invalid privilege(s): ${given} provided for object ${kind}`);
    }
  }
  return { kind, object: str(args.object_name), schema: str(args.prepend), role: str(args.name), privileges };
}

/** Rights of one role: right → whether it may be passed on. */
function rightsIn(letters: string): Record<string, boolean> {
  const found: Record<string, boolean> = {};
  let last: string | undefined;
  for (const letter of letters) {
    if (letter === "*") {
      if (last !== undefined) found[last] = true;
    } else {
      last = RIGHTS[letter] ?? letter;
      found[last] = false;
    }
  }
  return found;
}

type Privileges = Record<string, Record<string, boolean> | boolean>;

async function list(context: JobContext, args: Args, kind: string, object: string): Promise<Privileges> {
  if (kind === "group") {
    const rows = await psqlQuery(
      context,
      "SELECT rolname, admin_option FROM pg_catalog.pg_auth_members m JOIN pg_catalog.pg_roles r ON m.member=r.oid " +
        `WHERE m.roleid IN (SELECT oid FROM pg_catalog.pg_roles WHERE rolname=${psqlLiteral(object)}) ORDER BY rolname`,
      psqlConnectionOf(args),
    );
    return Object.fromEntries(rows.map((row) => [row.rolname!, row.admin_option === "t"]));
  }
  const rows = await psqlQuery(context, KINDS[kind]!.acl(object, str(args.prepend)), psqlConnectionOf(args));
  const entries = rows.flatMap(({ name = "" }) => name.replace(/^[{}]+|[{}]+$/g, "").split(","));
  return Object.fromEntries(
    entries.map((entry) => entry.split("/")[0]!).filter((entry) => entry.includes("=")).map((entry) => {
      const at = entry.indexOf("=");
      const role = entry.slice(0, at).replace(/^\\?"|\\?"$/g, "");
      return [role === "" ? "public" : role, rightsIn(entry.slice(at + 1))];
    }),
  );
}

async function has(context: JobContext, args: Args): Promise<boolean> {
  const { kind, object, schema, role, privileges } = wantedOf(args);
  if (kind !== "group") {
    const [owner] = await psqlQuery(context, KINDS[kind]!.owner(object, schema), psqlConnectionOf(args));
    if (owner?.name === role) return true;
  }
  const all = await list(context, args, kind, object);
  const own = Object.hasOwn(all, role) ? all[role]! : undefined;
  if (own === undefined) return false;
  if (typeof own === "boolean") return truthy(args.grant_option ?? null) ? own : true;
  const every = [...KINDS[kind]!.rights].map((letter) => RIGHTS[letter]!);
  if (truthy(args.grant_option ?? null)) {
    return Object.keys(own).length === every.length && every.every((right) => own[right] === true);
  }
  if (privileges.includes("ALL")) {
    return Object.keys(own).length === every.length && every.every((right) => Object.hasOwn(own, right));
  }
  return privileges.every((right) => Object.hasOwn(own, right));
}

/** What rights are on, as SQL has it. @throws {SaltInvocationError} for what cannot be the name of a function */
function target({ kind, object, schema }: Wanted): string {
  if ((kind === "table" || kind === "sequence") && object.toUpperCase() === "ALL") {
    return `ALL ${kind.toUpperCase()}S IN SCHEMA ${psqlIdent(schema)}`;
  }
  if (kind === "table" || kind === "sequence") return `${kind.toUpperCase()} ${psqlIdent(schema)}.${psqlIdent(object)}`;
  if (kind !== "function") return `${kind.toUpperCase()} ${psqlIdent(object)}`;
  if (!/^[\w$." ]+\([\w$.,"[\] ]*\)$/.test(object)) {
    throw new SaltInvocationError(`Not the name of a function with the types of its arguments: ${object}`);
  }
  return `FUNCTION ${object}`;
}

/** A role; everybody is no role. */
const grantee = (role: string) => role.toLowerCase() === "public" ? "PUBLIC" : psqlIdent(role);

const REST = "prepend='public', maintenance_db=None, user=None, host=None, port=None, password=None, runas=None";
const OBJECT =
  "\n\nobject_type: table, sequence, schema, database, tablespace, language, function or group. prepend: the schema";

/** Rights on the objects of a database. */
export const PRIVILEGES = executionFunctions({
  [`privileges_list(name: str, object_type, ${REST})` as const]: {
    doc: "The rights on an object: role → right → whether it may be passed on.\n\n" +
      `    salt '*' postgres.privileges_list table_name table maintenance_db=mydb${OBJECT}`,
    run: (context, args) => list(context, args, kindOf(args.object_type), args.name),
  },
  [`has_privileges(name, object_name, object_type, privileges=None, grant_option=None, ${REST})` as const]: {
    doc: "True if a role has rights on an object, or owns it.\n\n" +
      `    salt '*' postgres.has_privileges app table_name table SELECT,INSERT maintenance_db=mydb${OBJECT}`,
    run: has,
  },
  [`privileges_grant(name, object_name, object_type, privileges=None, grant_option: bool=None, ${REST})` as const]: {
    doc: "Gives a role rights on an object.\n\n" +
      `    salt '*' postgres.privileges_grant app table_name table SELECT,UPDATE maintenance_db=mydb${OBJECT}`,
    async run(context, args): Promise<boolean> {
      const wanted = wantedOf(args);
      // As in Salt, whether it may be passed on does not count here.
      if (await has(context, { ...args, grant_option: null })) {
        context.log.info("the privileges exist", { object: wanted.object, role: wanted.role });
        return false;
      }
      const { kind, object, role, privileges } = wanted;
      const passed = args.grant_option;
      const sql = kind === "group"
        ? `GRANT ${psqlIdent(object)} TO ${psqlIdent(role)}${passed ? " WITH ADMIN OPTION" : ""}`
        : `GRANT ${privileges.join(",")} ON ${target(wanted)} TO ${grantee(role)}${passed ? " WITH GRANT OPTION" : ""}`;
      return await psqlRuns(context, sql, psqlConnectionOf(args));
    },
  },
  [`privileges_revoke(name, object_name, object_type, privileges=None, ${REST})` as const]: {
    doc: "Takes rights on an object from a role.\n\n" +
      `    salt '*' postgres.privileges_revoke app table_name table SELECT,UPDATE maintenance_db=mydb${OBJECT}`,
    async run(context, args): Promise<boolean> {
      const wanted = wantedOf(args);
      if (!await has(context, args)) {
        context.log.info("the privileges are missing", { object: wanted.object, role: wanted.role });
        return false;
      }
      const { kind, object, role, privileges } = wanted;
      const sql = kind === "group"
        ? `REVOKE ${psqlIdent(object)} FROM ${psqlIdent(role)}`
        : `REVOKE ${privileges.join(",")} ON ${target(wanted)} FROM ${grantee(role)}`;
      return await psqlRuns(context, sql, psqlConnectionOf(args));
    },
  },
});
