import type { EngineRegistry } from "../../model/loader/engines.ts";

/** The engines: name → how to load it. */
export const ENGINES: EngineRegistry = {
  fluent: () => import("./fluent.ts"),
  http_logstash: () => import("./http_logstash.ts"),
  logstash: () => import("./logstash.ts"),
  notify: () => import("./notify.ts"),
  // The name by which real Salt 3006 knows that engine; by the name of its file it does not find it.
  redis: () => import("./redis_sentinel.ts"),
  redis_sentinel: () => import("./redis_sentinel.ts"),
  script: () => import("./script.ts"),
  stalekey: () => import("./stalekey.ts"),
  test: () => import("./test.ts"),
  webhook: () => import("./webhook.ts"),
};
