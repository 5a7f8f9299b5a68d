import { outcome, stateFunctions, type StateModule } from "../../model/loader/states.ts";
import { str, truthy } from "../../language/python/values.ts";
import { EXTENSION } from "../modules/postgres/extensions.ts";
import { connection, removed, virtual } from "./postgres/shared.ts";

const CONNECTION = "user=None, maintenance_db=None, db_user=None, db_password=None, db_host=None, db_port=None";

/** Extensions of a database of PostgreSQL. */
export const states: StateModule = {
  virtual,
  functions: stateFunctions({
    [`present(name, if_not_exists=None, schema=None, ext_version=None, from_version=None, ${CONNECTION})` as const]: {
      doc: "The extension is installed, in this schema and at least in this version.",
      async run(context, args) {
        const { name, if_not_exists, schema, ext_version, from_version } = args;
        const [own, where] = [str(name), connection(args)];
        const found = await context.call("postgres.create_metadata", [name], { schema, ext_version, ...where });
        const flags: unknown[] = Array.isArray(found) ? found : [];
        const isNew = flags.includes(EXTENSION.absent);
        const isOther = flags.includes(EXTENSION.installed) &&
          (flags.includes(EXTENSION.move) || flags.includes(EXTENSION.upgrade));
        if (!isNew && !isOther) return outcome(name, true, `Extension ${own} is already present`);
        const [mode, past] = isNew ? ["install", "installed"] : ["upgrade", "upgraded"];
        if (context.test) return outcome(name, null, `Extension ${own} is set to be ${past}`);
        const wanted = { name, if_not_exists, schema, ext_version, from_version };
        return truthy(await context.call("postgres.create_extension", [], { ...wanted, ...where }))
          ? outcome(name, true, `The extension ${own} has been ${past}`, {
            [own]: past[0]!.toUpperCase() + past.slice(1),
          })
          : outcome(name, false, `Failed to ${mode} extension ${own}`);
      },
    },
    [`absent(name, if_exists=None, restrict=None, cascade=None, ${CONNECTION})` as const]: {
      doc: "The extension is not installed.",
      run: (context, args) =>
        removed(context, args, {
          what: "Extension",
          exists: "postgres.is_installed_extension",
          remove: "postgres.drop_extension",
          failed: "failed to be removed",
        }),
    },
  }),
};
