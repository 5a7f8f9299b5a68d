import { SaltInvocationError } from "../../model/loader/family.ts";
import { outcome, type StateContext, stateFunctions, type StateModule } from "../../model/loader/states.ts";
import { type Args, isMap, lookup, str, truthy } from "../../language/python/values.ts";
import { takeError } from "../modules/mysql/client.ts";
import { grantText } from "../modules/mysql/grants.ts";

/** Takes all grants on the same database first. */
async function revokeAll(context: StateContext, args: Args): Promise<void> {
  const { database, user, host, grant_option, escape } = args;
  const connection = args.connection_args as Args;
  const grants = await context.call("mysql.user_grants", [user, host], connection);
  const text = str(database);
  const at = text.lastIndexOf(".");
  const isWhole = text.slice(at + 1) === "*";
  const own = await context.call("mysql.quote_identifier", [text.slice(0, Math.max(at, 0)), isWhole]);
  for (const grant of Array.isArray(grants) ? grants : []) {
    const tokens = await context.call("mysql.tokenize_grant", [grant]);
    // The server shows the table behind the database.
    const place = isMap(tokens) ? str(lookup(tokens, "database") ?? "") : "";
    const base = place.slice(0, Math.max(place.lastIndexOf("."), 0));
    if (!isMap(tokens) || base !== own) continue;
    const list = lookup(tokens, "grant");
    const words = (Array.isArray(list) ? list.map(str) : []).join(",").replace(/,+$/, "");
    await context.call("mysql.grant_revoke", [], {
      grant: words,
      database,
      user,
      host,
      grant_option,
      escape,
      ...connection,
    });
  }
}

/** Why no server takes these grants; undefined if one may. */
function complaintOf(args: Args): string | undefined {
  try {
    grantText(args);
    return undefined;
  } catch (error) {
    if (error instanceof SaltInvocationError) return error.message;
    throw error;
  }
}

const WHAT = "name, grant=None, database=None, user=None, host='localhost', grant_option=False, escape=True";

/** Grants of MySQL and MariaDB. */
export const states: StateModule = {
  functions: stateFunctions({
    [`present(${WHAT}, revoke_first: bool=False, ssl_option=False, **connection_args)` as const]: {
      doc: "The user has these grants.",
      async run(context, args) {
        const { name, grant, database, user, host, grant_option, escape, revoke_first, ssl_option } = args;
        const connection = args.connection_args;
        const [what, who] = [`${str(grant)} on ${str(database)}`, `${str(user)}@${str(host)}`];
        takeError(context);
        if (
          truthy(
            await context.call("mysql.grant_exists", [grant, database, user, host, grant_option, escape], connection),
          )
        ) {
          return outcome(name, true, `Grant ${what} to ${who} is already present`);
        }
        const error = takeError(context);
        if (error !== undefined) return outcome(name, false, error);
        if (revoke_first && !context.test) await revokeAll(context, args);
        const tried = `Failed to execute: "GRANT ${str(grant)} ON ${str(database)} TO ${who}"`;
        if (context.test) {
          const wrong = complaintOf(args);
          if (wrong !== undefined) return outcome(name, false, `${tried} (${wrong})`);
          return outcome(name, null, `MySQL grant ${str(name)} is set to be created`);
        }
        const added = [grant, database, user, host, grant_option, escape, ssl_option];
        if (truthy(await context.call("mysql.grant_add", added, connection))) {
          return outcome(name, true, `Grant ${what} to ${who} has been added`, { [str(name)]: "Present" });
        }
        const why = takeError(context);
        return outcome(name, false, `${tried}${why === undefined ? "" : ` (${why})`}`);
      },
    },
    [`absent(${WHAT}, **connection_args)` as const]: {
      doc: "The user does not have these grants.",
      async run(context, args) {
        const { name, grant, database, user, host, grant_option, escape } = args;
        const connection = args.connection_args;
        const [what, who] = [`grant ${str(grant)} on ${str(database)}`, `${str(user)}@${str(host)}`];
        takeError(context);
        if (
          truthy(
            await context.call("mysql.grant_exists", [grant, database, user, host, grant_option, escape], connection),
          )
        ) {
          if (context.test) return outcome(name, null, `MySQL grant ${str(name)} is set to be revoked`);
          if (
            truthy(await context.call("mysql.grant_revoke", [grant, database, user, host, grant_option], connection))
          ) {
            return outcome(name, true, `G${what.slice(1)} for ${who} has been revoked`, { [str(name)]: "Absent" });
          }
          const error = takeError(context);
          if (error !== undefined) return outcome(name, false, `Unable to revoke ${what} for ${who} (${error})`);
        } else {
          const error = takeError(context);
          if (error !== undefined) {
            return outcome(name, false, `Unable to determine if ${what} for ${who} exists (${error})`);
          }
        }
        return outcome(name, true, `G${what.slice(1)} to ${who} is not present, so it cannot be revoked`);
      },
    },
  }),
};
