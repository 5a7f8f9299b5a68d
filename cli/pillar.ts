/** Compilers of pillar for programs: for a master, for a minion without a master, and for a runner next to a master. */
import type { MasterOpts } from "../src/model/config/master_opts.ts";
import { openFiles } from "../src/content/fileserver/client.ts";
import { type OwnPillar, pillarRecord } from "../src/host/minion/pillar.ts";
import { createRenderers } from "../src/language/render/renderers.ts";
import type { PartHandlers } from "../src/feature/supervise/serve_part.ts";
import type { WorkerPool } from "../src/feature/supervise/worker_pool.ts";
import { CommandExecutionError, type Context } from "../src/model/loader/family.ts";
import type { HostMaster } from "../src/model/loader/host_master.ts";
import { customRenderers } from "../src/model/loader/custom_renderers.ts";
import { withCustomPillars } from "../src/model/loader/custom_pillars.ts";
import { hostContext, hostFunctions } from "../src/model/loader/host_context.ts";
import { templateFunctions, type TemplateHost } from "../src/model/loader/template_functions.ts";
import type { RunnerPillar } from "../src/model/loader/pillar_link.ts";
import type { Logger } from "../src/base/log.ts";
import { openPackedCache, openPillarCache, throughCache } from "../src/content/pillar/pillar_cache.ts";
import { type PackedPillar, PillarCompiler } from "../src/content/pillar/compiler.ts";
import { pillarHandlers, pillarWorkers, type WorkerPillarRequest } from "../src/host/master/workers/pillar_workers.ts";
import { describeTop } from "../src/content/pillar/top.ts";
import { EXT_PILLARS } from "../src/plugins/pillar/mod.ts";
import type { AnyMap } from "../src/language/python/values.ts";
import type { OpenRunner } from "../src/host/runner/runner_host_options.ts";
import type { Runtime } from "../src/runtime/runtime.ts";

/** Maximum depth of runners that pillar calls: the pillar of a runner may call further runners. */
const MAX_RUNNER_DEPTH = 3;

/** The host that compiles pillar: a master, also for runners in pillar, or a minion without a master. */
interface Place {
  runtime: Runtime;
  opts: Record<string, unknown>;
  log: Logger;
  isMaster: boolean;
  /** Number of runners around this compilation, each called by the pillar of the one before. @default 0 */
  depth?: number;
}

function open(place: Place): PillarCompiler {
  const { runtime, opts, log } = place;
  return new PillarCompiler({
    runtime,
    opts,
    log: log.child("pillar"),
    renderers: createRenderers(runtime),
    customRenderers: () => customRenderers({ runtime, opts, log: log.child("pillar") }),
    extPillars: EXT_PILLARS,
    customPillars: (known) => withCustomPillars(known, { runtime, opts, log: log.child("pillar") }),
    functions: ({ grains, inUse }) => templateFunctions(() => openFunctions(place, grains, inUse)),
  });
}

/**
 * The master through which templates of pillar call runners. The depth is limited, because the pillar of a runner may call
 * runners, too.
 */
async function runnersOf({ runtime, opts, log, isMaster, depth = 0 }: Place): Promise<HostMaster> {
  const [{ openHostMaster, ownHostMaster }, { RUNNER_MODULES }, { RunnerHost }] = await Promise.all([
    import("../src/host/runner/host_master.ts"),
    import("./runner_modules.ts"),
    import("../src/host/runner/runner_host.ts"),
  ]);
  const openPillar: typeof openRunnerPillar = (runtime, opts, log) => {
    if (depth + 1 < MAX_RUNNER_DEPTH) return openRunnerPillar(runtime, opts, log, depth + 1);
    throw new CommandExecutionError(
      "The pillar calls a runner that compiles the same pillar: do not call such runners from pillar",
    );
  };
  const plugins = { ...RUNNER_MODULES, openPillar };
  const openRunner: OpenRunner = (options) => RunnerHost.open(options);
  return isMaster
    ? ownHostMaster({ runtime, log, opts: opts as MasterOpts, plugins, openRunner })
    : openHostMaster(runtime, log, () => Promise.resolve(plugins), openRunner)(opts);
}

/** As in Salt, the execution functions of this host with the grains of the minion whose pillar is rendered. */
async function openFunctions(place: Place, grains: Record<string, unknown>, inUse: AnyMap = {}): Promise<TemplateHost> {
  const { runtime, opts, log } = place;
  const [{ MODULES }, hostMaster] = await Promise.all([import("../src/plugins/modules/mod.ts"), runnersOf(place)]);
  const values = { ...opts, file_client: "local" };
  const functions = hostFunctions(MODULES, {}, () => context);
  const context: Context = hostContext(functions, {
    runtime,
    log: log.child("module"),
    opts: values,
    grains,
    pillar: pillarRecord(inUse),
    hostMaster,
    jobs: { running: () => [], signal: () => undefined },
    master: undefined,
    files: openFiles({ runtime, log: log.child("files"), opts: values, request: undefined }),
  });
  return { functions, context: () => context };
}

/**
 * The compiler of a master, with its cache if it has one.
 *
 * @param workers processes that compile. @default this process compiles
 * @throws {ConfigError} if the options of the cache cannot be used
 */
export function openMasterPillar(
  runtime: Runtime,
  opts: Record<string, unknown>,
  log: Logger,
  workers?: WorkerPool,
): (request: WorkerPillarRequest) => Promise<AnyMap | PackedPillar> {
  const inline = throughOwnCache(runtime, opts, log);
  if (workers === undefined) return inline;
  // A cache on disk is opened by each worker; a cache in memory must be in this process.
  const cache = openPackedCache<AnyMap | PackedPillar>(opts, runtime);
  const compile = pillarWorkers(workers, { fs: runtime.fs, opts });
  return (request) => throughCache(cache, request, compile);
}

function throughOwnCache(runtime: Runtime, opts: Record<string, unknown>, log: Logger) {
  const compiler = open({ runtime, opts, log, isMaster: true });
  const { fs, clock } = runtime;
  const cache = openPillarCache(opts, { fs, clock, log: log.child("pillar") });
  return (request: WorkerPillarRequest) => throughCache(cache, request, (one) => compiler.compile(one));
}

/** The handlers of a worker process for requests about pillar. */
export function openPillarWorker(runtime: Runtime, opts: Record<string, unknown>, log: Logger): PartHandlers {
  const cached = opts.pillar_cache_backend === "memory" ? { ...opts, pillar_cache: false } : opts;
  return pillarHandlers(throughOwnCache(runtime, cached, log));
}

/** The compiler of a minion that has its pillar in its own files. */
export function openOwnPillar(runtime: Runtime, opts: Record<string, unknown>, log: Logger): OwnPillar {
  let compiler: PillarCompiler | undefined;
  return async ({ opts: ofCall, ...request }) => {
    if (ofCall !== undefined) return await open({ runtime, opts: ofCall, log, isMaster: false }).compile(request);
    return await (compiler ??= open({ runtime, opts, log, isMaster: false })).compile(request);
  };
}

/** Pillar for a runner. If the master keeps its cache in files, the runner uses the same cache. @param depth see {@link Place} */
export function openRunnerPillar(
  runtime: Runtime,
  opts: Record<string, unknown>,
  log: Logger,
  depth = 0,
): RunnerPillar {
  const compiler = open({ runtime, opts, log, isMaster: true, depth });
  const { fs, clock } = runtime;
  return {
    compile: (request) => compiler.compile(request),
    async top(request) {
      const { top, errors } = await compiler.top(request);
      return { top: describeTop(top), errors };
    },
    cache: openPillarCache(opts, { fs, clock, log: log.child("pillar") }),
  };
}
