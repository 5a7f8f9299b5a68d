/** States of PostgreSQL: against calls recorded from real Salt. */
import { states as cluster } from "../../../src/plugins/states/postgres_cluster.ts";
import { states as database } from "../../../src/plugins/states/postgres_database.ts";
import { states as extension } from "../../../src/plugins/states/postgres_extension.ts";
import { states as group } from "../../../src/plugins/states/postgres_group.ts";
import { states as initdb } from "../../../src/plugins/states/postgres_initdb.ts";
import { states as language } from "../../../src/plugins/states/postgres_language.ts";
import { states as privileges } from "../../../src/plugins/states/postgres_privileges.ts";
import { states as schema } from "../../../src/plugins/states/postgres_schema.ts";
import { states as tablespace } from "../../../src/plugins/states/postgres_tablespace.ts";
import { states as user } from "../../../src/plugins/states/postgres_user.ts";
import { replayStates } from "../../support/recorded_states.ts";

await replayStates("postgres", {
  postgres_cluster: cluster,
  postgres_database: database,
  postgres_extension: extension,
  postgres_group: group,
  postgres_initdb: initdb,
  postgres_language: language,
  postgres_privileges: privileges,
  postgres_schema: schema,
  postgres_tablespace: tablespace,
  postgres_user: user,
});
