import { executionFunctions, type ExecutionModule } from "../../model/loader/family.ts";
import { CONNECTION, isAvailable, psqlConnectionOf, psqlQuery, psqlVersion } from "./postgres/psql.ts";
import { CLUSTERS } from "./postgres/clusters.ts";
import { PSQL_DATABASES } from "./postgres/databases.ts";
import { EXTENSIONS } from "./postgres/extensions.ts";
import { PRIVILEGES } from "./postgres/privileges.ts";
import { ROLES } from "./postgres/roles.ts";
import { PSQL_SCHEMAS } from "./postgres/schemas.ts";

/** PostgreSQL, by its program psql. */
export const module: ExecutionModule = {
  virtual: (context) => isAvailable(context) ? true : { unavailable: "psql was not found" },
  functions: executionFunctions({
    [`version(${CONNECTION})` as const]: {
      doc: "The version of the server.\n\n    salt '*' postgres.version",
      run: async (context, args) => await psqlVersion(context, psqlConnectionOf(args)) ?? null,
    },
    [`psql_query(query: str, ${CONNECTION}, write: bool=False)` as const]: {
      doc:
        `The rows that a query finds, each a map.\n\n    salt '*' postgres.psql_query 'select * from pg_stat_activity'` +
        "\n\nwrite: the query changes something and returns rows (RETURNING)",
      run: (context, args) => psqlQuery(context, args.query, psqlConnectionOf(args), args.write),
    },
    ...PSQL_DATABASES,
    ...ROLES,
    ...EXTENSIONS,
    ...PSQL_SCHEMAS,
    ...PRIVILEGES,
    ...CLUSTERS,
  }),
};
