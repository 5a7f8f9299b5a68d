import type { MasterOpts } from "../../model/config/master_opts.ts";
import type { JobCache } from "../../model/job/job_cache.ts";
import type {
  Context,
  JobReader,
  ReturnerContext,
  ReturnerModule,
  ReturnerRegistry,
} from "../../model/loader/family.ts";
import type { RunnerRegistry } from "../../model/loader/custom_runners.ts";
import type { ModuleRegistry } from "../../model/loader/loader.ts";
import type { RunnerPillar } from "../../model/loader/pillar_link.ts";
import type { SdbRegistry } from "../../model/loader/sdb.ts";
import type { WheelRegistry } from "../../model/loader/wheel.ts";
import type { Logger } from "../../base/log.ts";
import type { Runtime } from "../../runtime/runtime.ts";

/** The plugins that runners run with, which only programs know. Functions load them when they are needed. */
export interface RunnerPlugins {
  runners: RunnerRegistry;
  returners: ReturnerRegistry;
  wheels(): Promise<WheelRegistry>;
  sdb(): Promise<SdbRegistry>;
  /** Execution modules, and what gathers the grains for them. */
  execution(): Promise<{
    modules: ModuleRegistry;
    gatherGrains(context: Pick<Context, "runtime" | "log" | "opts">): Promise<Record<string, unknown>>;
  }>;
  /** Opens the job cache. @throws {ConfigError} if `master_job_cache` names an unknown job cache, or one that cannot be opened */
  openJobCache(runtime: Runtime, opts: MasterOpts): Promise<JobCache>;
  /** Opens the jobs of a returner. @throws {TypeError} if the returner only writes */
  returnerJobs(name: string, returner: ReturnerModule, context: ReturnerContext): JobReader;
  openPillar(runtime: Runtime, opts: MasterOpts, log: Logger): RunnerPillar;
}
