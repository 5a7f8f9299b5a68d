import type { StateContext, StateModule, StateReturn } from "../../model/loader/states.ts";
import { outcome, stateFunctions } from "../../model/loader/states.ts";
import { type Args, str, truthy } from "../../language/python/values.ts";
import { connection, virtual } from "./postgres/shared.ts";

const CONNECTION = `prepend='public', maintenance_db=None, user=None, db_password=None, db_host=None, db_port=None,
  db_user=None`;

/** What differs between the two states. */
const ACTS = {
  present: {
    wanted: true,
    fun: "postgres.privileges_grant",
    none: "The requested privilege(s) are already set",
    set: "are set to be granted to",
    done: "have been granted to",
    failed: ["grant", "to"],
    change: "Present",
  },
  absent: {
    wanted: false,
    fun: "postgres.privileges_revoke",
    none: "The requested privilege(s) are not set so cannot be revoked",
    set: "are set to be revoked from",
    done: "have been revoked from",
    failed: ["revoke", "from"],
    change: "Absent",
  },
} as const;

const run = (which: keyof typeof ACTS) => async (context: StateContext, args: Args): Promise<StateReturn> => {
  const { name, object_name, object_type, prepend, grant_option } = args;
  const act = ACTS[which];
  const list = args.privileges;
  const privileges = truthy(list) ? (Array.isArray(list) ? list.map(str) : [str(list)]).join(",") : null;
  const options = { privileges, ...(act.wanted ? { grant_option } : {}), prepend, ...connection(args) };
  const has = truthy(await context.call("postgres.has_privileges", [name, object_name, object_type], options));
  if (has === act.wanted) return outcome(name, true, act.none);
  const shown = object_type === "group" ? str(object_name) : str(privileges);
  if (context.test) return outcome(name, null, `The privilege(s): ${shown} ${act.set} ${str(name)}`);
  return truthy(await context.call(act.fun, [name, object_name, object_type], options))
    ? outcome(name, true, `The privilege(s): ${shown} ${act.done} ${str(name)}`, { [str(name)]: act.change })
    : outcome(name, false, `Failed to ${act.failed[0]} privilege(s): ${shown} ${act.failed[1]} ${str(name)}`);
};

/** Rights on the objects of a database of PostgreSQL. */
export const states: StateModule = {
  virtual,
  functions: stateFunctions({
    [`present(name, object_name, object_type, privileges=None, grant_option=None, ${CONNECTION})` as const]: {
      doc: "The role has these rights on the object.",
      run: run("present"),
    },
    [`absent(name, object_name, object_type, privileges=None, ${CONNECTION})` as const]: {
      doc: "The role does not have these rights on the object.",
      run: run("absent"),
    },
  }),
};
