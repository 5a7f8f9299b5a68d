/** Compilers of pillar as programs need them: of a master, of a minion without one, and of a runner beside a master. */
import { openFiles } from "../src/fileserver/mod.ts";
import type { Context } from "../src/loader/context.ts";
import { customRenderers } from "../src/loader/custom_renderers.ts";
import { hostContext, hostFunctions } from "../src/loader/host_context.ts";
import { templateFunctions, type TemplateHost } from "../src/loader/template_functions.ts";
import type { RunnerPillar } from "../src/loader/pillar_link.ts";
import type { Logger } from "../src/log.ts";
import type { OwnPillar } from "../src/minion/mod.ts";
import {
  openPackedCache,
  openPillarCache,
  type PackedPillar,
  PillarCompiler,
  pillarHandlers,
  pillarWorkers,
  showTop,
  throughCache,
  type WorkerPillarRequest,
} from "../src/pillar/mod.ts";
import { EXT_PILLARS } from "../src/plugins/pillar/mod.ts";
import type { AnyMap } from "../src/python/containers.ts";
import { createRenderers } from "../src/render/mod.ts";
import type { Runtime } from "../src/runtime/mod.ts";
import type { PartHandlers, WorkerPool } from "../src/supervise/mod.ts";

function open(runtime: Runtime, opts: Record<string, unknown>, log: Logger): PillarCompiler {
  return new PillarCompiler({
    runtime,
    opts,
    log: log.child("pillar"),
    renderers: createRenderers(runtime),
    customRenderers: () => customRenderers({ runtime, opts, log: log.child("pillar") }),
    extPillars: EXT_PILLARS,
    functions: ({ grains }) => templateFunctions(() => openFunctions(runtime, opts, log, grains)),
  });
}

/** The execution functions of this host, with the grains of the minion whose pillar is rendered: as in Salt. */
async function openFunctions(
  runtime: Runtime,
  opts: Record<string, unknown>,
  log: Logger,
  grains: Record<string, unknown>,
): Promise<TemplateHost> {
  const { MODULES } = await import("../src/plugins/modules/mod.ts");
  const values = { ...opts, file_client: "local" };
  const functions = hostFunctions(MODULES, {}, () => context);
  const context: Context = hostContext(functions, {
    runtime,
    log: log.child("module"),
    opts: values,
    grains,
    pillar: {},
    jobs: { running: () => [], signal: () => undefined },
    master: undefined,
    files: openFiles({ runtime, log: log.child("files"), opts: values, request: undefined }),
  });
  return { functions, context: () => context };
}

/**
 * The compiler of a master, through its cache if it has one.
 *
 * @param workers the processes that compile; without them this process does
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
  // Each worker opens a cache on the disk for itself, and one in memory has to be here.
  const cache = openPackedCache<AnyMap | PackedPillar>(opts, runtime);
  const compile = pillarWorkers(workers, { fs: runtime.fs, opts });
  return (request) => throughCache(cache, request, compile);
}

function throughOwnCache(runtime: Runtime, opts: Record<string, unknown>, log: Logger) {
  const compiler = open(runtime, opts, log);
  const { fs, clock } = runtime;
  const cache = openPillarCache(opts, { fs, clock, log: log.child("pillar") });
  return (request: WorkerPillarRequest) => throughCache(cache, request, (one) => compiler.compile(one));
}

/** What a worker process answers about pillar. */
export function openPillarWorker(runtime: Runtime, opts: Record<string, unknown>, log: Logger): PartHandlers {
  const cached = opts.pillar_cache_backend === "memory" ? { ...opts, pillar_cache: false } : opts;
  return pillarHandlers(throughOwnCache(runtime, cached, log));
}

/** The compiler of a minion that takes its pillar from its own files. */
export function openOwnPillar(runtime: Runtime, opts: Record<string, unknown>, log: Logger): OwnPillar {
  let compiler: PillarCompiler | undefined;
  return async ({ opts: ofCall, ...request }) => {
    if (ofCall !== undefined) return await open(runtime, ofCall, log).compile(request);
    return await (compiler ??= open(runtime, opts, log)).compile(request);
  };
}

/** What a runner asks. The cache is that of the running master, where it keeps it in files. */
export function openRunnerPillar(runtime: Runtime, opts: Record<string, unknown>, log: Logger): RunnerPillar {
  const compiler = open(runtime, opts, log);
  const { fs, clock } = runtime;
  return {
    compile: (request) => compiler.compile(request),
    async top(request) {
      const { top, errors } = await compiler.top(request);
      return { top: showTop(top), errors };
    },
    cache: openPillarCache(opts, { fs, clock, log: log.child("pillar") }),
  };
}
