import { stateFunctions, type StateModule, type StateReturn } from "../../model/loader/states.ts";
import { type Args, str, truthy } from "../../language/python/values.ts";
import { virtual } from "./postgres/shared.ts";

const CONNECTION = "user=None, db_user=None, db_password=None, db_host=None, db_port=None";

const connection = ({ db_user, db_password, db_host, db_port, user }: Args) => ({
  db_user,
  db_password,
  db_host,
  db_port,
  user,
});

const ret = (
  { dbname, name }: Args,
  result: boolean | null,
  comment: string,
  change?: string,
): StateReturn => ({ dbname, name, changes: change === undefined ? {} : { [str(name)]: change }, result, comment });

/** Schemas of a database of PostgreSQL. */
export const states: StateModule = {
  virtual,
  functions: stateFunctions({
    [`present(dbname, name, owner=None, ${CONNECTION})` as const]: {
      doc: "The schema exists in the database.",
      async run(context, args) {
        const { dbname, name, owner } = args;
        const [own, place] = [`${str(name)}`, `database ${str(dbname)}`];
        if (await context.call("postgres.schema_get", [dbname, name], connection(args)) !== null) {
          return ret(args, true, `Schema ${own} already exists in ${place}`);
        }
        if (context.test) return ret(args, null, `Schema ${own} is set to be created in ${place}.`);
        return truthy(await context.call("postgres.schema_create", [dbname, name], { owner, ...connection(args) }))
          ? ret(args, true, `Schema ${own} has been created in ${place}`, "Present")
          : ret(args, false, `Failed to create schema ${own} in ${place}`);
      },
    },
    [`absent(dbname, name, ${CONNECTION})` as const]: {
      doc: "The schema does not exist in it.",
      async run(context, args) {
        const { dbname, name } = args;
        const [own, place] = [`Schema ${str(name)}`, `database ${str(dbname)}`];
        if (!truthy(await context.call("postgres.schema_exists", [dbname, name], connection(args)))) {
          return ret(args, true, `${own} is not present in ${place}, so it cannot be removed`);
        }
        if (context.test) return ret(args, null, `${own} is set to be removed from ${place}`);
        return truthy(await context.call("postgres.schema_remove", [dbname, name], connection(args)))
          ? ret(args, true, `${own} has been removed from ${place}`, "Absent")
          : ret(args, false, `${own} failed to be removed`);
      },
    },
  }),
};
