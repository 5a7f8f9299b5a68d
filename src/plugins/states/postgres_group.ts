import { stateFunction, stateFunctions, type StateModule } from "../../model/loader/states.ts";
import { rolePresent } from "./postgres/role.ts";
import { CONNECTION_SIGNATURE, removed, virtual } from "./postgres/shared.ts";

export const states: StateModule = {
  virtual,
  functions: stateFunctions({
    present: stateFunction({
      signature: `name, createdb=None, createroles=None, encrypted=None, superuser=None, inherit=None, login=None,
        replication=None, password=None, refresh_password=None, groups=None, ${CONNECTION_SIGNATURE}`,
      doc: "The group exists, and may what is said.",
      run: (context, args) => rolePresent(context, args, "group"),
    }),
    [`absent(name, ${CONNECTION_SIGNATURE})` as const]: {
      doc: "The group does not exist.",
      run: (context, args) =>
        removed(context, args, {
          what: "Group",
          exists: "postgres.user_exists",
          remove: "postgres.group_remove",
          failed: "failed to be removed",
        }),
    },
  }),
};
