/** The runners: name → how to load it. */
import type { RunnerModule } from "../../loader/family.ts";

export const RUNNERS: Record<string, () => Promise<{ runner: RunnerModule }>> = {
  jobs: () => import("./jobs.ts"),
  manage: () => import("./manage.ts"),
};
