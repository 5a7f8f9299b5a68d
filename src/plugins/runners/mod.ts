/** The runners: name → how to load it. */
import type { RunnerModule } from "../../loader/family.ts";

export const RUNNERS: Record<string, () => Promise<{ runner: RunnerModule }>> = {
  cache: () => import("./cache.ts"),
  config: () => import("./config.ts"),
  doc: () => import("./doc.ts"),
  event: () => import("./event.ts"),
  fileserver: () => import("./fileserver.ts"),
  jobs: () => import("./jobs.ts"),
  manage: () => import("./manage.ts"),
  mine: () => import("./mine.ts"),
  pillar: () => import("./pillar.ts"),
  salt: () => import("./salt.ts"),
  saltutil: () => import("./saltutil.ts"),
  survey: () => import("./survey.ts"),
  test: () => import("./test.ts"),
};
