import { executionFunctions, type JobContext, SaltInvocationError } from "../../../model/loader/family.ts";
import { type Args, entriesOf, isMap, str, truthy } from "../../../language/python/values.ts";
import { connectionOf, ident, isAtLeast, noteError, orElse, rowsOf, runs, serverVersion } from "./client.ts";
import { mysqlLiteral } from "../../mysql_session.ts";
import { type Grant, grantTokens } from "./tokens.ts";
import { account, isYes, userGrants } from "./users.ts";

/** Words that a grant may have; servers know which of them are theirs. */
const GRANT_WORD = /^[A-Z][A-Z_ ]*$/;
const SSL_VALUES = ["CIPHER", "ISSUER", "SUBJECT"];
const SSL_WORDS = [...SSL_VALUES, "SSL", "X509"];

/** One grant with its columns: `SELECT (a, b)`. */
interface Part {
  privilege: string;
  columns: string[];
}

/** The grants of a text. @throws {SaltInvocationError} for what can be none */
function partsOf(text: string): Part[] {
  const whole = text.trim().toUpperCase() === "ALL" ? "ALL PRIVILEGES" : text;
  const parts = whole.match(/[^,(]+(?:\([^)]*\))?/g) ?? [];
  return parts.map((part) => part.trim()).filter((part) => part !== "").map((part) => {
    const [, name = "", columns] = /^([^(]*?)\s*(?:\(([^)]*)\))?$/.exec(part) ?? [];
    const privilege = name.trim().toUpperCase().replace(/\s+/g, " ");
    if (!GRANT_WORD.test(privilege)) throw new SaltInvocationError(`Invalid grant : '${name}'`);
    return { privilege, columns: columns === undefined ? [] : columns.split(",").map((column) => column.trim()) };
  });
}

/** Columns are names: they are quoted unless the caller says that all is SQL already. */
const partText = ({ privilege, columns }: Part) =>
  columns.length === 0
    ? privilege
    : `${privilege} (${columns.map((column) => ident(column.replace(/^`|`$/g, ""))).join(", ")})`;

function objectText(database: unknown, escape: unknown): string {
  const text = str(database);
  const at = text.lastIndexOf(".");
  const [base, table] = at < 0 ? ["", text] : [text.slice(0, at), text.slice(at + 1)];
  if (!isYes(escape) && !/^(?:\*|[\w$%\\]+|`[^`]*`)\.(?:\*|[\w$]+|`[^`]*`)$/.test(text)) {
    throw new SaltInvocationError(`Not a database and a table with a dot between: '${text}'`);
  }
  if (!isYes(escape)) return text;
  return `${base === "*" ? base : ident(base, table === "*")}.${table === "*" ? table : ident(table)}`;
}

/** What must hold of the user's connections. */
function sslText(options: unknown): string {
  if (!Array.isArray(options) || options.length === 0) return "";
  const words = options.flatMap((option) => {
    const [entry] = isMap(option) ? entriesOf(option) : [];
    const word = str(entry?.[0] ?? option).trim().toUpperCase();
    if (!SSL_WORDS.includes(word)) throw new SaltInvocationError(`Invalid SSL option : '${str(entry?.[0] ?? option)}'`);
    if (SSL_VALUES.includes(word)) return [`${word} ${mysqlLiteral(str(entry?.[1] ?? "").replaceAll("'", ""))}`];
    return truthy(entry?.[1]) ? [word] : [];
  });
  return words.length === 0 ? "" : ` REQUIRE ${words.join(" AND ")}`;
}

/** Names that a server shows under others, by its release. */
const ALIASES: [since: string, given: string, shown: string][] = [
  ["10.5.1", "REPLICATION REPLICA", "REPLICATION SLAVE"],
  ["10.5.2", "REPLICATION CLIENT", "BINLOG MONITOR"],
  ["10.5.9", "REPLICA MONITOR", "SLAVE MONITOR"],
];

function shownAs(grants: readonly string[], version: string): string[] {
  if (!version.includes("MariaDB")) return [...grants];
  return grants.map((grant) =>
    ALIASES.find(([since, given]) => given === grant && isAtLeast(version, since))?.[2] ?? grant
  );
}

/** A name without its quotes and what escapes in it. */
const bare = (text: string) => text.replace(/["\\`]/g, "");

/** The grants that a call asks for, each as the server shows it. */
async function targetOf(context: JobContext, args: Args, version: string): Promise<Grant> {
  const given = str(args.grant);
  const object = objectText(args.database, args.escape);
  const plain = { user: str(args.user), host: str(args.host), database: object };
  if (!given.toUpperCase().includes("ALL")) {
    const grant = partsOf(given).flatMap(({ privilege, columns }) =>
      columns.length === 0
        ? [privilege]
        : [privilege, ...columns.map((column) => `${privilege}.${ident(column.replace(/^`|`$/g, ""))}`)]
    );
    return { ...plain, grant };
  }
  if (version.includes("MariaDB") || !isAtLeast(version, "8.0") || str(args.database) !== "*.*") {
    return { ...plain, grant: ["ALL PRIVILEGES"] };
  }
  // MySQL 8 shows each of them.
  const rows = await orElse([], () => rowsOf(context, "SHOW PRIVILEGES", connectionOf(args)));
  const names = rows.map((row) => (row.Privilege ?? "").trim().toUpperCase());
  return { ...plain, grant: names.filter((name) => !["", "USAGE", "GRANT OPTION", "PROXY"].includes(name)) };
}

async function exists(context: JobContext, args: Args): Promise<boolean> {
  const version = await serverVersion(context, connectionOf(args));
  if (version === "") return false;
  let target: Grant;
  try {
    target = await targetOf(context, args, version);
  } catch (error) {
    if (!(error instanceof SaltInvocationError)) throw error;
    context.log.error("a grant cannot be read", { error: error.message });
    return false;
  }
  const shown = await userGrants(context, args);
  if (shown === false) return false;
  const has = new Map<string, string[]>();
  for (const { database, grant, user, host } of shown.map(grantTokens)) {
    if (bare(user) !== bare(target.user) || bare(host) !== bare(target.host)) continue;
    has.set(bare(database), [...has.get(bare(database)) ?? [], ...shownAs(grant, version)]);
  }
  const own = has.get(bare(target.database));
  return own !== undefined && shownAs(target.grant, version).every((grant) => own.includes(grant));
}

/** Runs a statement of grants; one that cannot be written is refused like one that the server refuses. */
async function change(context: JobContext, args: Args, write: () => string): Promise<boolean> {
  let sql: string;
  try {
    sql = write();
  } catch (error) {
    if (!(error instanceof SaltInvocationError)) throw error;
    noteError(context, error.message);
    return false;
  }
  return await runs(context, sql, connectionOf(args));
}

/** The statement that gives grants. @throws {SaltInvocationError} for what no server takes */
export function grantText(args: Args): string {
  const grant = partsOf(str(args.grant)).map(partText).join(", ");
  const passes = isYes(args.grant_option) ? " WITH GRANT OPTION" : "";
  return `GRANT ${grant} ON ${objectText(args.database, args.escape)} TO ${account(args)}${
    sslText(args.ssl_option)
  }${passes}`;
}

const WHAT = "grant, database, user, host='localhost', grant_option=False, escape=True";

export const GRANTS = executionFunctions({
  "tokenize_grant(grant: str)": {
    doc: "User, host, grants and database of a statement.\n\n" +
      `    salt '*' mysql.tokenize_grant "GRANT SELECT, INSERT ON testdb.* TO 'testuser'@'localhost'"`,
    run: (_context, { grant }) => grantTokens(grant),
  },
  "quote_identifier(identifier, for_grants: bool=False)": {
    doc: "A name as SQL has it.\n\n    salt '*' mysql.quote_identifier 'foo`bar'",
    run: (_context, { identifier, for_grants }) => ident(identifier, for_grants),
  },
  [`grant_exists(${WHAT}, **connection_args)` as const]: {
    doc: "True if a user has grants.\n\n    salt '*' mysql.grant_exists 'SELECT,INSERT' 'mydb.*' app localhost",
    run: exists,
  },
  [`grant_add(${WHAT}, ssl_option=False, **connection_args)` as const]: {
    doc: "Gives a user grants.\n\n    salt '*' mysql.grant_add 'SELECT,INSERT' 'mydb.*' app localhost",
    async run(context, args): Promise<boolean> {
      const done = await change(context, args, () => grantText(args));
      return done && await exists(context, args);
    },
  },
  [`grant_revoke(${WHAT}, **connection_args)` as const]: {
    doc: "Takes grants from a user.\n\n    salt '*' mysql.grant_revoke 'SELECT,INSERT' 'mydb.*' app localhost",
    async run(context, args): Promise<boolean> {
      const done = await change(context, args, () => {
        const parts = partsOf(str(args.grant)).map(partText);
        // All of them include that they may be passed on; as a word beside them it is an error.
        if (isYes(args.grant_option) && !parts.includes("ALL PRIVILEGES")) parts.push("GRANT OPTION");
        return `REVOKE ${parts.join(", ")} ON ${objectText(args.database, true)} FROM ${account(args)}`;
      });
      return done && !await exists(context, args);
    },
  },
});
