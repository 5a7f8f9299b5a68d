/** The external pillars: name → how to load it. */
import type { ExtPillarRegistry } from "../../model/loader/ext_pillar.ts";

export const EXT_PILLARS: ExtPillarRegistry = {
  cmd_json: () => import("./cmd_json.ts"),
  cmd_yaml: () => import("./cmd_yaml.ts"),
  consul: () => import("./consul.ts"),
  csv: () => import("./csv.ts"),
  env: () => import("./env.ts"),
  file_tree: () => import("./file_tree.ts"),
  git: () => import("./git.ts"),
  http_json: () => import("./http_json.ts"),
  http_yaml: () => import("./http_yaml.ts"),
  mysql: () => import("./mysql.ts"),
  nodegroups: () => import("./nodegroups.ts"),
  pillar_ldap: () => import("./pillar_ldap.ts"),
  postgres: () => import("./postgres.ts"),
  redis: () => import("./redis.ts"),
  sqlite3: () => import("./sqlite3.ts"),
  stack: () => import("./stack.ts"),
  vault: () => import("./vault.ts"),
};
