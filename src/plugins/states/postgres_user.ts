import { stateFunction, stateFunctions, type StateModule } from "../../model/loader/states.ts";
import { rolePresent } from "./postgres/role.ts";
import { CONNECTION_SIGNATURE, removed, virtual } from "./postgres/shared.ts";

export const states: StateModule = {
  virtual,
  functions: stateFunctions({
    present: stateFunction({
      signature: `name, createdb=None, createroles=None, encrypted=None, superuser=None, replication=None,
        inherit=None, login=None, password=None, default_password=None, refresh_password=None, valid_until=None,
        groups=None, ${CONNECTION_SIGNATURE}`,
      doc: "The user exists, and may what is said. A password that is kept in another way is set anew; " +
        "default_password is set when the user is made.",
      run: (context, args) => rolePresent(context, args, "user"),
    }),
    [`absent(name, ${CONNECTION_SIGNATURE})` as const]: {
      doc: "The user does not exist.",
      run: (context, args) =>
        removed(context, args, {
          what: "User",
          exists: "postgres.user_exists",
          remove: "postgres.user_remove",
          failed: "failed to be removed",
        }),
    },
  }),
};
