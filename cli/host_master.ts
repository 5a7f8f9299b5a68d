import type { OpenHostMaster } from "../src/model/loader/host_master.ts";
import type { Logger } from "../src/base/log.ts";
import { openHostMaster as open } from "../src/host/runner/host_master.ts";
import type { Runtime } from "../src/runtime/runtime.ts";

/** The master on this host, with Brine's plugins for its runners; the plugins are loaded when a job first runs a runner. */
export function openLocalHostMaster(runtime: Runtime, log: Logger): OpenHostMaster {
  return open(
    runtime,
    log,
    async () => (await import("./runner_plugins.ts")).RUNNER_PLUGINS,
    async (options) => await (await import("../src/host/runner/runner_host.ts")).RunnerHost.open(options),
  );
}
