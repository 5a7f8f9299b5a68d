import { returnerJobs } from "../src/plugins/returners/reader.ts";
import { RETURNERS } from "../src/plugins/returners/mod.ts";
import { RUNNERS } from "../src/plugins/runners/mod.ts";
import type { RunnerPlugins } from "../src/host/runner/runner_plugins.ts";
import { openJobCache } from "./job_caches.ts";

/** Brine's plugins for runners, except pillar: pillar itself calls runners. */
export const RUNNER_MODULES: Omit<RunnerPlugins, "openPillar"> = {
  runners: RUNNERS,
  returners: RETURNERS,
  wheels: async () => (await import("../src/plugins/wheel/mod.ts")).WHEELS,
  sdb: async () => (await import("../src/plugins/sdb/mod.ts")).SDB,
  async execution() {
    const [{ MODULES }, { gatherGrains }] = await Promise.all([
      import("../src/plugins/modules/mod.ts"),
      import("../src/plugins/grains/mod.ts"),
    ]);
    return { modules: MODULES, gatherGrains };
  },
  openJobCache,
  returnerJobs,
};
