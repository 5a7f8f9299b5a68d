import type { ExecutionModule } from "../../model/loader/family.ts";
import { DATABASES } from "./mysql/databases.ts";
import { GRANTS } from "./mysql/grants.ts";
import { QUERIES } from "./mysql/queries.ts";
import { SERVER } from "./mysql/server.ts";
import { USERS } from "./mysql/users.ts";

/** MySQL and MariaDB, by their client program. */
export const module: ExecutionModule = {
  functions: { ...QUERIES, ...SERVER, ...DATABASES, ...USERS, ...GRANTS },
};
