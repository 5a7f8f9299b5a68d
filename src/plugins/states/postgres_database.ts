import { outcome, stateFunction, stateFunctions, type StateModule } from "../../model/loader/states.ts";
import { isMap, lookup, str, truthy } from "../../language/python/values.ts";
import { databaseText } from "../modules/postgres/databases.ts";
import { connection, CONNECTION_SIGNATURE, removed, virtual } from "./postgres/shared.ts";

export const states: StateModule = {
  virtual,
  functions: stateFunctions({
    present: stateFunction({
      signature: `name, tablespace=None, encoding=None, lc_collate=None, lc_ctype=None, owner=None,
        owner_recurse=False, template=None, ${CONNECTION_SIGNATURE}`,
      doc: "The database exists, with this owner and tablespace.",
      async run(context, args) {
        const { name, tablespace, encoding, lc_collate, lc_ctype, owner, owner_recurse, template } = args;
        const [own, where] = [str(name), connection(args)];
        const all = await context.call("postgres.db_list", [], where);
        const found = isMap(all) ? lookup(all, name) : undefined;
        const differs = (field: string, wanted: unknown, isAnyCase = false) => {
          const has = isMap(found) ? str(lookup(found, field)) : "";
          return truthy(wanted) && (isAnyCase ? has.toLowerCase() !== str(wanted).toLowerCase() : has !== str(wanted));
        };
        const isFixed = differs("Encoding", encoding, true) || differs("Collate", lc_collate) ||
          differs("Ctype", lc_ctype);
        const isOther = differs("Tablespace", tablespace) || differs("Owner", owner);
        if (found !== undefined && !isFixed && !isOther) {
          return outcome(name, true, `Database ${own} is already present`);
        }
        if (found !== undefined && isFixed) {
          return outcome(name, false, `Database ${own} has wrong parameters which couldn't be changed on fly.`);
        }
        if (found === undefined) databaseText({ name, tablespace, encoding, lc_collate, lc_ctype, owner, template });
        if (context.test) {
          return outcome(
            name,
            null,
            found === undefined
              ? `Database ${own} is set to be created`
              : `Database ${own} exists, but parameters need to be changed`,
          );
        }
        if (found === undefined) {
          const wanted = { tablespace, encoding, lc_collate, lc_ctype, owner, template };
          return truthy(await context.call("postgres.db_create", [name], { ...wanted, ...where }))
            ? outcome(name, true, `The database ${own} has been created`, { [own]: "Present" })
            : outcome(name, false, `Failed to create database ${own}`);
        }
        return truthy(await context.call("postgres.db_alter", [name], { tablespace, owner, owner_recurse, ...where }))
          ? outcome(name, true, `Parameters for database ${own} have been changed`, { [own]: "Parameters changed" })
          : outcome(name, false, `Failed to change parameters for database ${own}`);
      },
    }),
    [`absent(name, ${CONNECTION_SIGNATURE})` as const]: {
      doc: "The database does not exist.",
      run: (context, args) =>
        removed(context, args, {
          what: "Database",
          exists: "postgres.db_exists",
          remove: "postgres.db_remove",
          failed: "failed to be removed",
        }),
    },
  }),
};
