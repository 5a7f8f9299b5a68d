import { outcome, stateFunctions, type StateModule } from "../../model/loader/states.ts";
import { type Args, isMap, lookup, str, truthy } from "../../language/python/values.ts";
import { connection, virtual } from "./postgres/shared.ts";

const SIGNATURE = "name, maintenance_db, user=None, db_password=None, db_host=None, db_port=None, db_user=None";

/** The connection without the database, which the functions take by itself. */
function where(args: Args) {
  const { maintenance_db: _, ...others } = connection(args);
  return others;
}

/** Languages of a database of PostgreSQL. */
export const states: StateModule = {
  virtual,
  functions: stateFunctions({
    [`present(${SIGNATURE})` as const]: {
      doc: "The language is installed in the database.",
      async run(context, args) {
        const { name, maintenance_db } = args;
        const own = str(name);
        const found = await context.call("postgres.language_list", [maintenance_db], where(args));
        if (isMap(found) && lookup(found, name) !== undefined) {
          return outcome(name, true, `Language ${own} is already installed`);
        }
        if (context.test) return outcome(name, null, `Language ${own} is set to be installed`);
        return truthy(await context.call("postgres.language_create", [name, maintenance_db], where(args)))
          ? outcome(name, true, `Language ${own} has been installed`, { [own]: "Present" })
          : outcome(name, false, `Failed to install language ${own}`);
      },
    },
    [`absent(${SIGNATURE})` as const]: {
      doc: "The language is not installed in it.",
      async run(context, args) {
        const { name, maintenance_db } = args;
        const own = str(name);
        if (!truthy(await context.call("postgres.language_exists", [name, maintenance_db], where(args)))) {
          return outcome(name, true, `Language ${own} is not present so it cannot be removed`);
        }
        if (context.test) return outcome(name, null, `Language ${own} is set to be removed`);
        return truthy(await context.call("postgres.language_remove", [name, maintenance_db], where(args)))
          ? outcome(name, true, `Language ${own} has been removed`, { [own]: "Absent" })
          : outcome(name, false, `Failed to remove language ${own}`);
      },
    },
  }),
};
