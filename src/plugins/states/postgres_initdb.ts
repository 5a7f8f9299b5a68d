import { outcome, stateFunction, type StateModule } from "../../model/loader/states.ts";
import { str, truthy } from "../../language/python/values.ts";
import { virtual } from "./postgres/shared.ts";

/** Data directories of PostgreSQL. */
export const states: StateModule = {
  virtual,
  functions: {
    present: stateFunction({
      signature: `name, user=None, password=None, auth='password', encoding='UTF8', locale=None, runas=None,
        waldir=None, checksums=False`,
      doc: "The data directory was made with initdb.",
      async run(context, args) {
        const { name, user, password, auth, encoding, locale, runas, waldir, checksums } = args;
        const own = `Postgres data directory ${str(name)}`;
        if (truthy(await context.call("postgres.datadir_exists", [], { name }))) {
          return outcome(name, true, `${own} is already present`);
        }
        if (context.test) return outcome(name, null, `${own} is set to be initialized`);
        const wanted = { user, password, auth, encoding, locale, waldir, checksums, runas };
        return truthy(await context.call("postgres.datadir_init", [name], wanted))
          ? outcome(name, true, `${own} has been initialized`, { [str(name)]: "Present" })
          : outcome(name, false, `${own} initialization failed`);
      },
    }),
  },
};
