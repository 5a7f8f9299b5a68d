import type { StateContext, StateModule, StateReturn } from "../../model/loader/states.ts";
import { outcome, stateFunctions } from "../../model/loader/states.ts";
import { type Args, isMap, lookup, str, truthy } from "../../language/python/values.ts";
import { takeError, word } from "../modules/mysql/client.ts";

/** What differs of a database that is there, one sentence each. */
async function altered(context: StateContext, args: Args, existing: unknown): Promise<StateReturn> {
  const { name, character_set, collate } = args;
  const connection = args.connection_args as Args;
  const has = (key: string) => str(isMap(existing) ? lookup(existing, key) ?? null : null);
  const ret = outcome(name, true, `Database ${str(name)} is already present`);
  let isOther = false;
  for (const one of [character_set, collate].filter(truthy)) word(one);
  if (truthy(character_set) && str(character_set) !== has("character_set")) {
    isOther = true;
    ret.comment = `Database character set ${str(character_set)} != ${has("character_set")} needs to be updated`;
    if (context.test) ret.result = null;
  }
  if (truthy(collate) && str(collate) !== has("collate")) {
    isOther = true;
    ret.comment += `\nDatabase collate ${str(collate)} != ${has("collate")} needs to be updated`;
    if (context.test) return { ...ret, result: null };
  }
  if (isOther && context.test) ret.comment += `\nDatabase ${str(name)} is going to be updated`;
  else if (isOther) await context.call("mysql.alter_db", [name], { character_set, collate, ...connection });
  const now = await context.call("mysql.db_get", [name], connection);
  for (const key of ["collate", "character_set"]) {
    const value = isMap(now) ? lookup(now, key) ?? null : null;
    const before = isMap(existing) ? lookup(existing, key) ?? null : null;
    if (before !== value) ret.changes[key] = { before, now: value };
  }
  return ret;
}

/** Databases of MySQL and MariaDB. */
export const states: StateModule = {
  functions: stateFunctions({
    "present(name, character_set=None, collate=None, **connection_args)": {
      doc: "The database exists, with this character set and collation.",
      async run(context, args) {
        const { name, character_set, collate } = args;
        const connection = args.connection_args;
        takeError(context);
        const existing = await context.call("mysql.db_get", [name], connection);
        if (truthy(existing)) return await altered(context, args, existing);
        const error = takeError(context);
        if (error !== undefined) return outcome(name, false, error);
        if (context.test) return outcome(name, null, `Database ${str(name)} is not present and needs to be created`);
        if (truthy(await context.call("mysql.db_create", [name], { character_set, collate, ...connection }))) {
          return outcome(name, true, `The database ${str(name)} has been created`, { [str(name)]: "Present" });
        }
        const why = takeError(context);
        return outcome(name, false, `Failed to create database ${str(name)}${why === undefined ? "" : ` (${why})`}`);
      },
    },
    "absent(name, **connection_args)": {
      doc: "The database does not exist.",
      async run(context, args) {
        const { name } = args;
        const connection = args.connection_args;
        takeError(context);
        if (truthy(await context.call("mysql.db_exists", [name], connection))) {
          if (context.test) return outcome(name, null, `Database ${str(name)} is present and needs to be removed`);
          if (truthy(await context.call("mysql.db_remove", [name], connection))) {
            return outcome(name, true, `Database ${str(name)} has been removed`, { [str(name)]: "Absent" });
          }
          const error = takeError(context);
          if (error !== undefined) return outcome(name, false, `Unable to remove database ${str(name)} (${error})`);
        }
        const error = takeError(context);
        if (error !== undefined) return outcome(name, false, error);
        return outcome(name, true, `Database ${str(name)} is not present, so it cannot be removed`);
      },
    },
  }),
};
