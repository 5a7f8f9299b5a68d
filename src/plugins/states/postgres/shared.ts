import type { Context } from "../../../model/loader/family.ts";
import { outcome, type StateContext, type StateModule, type StateReturn } from "../../../model/loader/states.ts";
import { type Args, str } from "../../../language/python/values.ts";
import { isAvailable } from "../../modules/postgres/psql.ts";

/** The parameters of a connection, as states name them. */
export const CONNECTION_SIGNATURE =
  "user=None, maintenance_db=None, db_password=None, db_host=None, db_port=None, db_user=None";

/** The same as the execution module names them: `user` of a state is the one of this host. */
export const connection = ({ maintenance_db, user, db_host, db_user, db_port, db_password }: Args): Args => ({
  maintenance_db,
  runas: user,
  host: db_host,
  user: db_user,
  port: db_port,
  password: db_password,
});

/** Why the states of PostgreSQL are not there, if they are not. */
export const virtual: NonNullable<StateModule["virtual"]> = (context: Context) =>
  isAvailable(context)
    ? true
    : { unavailable: "Unable to load postgres module.  Make sure `postgres.bins_dir` is set." };

/** A state that removes something that has a name. */
interface Removal {
  /** `Database`: for comments. */
  what: string;
  exists: string;
  remove: string;
  /** What is said where it could not be removed; otherwise that it is not there, as Salt does for some. */
  failed?: string;
}

/** The state `absent` of something on a server. */
export async function removed(context: StateContext, args: Args, removal: Removal): Promise<StateReturn> {
  const { name } = args;
  const { what, exists, remove, failed } = removal;
  const [own, where] = [`${what} ${str(name)}`, connection(args)];
  if (await context.call(exists, [name], where)) {
    if (context.test) return outcome(name, null, `${own} is set to be removed`);
    if (await context.call(remove, [name], { ...where, ...removalOptions(args) })) {
      return outcome(name, true, `${own} has been removed`, { [str(name)]: "Absent" });
    }
    if (failed !== undefined) return outcome(name, false, `${own} ${failed}`);
  }
  return outcome(name, true, `${own} is not present, so it cannot be removed`);
}

/** Options of removals that some of them have. */
function removalOptions(args: Args): Args {
  const names = ["if_exists", "restrict", "cascade"].filter((name) => name in args);
  return Object.fromEntries(names.map((name) => [name, args[name]]));
}
