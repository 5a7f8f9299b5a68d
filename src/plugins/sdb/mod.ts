/** The drivers of sdb: name → how to load it. */
import type { SdbRegistry } from "../../model/loader/sdb.ts";

export const SDB: SdbRegistry = {
  env: () => import("./env.ts"),
  rest: () => import("./rest.ts"),
  sqlite3: () => import("./sqlite3.ts"),
  vault: () => import("./vault.ts"),
  yaml: () => import("./yaml.ts"),
};
