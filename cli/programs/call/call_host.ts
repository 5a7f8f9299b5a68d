/** Makes the context for functions of `salt-call`: as on a minion, with or without a master. */
import type { MinionOpts } from "../../../src/model/config/minion_opts.ts";
import { openFiles } from "../../../src/content/fileserver/client.ts";
import type { Context } from "../../../src/model/loader/family.ts";
import { hostContext, hostFunctions } from "../../../src/model/loader/host_context.ts";
import type { FunctionTable } from "../../../src/model/loader/loader.ts";
import { type CompilePillar, hasOwnPillar } from "../../../src/model/loader/pillar_link.ts";
import { extraMinionData, pillarOf, pillarRecord, pillarRequest } from "../../../src/host/minion/pillar.ts";
import { RunningJobs } from "../../../src/host/minion/jobs/running_jobs.ts";
import { MODULES } from "../../../src/plugins/modules/mod.ts";
import { openLocalHostMaster } from "../../host_master.ts";
import type { CallProgram } from "../../program/context.ts";
import { type MinionBus, minionBus } from "./minion_bus.ts";
import type { CalledMaster } from "./connect_to_master.ts";

export interface MinionCallHost {
  opts: MinionOpts;
  base: Context;
  functions: FunctionTable;
  jobs: RunningJobs;
  /** The master that has accepted this host; undefined without a master. */
  master: CalledMaster | undefined;
  bus: MinionBus;
}

type Grains = Record<string, unknown>;

/**
 * Connects to a master, unless the function runs without one (`--local`, `file_client: local`, `master_type: disable`,
 * `--doc`), and loads what functions need.
 *
 * @throws {Exit} if no master has accepted this host
 */
export async function openCallHost(context: CallProgram, opts: MinionOpts, grains: Grains): Promise<MinionCallHost> {
  const { runtime, options, log } = context;
  const isLocal = options.local === true || opts.file_client === "local";
  const withoutMaster = isLocal || options.doc === true || opts.master_type === "disable";
  const master = withoutMaster
    ? undefined
    : await (await import("./connect_to_master.ts")).connectToMaster(context, opts, grains);
  const compilePillar = master === undefined
    ? await ownPillar(context, opts, grains, isLocal)
    : masterPillar(context, master, opts, grains);
  const bus = minionBus(runtime, opts);
  const jobs = new RunningJobs(runtime, log.child("job"), opts.cachedir);
  const own = { saltenv: opts.saltenv as string | null, pillarenv: opts.pillarenv as string | null };
  const functions = hostFunctions(MODULES, opts, () => base);
  const base: Context = hostContext(functions, {
    runtime,
    log: log.child("module"),
    opts,
    grains,
    pillar: master?.pillar ?? pillarRecord(await compilePillar(own)),
    compilePillar,
    hostMaster: openLocalHostMaster(runtime, log)(opts),
    jobs,
    master: master && masterOf(master, bus),
    files: openFiles({
      runtime,
      log: log.child("files"),
      opts,
      request: master && ((load, how) => master.connection.requests.send(load, how)),
    }),
  });
  return { opts, base, functions, jobs, master, bus };
}

function masterPillar(
  context: CallProgram,
  { connection }: CalledMaster,
  opts: MinionOpts,
  grains: Grains,
): CompilePillar {
  return async (call) => {
    const used = call.opts as MinionOpts | undefined ?? opts;
    const seen = call.grains ?? grains;
    if (hasOwnPillar(used) && !hasOwnPillar(opts)) return await (await ownPillar(context, used, seen, true))(call);
    return pillarOf(await connection.requests.sendPrivate(pillarRequest(seen, used, call)));
  };
}

/** Compiles pillar from files of this host; empty if only documentation is requested. */
async function ownPillar(
  { runtime, options, log }: CallProgram,
  opts: MinionOpts,
  grains: Grains,
  isLocal: boolean,
): Promise<CompilePillar> {
  if (!isLocal || options.doc === true) return () => Promise.resolve({});
  const { openOwnPillar } = await import("../../pillar.ts");
  const compile = openOwnPillar(runtime, opts, log);
  return async (call) => {
    const { id, ...used } = call.opts ?? opts;
    return await compile({ id: String(id), grains, ...call, extraMinionData: extraMinionData(used) }) ?? {};
  };
}

/** The master's functions for execution functions. */
function masterOf({ connection }: CalledMaster, bus: MinionBus): NonNullable<Context["master"]> {
  return {
    async fireEvent(tag, data) {
      await connection.requests.send({ cmd: "_minion_event", tag, data, pretag: null });
      return true;
    },
    fireLocal: (tag, data) => bus.fireLocal(tag, data),
    askLocal: (...question) => bus.askLocal(...question),
    request: (load, how) => connection.request(load, how),
  };
}
