import { outcome, type StateContext, type StateReturn } from "../../../model/loader/states.ts";
import { type Args, isMap, lookup, str, truthy } from "../../../language/python/values.ts";
import { isPassword, USUAL_ENCRYPTION, verifierOf } from "../../modules/postgres/passwords.ts";
import { connection } from "./shared.ts";

/** What a role may, by its argument and as the server lists it; in the order of Salt's changes. */
const FLAGS: [argument: string, listed: string][] = [
  ["createdb", "can create databases"],
  ["inherit", "inherits privileges"],
  ["login", "can login"],
  ["createroles", "can create roles"],
  ["replication", "replication"],
  ["superuser", "superuser"],
];

const given = (value: unknown): boolean => value !== null && value !== undefined;

/** The time that the server makes of a text; null if it is none. */
async function serverTime(context: StateContext, args: Args): Promise<unknown> {
  const text = str(args.valid_until).replaceAll("'", "''");
  const rows = await context.call("postgres.psql_query", [`SELECT '${text}'::timestamp(0) as dt;`], connection(args));
  const [row] = Array.isArray(rows) ? rows : [];
  const time = isMap(row) ? str(lookup(row, "dt") ?? "") : "";
  return /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/.test(time) ? time : null;
}

async function roleChanges(
  context: StateContext,
  args: Args,
  role: Args,
  hasPassword: boolean,
): Promise<Args> {
  const { valid_until, groups } = args;
  const changes: Args = Object.fromEntries(
    FLAGS.filter(([argument, listed]) => given(args[argument]) && role[listed] !== args[argument])
      .map(([argument]) => [argument, args[argument]]),
  );
  if (hasPassword) changes.password = true;
  if (given(valid_until) && await serverTime(context, args) !== role["expiry time"]) changes.valid_until = valid_until;
  if (given(groups)) {
    const wanted = typeof groups === "string" ? groups.split(",") : Array.isArray(groups) ? groups : [];
    const has = Array.isArray(role.groups) ? role.groups : [];
    const missing = wanted.filter((group) => !has.includes(group));
    if (missing.length > 0) changes.groups = missing;
  }
  return changes;
}

export async function rolePresent(context: StateContext, args: Args, kind: "user" | "group"): Promise<StateReturn> {
  const { name, refresh_password: refresh } = args;
  const { crypto } = context.runtime;
  const [own, where, encrypted] = [str(name), connection(args), args.encrypted ?? USUAL_ENCRYPTION];
  const title = kind === "user" ? "User" : "Group";
  const found = await context.call("postgres.role_get", [name], { return_password: !truthy(refresh), ...where });
  const role = isMap(found) ? found as Args : undefined;
  const mode = role === undefined ? "create" : "update";
  let password = role === undefined && args.password === null && kind === "user"
    ? args.default_password
    : args.password;
  if (given(password)) {
    const kept = role !== undefined && !truthy(refresh) && isPassword(crypto, own, password, role.password, encrypted);
    password = kept ? null : verifierOf(crypto, own, password, encrypted);
  }
  const changes = role === undefined ? {} : await roleChanges(context, args, role, given(password));
  const isChanged = Object.keys(changes).length > 0;
  if (role !== undefined && !isChanged) return outcome(name, true, `${title} ${own} is already present`);
  if (context.test) {
    return outcome(name, null, `${title} ${own} is set to be ${mode}d`, isChanged ? { [own]: changes } : {});
  }
  const { createdb, createroles, superuser, login, inherit, replication, valid_until, groups } = args;
  const wanted = { createdb, createroles, encrypted, superuser, login, inherit, replication, rolepassword: password };
  const done = await context.call(`postgres.${kind}_${mode}`, [], {
    [kind === "user" ? "username" : "groupname"]: name,
    ...wanted,
    ...(kind === "user" ? { valid_until } : {}),
    groups,
    ...where,
  });
  if (!truthy(done)) return outcome(name, false, `Failed to ${mode} ${kind} ${own}`);
  return outcome(name, true, `The ${kind} ${own} has been ${mode}d`, { [own]: isChanged ? changes : "Present" });
}
