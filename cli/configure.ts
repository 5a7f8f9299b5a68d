/** Wires daemons and commands: selects the plugins and sockets that each is made of. */
import { engineList } from "../src/model/config/engine_list.ts";
import { reactorOpts } from "../src/model/config/requested_reactor.ts";
import type { MasterOpts } from "../src/model/config/master_opts.ts";
import type { MinionOpts } from "../src/model/config/minion_opts.ts";
import { joinPath } from "../src/base/paths.ts";
import type { BusPaths } from "../src/feature/engine/bus_link.ts";
import type { ExtJobCache } from "../src/host/master/jobs/job_services.ts";
import type { SendToReturners } from "../src/host/master/services.ts";
import type { MasterWithParts } from "../src/host/master/master.ts";
import type { MasterOptions } from "../src/host/master/master_options.ts";
import type { Minion, MinionOptions } from "../src/host/minion/minion.ts";
import type { OpenEngines } from "../src/host/minion/minion_engines.ts";
import type { Syndic, SyndicOptions } from "../src/host/syndic/syndic.ts";
import type { Supervisor } from "../src/feature/supervise/supervisor.ts";
import { ConfigError, messageOf } from "../src/base/errors.ts";
import { OWN_BUS } from "../src/model/event/bus.ts";
import type { Logger } from "../src/base/log.ts";
import type { Runtime } from "../src/runtime/runtime.ts";
import type { EngineRegistry } from "../src/model/loader/engines.ts";
import type { EventReturnPart } from "../src/feature/event_return/event_return_part.ts";
import { nativeSockets, type SocketFactory } from "../src/protocol/zmtp/mod.ts";
import { openTelemetry } from "./daemon/telemetry/open_telemetry.ts";
import { openCluster } from "./cluster.ts";
import type { Startup } from "./daemon/daemon.ts";
import { openLocalHostMaster } from "./host_master.ts";
import { openJobCache } from "./job_caches.ts";

/** The sockets that the option `zmq_library` selects: those of Brine, or libzmq for `native`. */
async function socketsOf(opts: Record<string, unknown>, log: Logger): Promise<SocketFactory | undefined> {
  if (opts.zmq_library === undefined || opts.zmq_library === "brine") return undefined;
  if (opts.zmq_library === "native") return await nativeSockets(log);
  throw new ConfigError(`Unknown zmq_library "${opts.zmq_library}": expected brine or native`);
}

/** The job cache in the returner that `ext_job_cache` names; undefined if the option is empty. */
async function extJobCache(runtime: Runtime, opts: MasterOpts, log: Logger): Promise<ExtJobCache | undefined> {
  const name = opts.ext_job_cache;
  if (name === "") return undefined;
  const [{ RETURNERS }, { moduleNamed }, { withCustomReturners }] = await Promise.all([
    import("../src/plugins/returners/mod.ts"),
    import("../src/model/loader/loaded_file.ts"),
    import("../src/model/loader/custom_returners.ts"),
  ]);
  const returners = withCustomReturners(RETURNERS, { runtime, log, opts });
  const returner = await moduleNamed(returners, "returner", name);
  if (returner?.saveLoad === undefined) {
    const known = Object.keys(returners).join(", ");
    log.error("ext_job_cache cannot store jobs: it gets returns only", { name, known });
    return undefined;
  }
  const context = { runtime, log: log.child("returner"), opts };
  return async (jid, load, minions) => {
    try {
      await returner.saveLoad!(context, jid, load, minions);
    } catch (error) {
      log.error("job not stored in ext_job_cache", { name, jid, error: messageOf(error) });
    }
  };
}

/** Sends the returns of scheduled runners to returners. Nothing is loaded before the first return. */
function returnersOnMaster(runtime: Runtime, opts: MasterOpts, log: Logger): SendToReturners {
  return async ({ names, ...more }, ret) => {
    const [{ RETURNERS }, { withCustomReturners }, { callReturners }] = await Promise.all([
      import("../src/plugins/returners/mod.ts"),
      import("../src/model/loader/custom_returners.ts"),
      import("../src/host/minion/jobs/returners.ts"),
    ]);
    const child = log.child("returner");
    const returners = withCustomReturners(RETURNERS, { runtime, log: child, opts });
    await callReturners(returners, { runtime, log: child, opts, ...more }, names, ret);
  };
}

/** Returns the command that starts the master's own program with an additional word; undefined if there is no such program. */
type OwnProgram = (word: string) => readonly string[] | undefined;

/** Request workers, at most, if `worker_threads` is not set: Salt's default. */
const MAX_WORKERS = 5;

/** Starts the processes of a master: runners and request workers. */
async function openProcesses(runtime: Runtime, current: () => MasterOpts, log: Logger, program: OwnProgram) {
  const opts = current();
  const [
    { RunnerProcesses },
    { Supervisor },
    { fileWorkers },
    { ReactorPart },
    { EventReturnPart },
    { topsPool, topsWorkers },
    { enginesOf },
  ] = await Promise.all([
    import("../src/host/runner/runner_processes.ts"),
    import("../src/feature/supervise/supervisor.ts"),
    import("../src/host/master/workers/file_workers.ts"),
    import("../src/feature/reactor/reactor_part.ts"),
    import("../src/feature/event_return/event_return_part.ts"),
    import("../src/host/master/workers/tops_workers.ts"),
    import("../src/feature/engine/engines_part.ts"),
  ]);
  const runner = program("--runner-process");
  const part = program("--part-process");
  const supervisor = new Supervisor({
    runtime,
    log,
    socket: { kind: "unix", path: joinPath(opts.sock_dir, "parts.ipc") },
  });
  // More workers than processors delay pings, and hardly compile more pillars (`bench/workers.ts`).
  const size = Number(opts.worker_threads ?? Math.min(MAX_WORKERS, Math.max(1, runtime.host.cpus().length)));
  const workers = part === undefined || size < 1 ? undefined : supervisor.workers({
    name: "requests",
    argv: part,
    config: current,
    size,
    health: { hungMs: opts.worker_hang_timeout * 1000, maxMemory: opts.worker_max_memory },
  });
  // Separate workers, because a hanging module of master_tops must not block pillar.
  const tops = part === undefined ? undefined : supervisor.workers({
    ...topsPool,
    argv: part,
    config: current,
    health: { hungMs: opts.worker_hang_timeout * 1000, maxMemory: opts.worker_max_memory },
  });
  const reactor = part === undefined ? undefined : supervisor.add(
    new ReactorPart(current, (fromStart) =>
      supervisor.kept({
        name: "reactor",
        argv: part,
        config: () => ({ opts: ownReactorOpts(current(), log), fromStart }),
        health: { hungMs: opts.worker_hang_timeout * 1000, maxMemory: opts.worker_max_memory },
      })),
  );
  reactor?.renew();
  addEventReturn(EventReturnPart, supervisor, runtime, current, part);
  const engines = supervisor.add(enginesOf({
    runtime,
    log,
    role: "master",
    id: opts.id,
    opts: current,
    bus: masterBus(opts),
    hasMaster: false,
    supervisor,
    argv: part,
    known: () => enginesKnown("master"),
  }));
  const runners = runner === undefined
    ? undefined
    : supervisor.add(new RunnerProcesses(supervisor.processes, current, runner));
  return {
    workers,
    parts: {
      supervisor,
      engines,
      ...(runners === undefined ? {} : { runners }),
      ...(workers === undefined ? {} : { heavyFiles: fileWorkers(workers) }),
      ...(tops === undefined ? {} : { customTops: topsWorkers(tops) }),
    },
  };
}

/** Adds the part that passes events to stores. */
function addEventReturn(
  Part: typeof EventReturnPart,
  supervisor: Supervisor,
  { clock }: Runtime,
  current: () => MasterOpts,
  argv: readonly string[] | undefined,
): void {
  if (argv === undefined) return;
  const { worker_hang_timeout: hangSeconds, worker_max_memory: maxMemory } = current();
  const start = (fromStart: boolean) =>
    supervisor.kept({
      name: "event_return",
      argv,
      config: () => ({ opts: current(), fromStart }),
      health: { hungMs: hangSeconds * 1000, maxMemory },
    });
  supervisor.add(new Part(current, clock, start)).renew();
}

/** Addresses of the sockets of a master's bus. */
function masterBus({ sock_dir }: MasterOpts): BusPaths {
  const path = (name: string) => joinPath(sock_dir, name);
  return { own: path(OWN_BUS), pub: path("master_event_pub.ipc"), pull: path("master_event_pull.ipc") };
}

/**
 * Starts a master as configured; `parts` replace those that the configuration selects.
 *
 * @param program returns the command for its processes. @default the command of this program
 * @param startup is told while the start waits for other servers, and can stop the wait
 */
export async function configureMaster(
  runtime: Runtime,
  values: Record<string, unknown>,
  log: Logger,
  parts: Partial<MasterOptions> = {},
  program?: OwnProgram,
  startup?: Startup,
): Promise<MasterWithParts> {
  const opts = values as MasterOpts;
  const [{ masterId }, { startMaster }] = await Promise.all([
    import("../src/host/master/master_id.ts"),
    import("../src/host/master/master.ts"),
  ]);
  opts.id = masterId(opts, runtime.host.hostname());
  const ext = await extJobCache(runtime, opts, log);
  const telemetry = parts.telemetry ?? await openTelemetry({ runtime, log, program: "salt-master", opts });
  const cluster = parts.cluster ?? await openCluster(runtime, opts, log, startup);
  const jobs = parts.jobs ?? cluster?.storage.jobs ?? await openJobCache(runtime, opts);
  const sockets = await socketsOf(opts, log);
  const [{ openMasterPillar }, { EAUTH }, { WHEELS }, { TOPS }, { ownCommand }] = await Promise.all([
    import("./pillar.ts"),
    import("../src/plugins/eauth/mod.ts"),
    import("../src/plugins/wheel/mod.ts"),
    import("../src/plugins/tops/mod.ts"),
    import("./programs/job_command.ts"),
  ]);
  // The next runner, worker and pillar use the reloaded configuration.
  let current = opts;
  const processes = await openProcesses(
    runtime,
    () => current,
    log,
    program ?? ((word) => ownCommand(runtime, word)),
  );
  let compile = openMasterPillar(runtime, opts, log, processes.workers);
  return await startMaster({
    runtime,
    opts,
    log,
    reloaded(changed) {
      current = changed;
      compile = openMasterPillar(runtime, changed, log, processes.workers);
      processes.parts.supervisor.renew();
    },
    eauth: EAUTH,
    wheels: WHEELS,
    tops: TOPS,
    ...processes.parts,
    compilePillar: (request) => compile(request),
    jobs,
    ...(cluster === undefined ? {} : { cluster }),
    telemetry,
    ...(ext === undefined ? {} : { extJobCache: ext }),
    sendToReturners: returnersOnMaster(runtime, opts, log),
    ...(sockets === undefined ? {} : { sockets }),
    ...parts,
  });
}

/** The options of the reactor's process. Mistakes in its item of `engines` are logged. */
function ownReactorOpts(current: MasterOpts, log: Logger): MasterOpts {
  const { opts, mistakes } = reactorOpts(current);
  for (const mistake of mistakes) log.error(mistake);
  return opts;
}

/** Opens the engines of a minion, with a supervisor for their processes. Without engines nothing is loaded. */
async function minionEngines(
  runtime: Runtime,
  opts: MinionOpts,
  log: Logger,
  program: OwnProgram,
): Promise<{ engines?: OpenEngines }> {
  // `ext_processes` is for masters only.
  const own = { ...opts, ext_processes: undefined };
  const { entries, mistakes } = engineList(own);
  if (entries.length + mistakes.length === 0) return {};
  const [{ enginesOf }, { Supervisor }] = await Promise.all([
    import("../src/feature/engine/engines_part.ts"),
    import("../src/feature/supervise/supervisor.ts"),
  ]);
  const open: OpenEngines = ({ id, bus, hasMaster }) => {
    // The socket is named after those of this minion's bus, because minions may share a directory.
    const socket = { kind: "unix" as const, path: bus.pull.replace(/event_([^/]*)_pull\.ipc$/, "engines_$1.ipc") };
    const supervisor = new Supervisor({ runtime, log, socket });
    const argv = program("--part-process");
    const host = {
      runtime,
      log,
      role: "minion" as const,
      id,
      opts: () => own,
      bus,
      hasMaster,
      supervisor,
      argv,
      known: () => enginesKnown("minion"),
    };
    const engines = supervisor.add(enginesOf(host));
    return { engines, close: () => supervisor.close() };
  };
  return { engines: open };
}

/**
 * Starts a minion as configured; `parts` replace those that the configuration selects.
 *
 * @param program returns the command for its processes. @default the command of this program
 */
export async function configureMinion(
  runtime: Runtime,
  values: Record<string, unknown>,
  given: ReadonlySet<string>,
  log: Logger,
  parts: Partial<MinionOptions>,
  program?: OwnProgram,
): Promise<Minion> {
  const opts = values as MinionOpts;
  const [{ startMinion }, { MODULES }, { RETURNERS }, { gatherGrains }, { nested }, { jobCommand, ownCommand }] =
    await Promise.all(
      [
        import("../src/host/minion/minion.ts"),
        import("../src/plugins/modules/mod.ts"),
        import("../src/plugins/returners/mod.ts"),
        import("../src/plugins/grains/mod.ts"),
        import("../src/plugins/outputters/nested.ts"),
        import("./programs/job_command.ts"),
      ],
    );
  const sockets = await socketsOf(opts, log);
  const [{ openOwnPillar }, { BEACONS }] = await Promise.all([
    import("./pillar.ts"),
    import("../src/plugins/beacons/mod.ts"),
  ]);
  return await startMinion({
    runtime,
    opts,
    given,
    log,
    modules: MODULES,
    returners: RETURNERS,
    beacons: BEACONS,
    grains: gatherGrains,
    formatInfo: (info) => nested(info, {}, {}),
    jobCommand: jobCommand(runtime),
    hostMaster: openLocalHostMaster(runtime, log),
    ...await minionEngines(runtime, opts, log, program ?? ((word) => ownCommand(runtime, word))),
    ownPillar: openOwnPillar(runtime, opts, log),
    telemetry: parts.telemetry ?? await openTelemetry({
      runtime,
      log,
      program: "salt-minion",
      opts,
      service: opts.id === "" ? "salt-minion" : `salt-minion-${opts.id}`,
    }),
    ...(sockets === undefined ? {} : { sockets }),
    ...parts,
  });
}

/** Starts a syndic from the configurations of the master and the minion on this host. */
export async function configureSyndic(
  runtime: Runtime,
  masterOpts: MasterOpts,
  minionOpts: MinionOpts,
  given: ReadonlySet<string>,
  log: Logger,
  parts: Partial<SyndicOptions>,
): Promise<Syndic> {
  const { startSyndic } = await import("../src/host/syndic/syndic.ts");
  const sockets = await socketsOf(minionOpts, log);
  return await startSyndic({
    runtime,
    log,
    masterOpts,
    minionOpts,
    given,
    openJobs: (isBrine) => {
      // Next to real Salt's master, jobs are in that master's directories, unless the configuration names another job cache.
      const { master_job_cache } = masterOpts;
      const name = !isBrine && master_job_cache === "sqlite" ? "local_cache" : master_job_cache;
      return openJobCache(runtime, { ...masterOpts, master_job_cache: name });
    },
    ...(sockets === undefined ? {} : { sockets }),
    ...parts,
  });
}

async function enginesKnown(role: "master" | "minion"): Promise<EngineRegistry> {
  return (await import("./known_engines.ts")).knownEngines(role);
}
