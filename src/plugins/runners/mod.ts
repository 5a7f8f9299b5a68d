/** The runners: name → how to load it. */
import type { RunnerModule } from "../../loader/family.ts";

export const RUNNERS: Record<string, () => Promise<{ runner: RunnerModule }>> = {
  auth: () => import("./auth.ts"),
  cache: () => import("./cache.ts"),
  config: () => import("./config.ts"),
  doc: () => import("./doc.ts"),
  error: () => import("./error.ts"),
  event: () => import("./event.ts"),
  fileserver: () => import("./fileserver.ts"),
  http: () => import("./http.ts"),
  jobs: () => import("./jobs.ts"),
  manage: () => import("./manage.ts"),
  network: () => import("./network.ts"),
  mine: () => import("./mine.ts"),
  pillar: () => import("./pillar.ts"),
  salt: () => import("./salt.ts"),
  saltutil: () => import("./saltutil.ts"),
  survey: () => import("./survey.ts"),
  test: () => import("./test.ts"),
};
