import { loadPair } from "../../protocol/channel/key_pair.ts";
import type { MinionIdentity } from "../../protocol/channel/auth_client.ts";
import { durableRuntime } from "../../model/config/durability.ts";
import type { MinionOpts } from "../../model/config/minion_opts.ts";
import { messageOf } from "../../base/errors.ts";
import type { BeaconRegistry } from "../../model/loader/beacons.ts";
import type { Context, ReturnerRegistry } from "../../model/loader/family.ts";
import type { OpenHostMaster } from "../../model/loader/host_master.ts";
import type { ModuleRegistry } from "../../model/loader/loader.ts";
import type { Logger } from "../../base/log.ts";
import type { Runtime } from "../../runtime/runtime.ts";
import { type Meter, METRICS, NO_TELEMETRY, type Telemetry } from "../../base/telemetry/mod.ts";
import { openTransport } from "../../protocol/transport/open_transport.ts";
import type { Transport } from "../../protocol/transport/transport.ts";
import { type Engines, observeEngines } from "../../feature/engine/engines.ts";
import { MinionGrains } from "./grains.ts";
import { type OpenEngines, openEngines } from "./minion_engines.ts";
import { minionId } from "./id.ts";
import { MinionJobs } from "./jobs/minion_jobs.ts";
import { returnerSender } from "./jobs/returners.ts";
import { RunningJobs } from "./jobs/running_jobs.ts";
import { localSockets, openLocalBus } from "./local_bus.ts";
import { serveLocalCommands } from "./local_commands.ts";
import { type MasterPlan, masterPlan } from "./master_plan.ts";
import { type MineOptions, updateMine } from "./mine.ts";
import { KeyRotator, type KeyRotatorOptions } from "./key_rotator.ts";
import { Masters } from "./masters.ts";
import { minionContext } from "./minion_context.ts";
import type { OwnPillar } from "./pillar.ts";
import { PillarRefresh } from "./pillar_refresh.ts";
import { Refreshes } from "./refreshes.ts";
import { openExecution } from "./processes/choose_process.ts";
import type { JobCommand } from "./processes/pooled_process.ts";
import { MinionBeacons, type MinionBeaconsOptions } from "./beacons/minion_beacons.ts";
import { MinionSchedule, type MinionScheduleOptions } from "./schedule/minion_schedule.ts";
import { serveMasters } from "./serve_masters.ts";
import { RejectedError } from "./sign_in.ts";
import { runStartupStates } from "./startup_states.ts";

/** The parts of a minion that are looked at when metrics are asked for. */
interface ObservedMinion {
  masters: Masters;
  runningJobs: RunningJobs;
  jobs: MinionJobs;
  /** `return_spool_bytes`. */
  spoolLimit: number;
}

/** Makes the meter read counts that a minion keeps. */
function observeMinion(meter: Meter, { masters, runningJobs, jobs, spoolLimit }: ObservedMinion): void {
  if (!meter.enabled) return;
  const queue = ["return_spool_bytes"];
  meter.read(METRICS.minionJobsRunning, () => runningJobs.size);
  meter.read(METRICS.spoolReturns, () => jobs.unsent.count);
  meter.read(METRICS.spoolBytes, () => jobs.unsent.bytes);
  meter.read(METRICS.queueLength, () => [{ value: jobs.unsent.bytes, values: queue }]);
  meter.read(METRICS.queueLimit, () => [{ value: spoolLimit, values: queue }]);
  meter.read(METRICS.minionReconnects, () => masters.reconnects);
  meter.read(METRICS.minionMasters, () => [
    { value: masters.connected, values: ["connected"] },
    { value: masters.all.length - masters.connected, values: ["away"] },
  ]);
}

export interface MinionOptions {
  runtime: Runtime;
  opts: MinionOpts;
  /** Option names that the configuration sets itself, beyond the defaults. */
  given: ReadonlySet<string>;
  log: Logger;
  modules: ModuleRegistry;
  /** Gathers the grains of this host; `fresh`: without those that are cached. */
  grains(
    context: Pick<Context, "runtime" | "log" | "opts">,
    options?: { fresh?: boolean },
  ): Promise<Record<string, unknown>>;
  /** Formats the information of a command's failure: the nested outputter. */
  formatInfo?(info: unknown): string;
  /** Starts the process of a job. @default none: all jobs run in this process */
  jobCommand?: JobCommand | undefined;
  /** See {@link Context.hostMaster}. */
  hostMaster?: OpenHostMaster;
  /** @default the transport that the configuration asks for */
  sockets?: Transport;
  /** The beacons. @default none */
  beacons?: BeaconRegistry;
  /** The returners that `--return` and the option `return` may name. @default none */
  returners?: ReturnerRegistry;
  /** Compiles the pillar of a minion that takes it from its own files. @default it is empty */
  ownPillar?: OwnPillar;
  /** Runs the engines. @default there are none */
  engines?: OpenEngines;
  /** The telemetry of the minion, which closes it. @default nothing is counted or traced */
  telemetry?: Telemetry;
  /** Called when a master has refused the minion for good; the process should end with this code. */
  onRejected?(error: RejectedError): void;
}

/** A running minion. */
export interface Minion extends AsyncDisposable {
  /** The minion's id. */
  readonly id: string;
  /** Resolves once every master has let the minion in and the minion listens to it. */
  readonly ready: Promise<void>;
  /** The context that the minion's functions get. */
  readonly context: Context;
  /** Its masters, its running jobs, and the returns that are not sent yet; for monitoring. */
  status(): Record<string, unknown>;
  /** Stops the minion and closes its connections. */
  close(): Promise<void>;
}

/**
 * Starts a minion: finds its id and keys, gathers grains, and signs in to its masters. Resolves while the sign-in is under
 * way; {@link Minion.ready} resolves when it is done, which may take until an operator accepts the key.
 *
 * @throws {ConfigError} and {SystemError} for what an operator must mend first
 */
export async function startMinion(options: MinionOptions): Promise<Minion> {
  const { opts, log, given, modules, formatInfo, jobCommand, hostMaster, ownPillar, returners = {} } = options;
  const { telemetry = NO_TELEMETRY } = options;
  const runtime = durableRuntime(options.runtime, opts);
  await using stack = new AsyncDisposableStack();
  stack.defer(() => telemetry.close());

  opts.id = await minionId(runtime, opts, log);
  const plan = masterPlan(opts, runtime.random);
  const identity = await openIdentity(runtime, opts, log);
  const grains = new MinionGrains(async (fresh) => await options.grains({ runtime, log, opts }, { fresh }));
  await grains.gather(false);
  const runningJobs = new RunningJobs(runtime, log.child("job"), opts.cachedir);
  runningJobs.prepare();

  const local = localSockets(runtime, opts, identity.id);
  const { bus, close: closeBus } = await openLocalBus(runtime, local, log, opts as unknown as Record<string, unknown>);
  stack.defer(closeBus);

  const masters = new Masters(runtime.clock, plan.serve === "one");
  const pillar = new PillarRefresh({ opts, log, grains, masters, ownPillar });
  const refreshes = new Refreshes(runtime.clock);
  const seen = { runtime, log, opts, modules, grains, pillar, runningJobs, bus, masters, hostMaster };
  const context = minionContext(seen);

  const execution = openExecution({
    runtime,
    log,
    opts,
    functions: context.functions,
    modules,
    context: context.of,
    formatInfo,
    jobCommand,
    socket: local.jobs,
    session: (stale, master) => masters.of(master).session(stale),
  });
  stack.defer(() => execution.close());

  const sendToReturners = returnerSender(returners, context.of());
  const jobs = new MinionJobs({ runtime, opts, log, runningJobs, execution, sendToReturners, telemetry });
  jobs.open();
  stack.defer(() => jobs.close());

  const sockets = options.sockets ?? openTransport({ runtime, log, opts });
  const rotator = openRotator({ runtime, opts, log, identity, servesOne: plan.serve === "one" }, masters, stack);
  const onRotationAsked = () => void rotator.rotate();
  const mine = { runtime, opts, log: log.child("mine"), execution, pillar: () => pillar.current };
  const schedule = openSchedule({ ...seen, jobs, plan, mine }, stack);
  const beacons = openBeacons({ ...seen, context, beacons: options.beacons }, stack);
  const parts = [schedule, beacons];
  const { failover, open } = serveMasters({
    plan,
    connecting: { ...seen, given, sockets, identity, refreshes, jobs, onRotationAsked },
    execution,
    mine,
    schedule: { start: (signal) => parts.forEach((part) => part.start(signal)) },
  }, stack);
  const { clock } = runtime;
  const rotate = () => rotator.rotate();
  const commands = parts.map((part) => part.commands());
  stack.defer(serveLocalCommands({ ...seen, clock, refreshes, context, execution, failover, rotate, parts: commands }));
  jobs.resume();
  const hasMaster = plan.serve !== "none" && !isMasterless(opts);
  const engines = openEngines(options.engines, { id: identity.id, local, bus, masters, hasMaster }, stack);
  const ready = open();
  ready.then(() => rotator.watch(), (error) => gaveUp(error, options));
  const request = plan.serve === "none" ? undefined : masters.requester();
  void ready.then(() => runStartupStates({ runtime, opts, log, runningJobs, execution, request }), () => {});

  const close = closer(jobs, runningJobs, stack.move());
  observeMinion(telemetry.meter, { masters, runningJobs, jobs, spoolLimit: opts.return_spool_bytes });
  if (engines !== undefined) observeEngines(telemetry.meter, engines);
  const status = () => ({ ...statusOf(identity.id, opts, masters, runningJobs, jobs), ...partsOf(engines) });
  return { id: identity.id, ready, context: context.of(), status, close, [Symbol.asyncDispose]: close };
}

/** Ends a minion, once: no further job begins, those that run are told, and then all that it holds is let go. */
function closer(jobs: MinionJobs, running: RunningJobs, owned: AsyncDisposableStack): () => Promise<void> {
  let closing: Promise<void> | undefined;
  return () =>
    closing ??= (async () => {
      jobs.stop();
      running.abortAll(new Error("The minion is stopping"));
      await owned.disposeAsync();
    })();
}

/** Makes the minion's directories, and loads its key pair or generates it. */
async function openIdentity(runtime: Runtime, opts: MinionOpts, log: Logger): Promise<MinionIdentity> {
  runtime.fs.mkdir(opts.pki_dir, 0o700);
  runtime.fs.mkdir(opts.cachedir, 0o755);
  runtime.fs.mkdir(opts.sock_dir, 0o755);
  const pair = await loadPair(runtime, log, { pkiDir: opts.pki_dir, name: "minion", keySize: opts.keysize });
  return { id: opts.id, ...pair };
}

/** The minion's schedule, which `stack` stops before what its jobs need. */
function openSchedule(
  options: Omit<MinionScheduleOptions, "hasMaster" | "updateMine"> & { plan: MasterPlan; mine: MineOptions },
  stack: AsyncDisposableStack,
): MinionSchedule {
  const { plan, mine, log } = options;
  const stopping = new AbortController();
  stack.defer(() => stopping.abort());
  return new MinionSchedule({
    ...options,
    log: log.child("schedule"),
    hasMaster: plan.serve !== "none",
    updateMine: () => updateMine(mine, stopping.signal),
  });
}

/** The minion's beacons. They begin with the schedule, unless they are to begin before there is a master. */
function openBeacons(options: MinionBeaconsOptions, stack: AsyncDisposableStack): MinionBeacons {
  const beacons = new MinionBeacons({ ...options, log: options.log.child("beacon") });
  if (options.opts.beacons_before_connect) {
    const stopping = new AbortController();
    stack.defer(() => stopping.abort());
    beacons.start(stopping.signal);
  }
  return beacons;
}

/** Makes the part that changes the minion's key, until `stack` ends it. */
function openRotator(
  options: Omit<KeyRotatorOptions, "masters" | "signal">,
  masters: Masters,
  stack: AsyncDisposableStack,
): KeyRotator {
  const stopping = new AbortController();
  stack.defer(() => stopping.abort());
  const { signal } = stopping;
  return new KeyRotator({ ...options, log: options.log.child("key"), masters: () => masters.all, signal });
}

/** The status of the minion's supervised processes. */
function partsOf(engines: Engines | undefined): Record<string, unknown> {
  return engines === undefined ? {} : { parts: [engines.status()] };
}

/** True if its functions act as those of a minion without masters: its events stay on its own bus. */
function isMasterless({ file_client, use_master_when_local }: MinionOpts): boolean {
  return file_client === "local" && use_master_when_local !== true;
}

/** See {@link Minion.status}. */
function statusOf(id: string, opts: MinionOpts, masters: Masters, running: RunningJobs, jobs: MinionJobs) {
  return {
    id,
    master_type: opts.master_type,
    masters: masters.all.map((one) => ({
      address: one.address,
      in_touch: masters.isServing(one),
      connected: masters.isConnected(one),
      ...(one.trouble === undefined || masters.isServing(one) ? {} : { trouble: one.trouble }),
    })),
    connections: { masters: masters.connected },
    queues: { return_spool_bytes: { length: jobs.unsent.bytes, limit: opts.return_spool_bytes } },
    jobs: { running: running.size },
    returns_unsent: jobs.unsent,
  };
}

/** Called when a master cannot be connected to and is not tried again. */
function gaveUp(error: unknown, { log, onRejected }: Pick<MinionOptions, "log" | "onRejected">): void {
  if (error instanceof RejectedError) {
    log.critical(error.message);
    onRejected?.(error);
  } else log.debug("connection given up", { reason: messageOf(error) });
}
