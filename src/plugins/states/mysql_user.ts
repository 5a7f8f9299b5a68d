import type { StateContext, StateModule, StateReturn } from "../../model/loader/states.ts";
import { outcome, stateFunction, stateFunctions } from "../../model/loader/states.ts";
import { type Args, str, truthy } from "../../language/python/values.ts";
import { takeError } from "../modules/mysql/client.ts";
import { isYes, socketComplaint } from "../modules/mysql/users.ts";

/** The return for a user that is as wanted; undefined if it is not. */
async function inPlace(context: StateContext, args: Args, isFree: boolean): Promise<string | undefined> {
  const { name, host, password, password_hash, allow_passwordless, unix_socket, password_column, auth_plugin } = args;
  const connection = args.connection_args as Args;
  const own = `User ${str(name)}@${str(host)} is already present`;
  const how = { unix_socket, password_column, ...connection };
  if (isFree) {
    if (!truthy(await context.call("mysql.user_exists", [name, host], { passwordless: true, ...how }))) {
      return undefined;
    }
    return `${own}${truthy(allow_passwordless) ? " with passwordless login" : ""}`;
  }
  if (!truthy(await context.call("mysql.user_exists", [name, host, password, password_hash], how))) return undefined;
  if (auth_plugin !== "mysql_native_password") return `${own}. Unable to verify password.`;
  return `${own} with the desired password${truthy(password_hash) && !truthy(password) ? " hash" : ""}`;
}

async function changed(context: StateContext, args: Args, isFree: boolean): Promise<StateReturn> {
  const { name, host, password, password_hash, allow_passwordless, unix_socket } = args;
  const who = `${str(name)}@${str(host)}`;
  const mayBeFree = isYes(allow_passwordless);
  if (context.test) {
    const refused = isFree && !mayBeFree;
    const what = isFree ? `cleared${refused ? ", but allow_passwordless != True" : ""}` : "changed";
    return outcome(name, refused ? false : null, `Password for user ${who} is set to be ${what}`);
  }
  const given = [name, host, password, password_hash, allow_passwordless, unix_socket];
  if (truthy(await context.call("mysql.user_chpass", given, args.connection_args as Args))) {
    const what = isFree ? "cleared" : "changed";
    return outcome(name, true, `Password for user ${who} has been ${what}`, { [str(name)]: "Updated" });
  }
  const why = takeError(context);
  const note = isFree && !mayBeFree ? ". Note: allow_passwordless must be True to permit passwordless login." : "";
  const tried = `Failed to ${isFree ? "clear" : "change"} password for user ${who}`;
  return outcome(name, false, `${tried}${why === undefined ? "" : ` (${why})`}${note}`);
}

async function added(context: StateContext, args: Args): Promise<StateReturn> {
  const { name, host, password, password_hash, allow_passwordless, unix_socket, password_column, auth_plugin } = args;
  const who = `${str(name)}@${str(host)}`;
  const isFree = truthy(allow_passwordless);
  const socket = truthy(unix_socket) ? " using unix_socket" : "";
  if (context.test) {
    const complaint = socketComplaint(unix_socket, host);
    if (complaint !== undefined) return outcome(name, false, `Failed to create user ${who} (${complaint})`);
    const refused = isFree && !isYes(allow_passwordless);
    const free = isFree ? ` with passwordless login${refused ? ", but allow_passwordless != True" : ""}` : "";
    return outcome(name, refused ? false : null, `User ${who} is set to be added${free}${socket}`);
  }
  const given = [name, host, password, password_hash, allow_passwordless];
  const how = { unix_socket, password_column, auth_plugin, ...args.connection_args as Args };
  if (truthy(await context.call("mysql.user_create", given, how))) {
    const free = isFree ? " with passwordless login" : "";
    return outcome(name, true, `The user ${who} has been added${free}${socket}`, { [str(name)]: "Present" });
  }
  const why = takeError(context);
  return outcome(name, false, `Failed to create user ${who}${why === undefined ? "" : ` (${why})`}`);
}

/** Users of MySQL and MariaDB. */
export const states: StateModule = {
  functions: stateFunctions({
    present: stateFunction({
      signature: `name, host='localhost', password=None, password_hash=None, allow_passwordless=False,
        unix_socket=False, password_column=None, auth_plugin='mysql_native_password', **connection_args`,
      doc: "The user exists, with this password.",
      async run(context, args) {
        const { name, host, password, password_hash, allow_passwordless, unix_socket } = args;
        const isFree = !truthy(password) && !truthy(password_hash);
        if (isFree && !isYes(allow_passwordless) && !truthy(unix_socket)) {
          return outcome(
            name,
            false,
            "Either password or password_hash must be specified, unless allow_passwordless is True",
          );
        }
        takeError(context);
        const fine = await inPlace(context, args, isFree);
        if (fine !== undefined) return outcome(name, true, fine);
        const error = takeError(context);
        if (error !== undefined) return outcome(name, false, error);
        const connection = args.connection_args;
        if (truthy(await context.call("mysql.user_exists", [name, host], { unix_socket, ...connection }))) {
          return await changed(context, args, isFree);
        }
        const other = takeError(context);
        return other === undefined ? await added(context, args) : outcome(name, false, other);
      },
    }),
    "absent(name, host='localhost', **connection_args)": {
      doc: "The user does not exist.",
      async run(context, args) {
        const { name, host } = args;
        const connection = args.connection_args;
        const who = `User ${str(name)}@${str(host)}`;
        takeError(context);
        if (truthy(await context.call("mysql.user_exists", [name, host], connection))) {
          if (context.test) return outcome(name, null, `${who} is set to be removed`);
          if (truthy(await context.call("mysql.user_remove", [name, host], connection))) {
            return outcome(name, true, `${who} has been removed`, { [str(name)]: "Absent" });
          }
        }
        const error = takeError(context);
        return error === undefined
          ? outcome(name, true, `${who} is not present, so it cannot be removed`)
          : outcome(name, false, error);
      },
    },
  }),
};
