/** Where runners read jobs: the master's job cache, another one, or a returner. */
import type { MasterOpts } from "../../model/config/master_opts.ts";
import { joinPath } from "../../base/paths.ts";
import { ConfigError, messageOf } from "../../base/errors.ts";
import type { JobCache } from "../../model/job/job_cache.ts";
import { type JobReader, type ReturnerModule, SaltInvocationError } from "../../model/loader/family.ts";
import { withCustomReturners } from "../../model/loader/custom_returners.ts";
import { moduleNamed } from "../../model/loader/loaded_file.ts";
import type { Logger } from "../../base/log.ts";
import type { Runtime } from "../../runtime/runtime.ts";
import type { RunnerPlugins } from "./runner_plugins.ts";

interface JobSourceOptions {
  runtime: Runtime;
  log: Logger;
  opts: MasterOpts;
  plugins: RunnerPlugins;
}

/** The job cache of the master on this host: Brine keeps it in one file, real Salt in directories. */
export async function openRunnerJobCache(
  { runtime, opts, plugins }: JobSourceOptions,
  isBrine: boolean,
): Promise<JobCache> {
  const kept = isBrine || runtime.fs.stat(joinPath(opts.cachedir, "jobs.sqlite"))?.kind === "file";
  const name = opts.master_job_cache !== "sqlite" || kept ? opts.master_job_cache : "local_cache";
  return await plugins.openJobCache(runtime, { ...opts, master_job_cache: name });
}

/** Job caches and returners that jobs are read from, besides the master's own job cache. */
export class JobSources {
  readonly #options: JobSourceOptions;
  readonly #own: JobCache;
  readonly #caches = new Map<string, JobCache>();
  readonly #returners: ReturnerModule[] = [];

  constructor(options: JobSourceOptions, own: JobCache) {
    this.#options = options;
    this.#own = own;
  }

  /** @throws {SaltInvocationError} naming those that exist, if the source is unknown */
  async find(source: string | undefined): Promise<JobReader> {
    const { runtime, log, opts, plugins } = this.#options;
    const name = source ?? opts.ext_job_cache;
    if (name === "") return this.#own;
    // Both a returner and a job cache may go by this name; the one that the master keeps its jobs in is known to be it.
    if (source !== undefined && source === opts.master_job_cache) return this.#own;
    const returners = withCustomReturners(plugins.returners, { runtime, log, opts });
    const returner = await moduleNamed(returners, "returner", name);
    if (returner !== undefined) {
      this.#returners.push(returner);
      return plugins.returnerJobs(name, returner, { runtime, log, opts });
    }
    try {
      const open = this.#caches.get(name) ?? await plugins.openJobCache(runtime, { ...opts, master_job_cache: name });
      this.#caches.set(name, open);
      return open;
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      const known = Object.keys(returners).join(", ");
      throw new SaltInvocationError(
        `Cannot read jobs from '${name}': expected a returner (one of ${known}) or a job cache: ` +
          messageOf(error),
      );
    }
  }

  async close(): Promise<void> {
    for (const cache of this.#caches.values()) await cache.close();
    for (const returner of new Set(this.#returners)) await returner.close?.();
  }
}
