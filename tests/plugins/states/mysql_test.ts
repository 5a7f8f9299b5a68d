/** States of MySQL and MariaDB: against calls recorded from real Salt. */
import { states as database } from "../../../src/plugins/states/mysql_database.ts";
import { states as grants } from "../../../src/plugins/states/mysql_grants.ts";
import { states as user } from "../../../src/plugins/states/mysql_user.ts";
import { replayStates } from "../../support/recorded_states.ts";

await replayStates("mysql", { mysql_database: database, mysql_grants: grants, mysql_user: user });
