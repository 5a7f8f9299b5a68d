/** The returners that write by themselves: name → how to load it. A driver of a database is loaded with the first return that needs it. */
import type { ReturnerRegistry } from "../../model/loader/family.ts";

export const STORES: ReturnerRegistry = {
  elasticsearch: () => import("./elasticsearch.ts"),
  http_json: () => import("./http_json.ts"),
  local: () => import("./local.ts"),
  mysql: () => import("./mysql.ts"),
  otlp: () => import("./otlp.ts"),
  pgjsonb: () => import("./pgjsonb.ts"),
  postgres: () => import("./postgres.ts"),
  rawfile_json: () => import("./rawfile_json.ts"),
  redis: () => import("./redis.ts"),
  // The name of its file in Salt, by which many configurations call it.
  redis_return: () => import("./redis.ts"),
  slack_webhook: () => import("./slack_webhook.ts"),
  smtp: () => import("./smtp.ts"),
  // The name of its file in Salt.
  smtp_return: () => import("./smtp.ts"),
  splunk: () => import("./splunk.ts"),
  sqlite3: () => import("./sqlite3.ts"),
  syslog: () => import("./syslog.ts"),
};
