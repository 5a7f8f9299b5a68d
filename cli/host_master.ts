import type { OpenHostMaster } from "../src/loader/host_master.ts";
import type { Logger } from "../src/log.ts";
import { openHostMaster as open } from "../src/runner/host_master.ts";
import type { Runtime } from "../src/runtime/mod.ts";

/** The master on this host, with the plugins of Brine for its runners; these are loaded when a job first runs one. */
export function openHostMaster(runtime: Runtime, log: Logger): OpenHostMaster {
  return open(
    runtime,
    log,
    async () => (await import("./runner_plugins.ts")).RUNNER_PLUGINS,
    async (options) => await (await import("../src/runner/runner_host.ts")).RunnerHost.open(options),
  );
}
