/** The external pillars: name → how to load it. */
import type { ExtPillarRegistry } from "../../model/loader/ext_pillar.ts";

export const EXT_PILLARS: ExtPillarRegistry = {
  cmd_json: async () => ({ pillar: (await import("./command.ts")).cmdJson }),
  cmd_yaml: async () => ({ pillar: (await import("./command.ts")).cmdYaml }),
  consul: () => import("./consul.ts"),
  csv: () => import("./csv.ts"),
  env: () => import("./env.ts"),
  extra_minion_data_in_pillar: () => import("./extra_minion_data.ts"),
  file_tree: () => import("./file_tree.ts"),
  git: () => import("./git.ts"),
  http_json: async () => ({ pillar: (await import("./http.ts")).httpJson }),
  http_yaml: async () => ({ pillar: (await import("./http.ts")).httpYaml }),
  mysql: () => import("./mysql.ts"),
  nodegroups: () => import("./nodegroups.ts"),
  pillar_ldap: () => import("./pillar_ldap.ts"),
  postgres: () => import("./postgres.ts"),
  redis: () => import("./redis.ts"),
  sqlite3: () => import("./sqlite3.ts"),
  stack: () => import("./stack.ts"),
  vault: () => import("./vault.ts"),
};
