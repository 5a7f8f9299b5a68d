import { outcome, stateFunctions, type StateModule } from "../../model/loader/states.ts";
import { entriesOf, isMap, lookup, str, truthy } from "../../language/python/values.ts";
import { tablespaceText } from "../modules/postgres/databases.ts";
import { connection, CONNECTION_SIGNATURE, removed, virtual } from "./postgres/shared.ts";

/** What Salt says of a directory that is another, and of options, with the line breaks of its source. */
const ELSEWHERE =
  "is not at the right location. This is\n            unfixable without dropping and recreating the tablespace.";
const OPTIONS = "options to be\n                        altered";

export const states: StateModule = {
  virtual,
  functions: stateFunctions({
    [`present(name, directory, options=None, owner=None, ${CONNECTION_SIGNATURE})` as const]: {
      doc: "The tablespace exists in this directory, with this owner and these options.",
      async run(context, args) {
        const { name, directory, options, owner } = args;
        const [own, where] = [str(name), connection(args)];
        const all = await context.call("postgres.tablespace_list", [], where);
        const found = isMap(all) ? lookup(all, name) : undefined;
        if (!isMap(found)) {
          tablespaceText({ name, location: directory, options, owner });
          if (context.test) return outcome(name, null, `Tablespace ${own} is set to be created`);
          return truthy(await context.call("postgres.tablespace_create", [name, directory, options, owner], where))
            ? outcome(name, true, `The tablespace ${own} has been created`, { [own]: "Present" })
            : outcome(name, false, `Failed to create tablespace ${own}`);
        }
        if (lookup(found, "Location") !== directory && !context.test) {
          return outcome(name, false, `Tablespace ${own} ${ELSEWHERE}`);
        }
        const ret = outcome(name, true, `Tablespace ${own} is already present`);
        const alter = async (change: Record<string, unknown>) =>
          truthy(await context.call("postgres.tablespace_alter", [name], { ...change, ...where }));
        const changes: Record<string, unknown> = {};
        if (truthy(owner) && lookup(found, "Owner") !== owner) {
          if (context.test) Object.assign(ret, { result: null, comment: `Tablespace ${own} owner to be altered` });
          else if (await alter({ new_owner: owner })) {
            ret.comment = `Tablespace ${own} owner changed`;
            changes.owner = owner;
          }
        }
        const set: Record<string, unknown> = {};
        for (const [key, value] of isMap(options) ? entriesOf(options) : []) {
          if (str(lookup(found, "Opts")).includes(`${str(key)}=${str(value)}`)) continue;
          if (context.test) {
            Object.assign(ret, { result: null, comment: `Tablespace ${own} ${OPTIONS}` });
            break;
          }
          if (await alter({ set_option: { [str(key)]: value } })) {
            ret.comment = `Tablespace ${own} opts changed`;
            set[str(key)] = value;
          }
        }
        if (Object.keys(set).length > 0) changes.options = set;
        if (Object.keys(changes).length > 0) ret.changes = { [own]: changes };
        return ret;
      },
    },
    "absent(name, user=None, maintenance_db=None, db_user=None, db_password=None, db_host=None, db_port=None)": {
      doc: "The tablespace does not exist.",
      run: (context, args) =>
        removed(context, args, {
          what: "Tablespace",
          exists: "postgres.tablespace_exists",
          remove: "postgres.tablespace_remove",
          failed: "failed to be removed",
        }),
    },
  }),
};
