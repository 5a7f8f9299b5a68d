import { MasterConnection, RejectedError } from "./connection.ts";
import { Dispatcher } from "./jobs/dispatcher.ts";
import { inProcess } from "./processes/in_process.ts";
import { openExecution } from "./processes/open_execution.ts";
import { keepGrains } from "./grains.ts";
import { minionId } from "./id.ts";
import { RunningJobs } from "./jobs/running_jobs.ts";
import { MinionJobs } from "./jobs/minion_jobs.ts";
import { keepMine, updateMine } from "./mine.ts";
import { extraMinionData, hasOwnPillar, type OwnPillar, pillarOf, pillarRecord, pillarRequest } from "./pillar.ts";
import { callReturners, returnerNames } from "./jobs/returners.ts";
import { loadPair } from "../channel/key_pair.ts";
import type { MinionOpts } from "../config/minion_opts.ts";
import { durableRuntime } from "../config/durability.ts";
import { joinPath } from "../config/paths.ts";
import { ConfigError, messageOf, SaltError } from "../errors.ts";
import { type BusEvent, EventBus } from "../event/bus.ts";
import { serveBus } from "../event/ipc.ts";
import { openFiles } from "../fileserver/mod.ts";
import { newJid } from "../job/jid.ts";
import { ipcHash } from "../job/minion_id.ts";
import type { HashName } from "../runtime/crypto.ts";
import type { Context } from "../loader/context.ts";
import { withCustomReturners } from "../loader/custom.ts";
import type { OpenHostMaster } from "../loader/host_master.ts";
import { hostContext, hostFunctions } from "../loader/host_context.ts";
import type { ModuleRegistry } from "../loader/loader.ts";
import type { PillarCall } from "../loader/pillar_link.ts";
import type { Logger } from "../log.ts";
import type { ReturnerContext, ReturnerRegistry } from "../loader/family.ts";
import type { AnyMap } from "../python/containers.ts";
import { repr } from "../python/repr.ts";
import type { Runtime } from "../runtime/mod.ts";
import { type Packed, unpack } from "../wire/msgpack.ts";
import { runtimeSockets, type SocketFactory } from "../zmtp/mod.ts";
import { Masters } from "./masters.ts";
import type { JobCommand } from "./processes/process_starter.ts";

export interface MinionOptions {
  runtime: Runtime;
  opts: MinionOpts;
  /** Option names that the configuration sets itself, beyond the defaults. */
  given: ReadonlySet<string>;
  log: Logger;
  modules: ModuleRegistry;
  /** Gathers the grains of this host; `fresh`: those that are kept from before do not count. */
  grains(
    context: Pick<Context, "runtime" | "log" | "opts">,
    options?: { fresh?: boolean },
  ): Promise<Record<string, unknown>>;
  /** How the information of a command's failure is shown: the nested outputter. */
  formatInfo?(info: unknown): string;
  /** How a process for one job is started. @default none: all jobs run in this process */
  jobCommand?: JobCommand;
  /** See {@link Context.hostMaster}. */
  hostMaster?: OpenHostMaster;
  /** @default our own ZeroMQ */
  sockets?: SocketFactory;
  /** Where `--return` and the option `return` may send returns. @default none */
  returners?: ReturnerRegistry;
  /** Compiles the pillar where the minion takes it from its own files. @default it is empty */
  ownPillar?: OwnPillar;
  /** A master has refused us for good; the process should end with this code. */
  onRejected?(error: RejectedError): void;
}

/** A running minion. */
export interface Minion extends AsyncDisposable {
  readonly id: string;
  /** Resolves once every master lets us in and is listened to. */
  readonly ready: Promise<void>;
  readonly context: Context;
  /** Where it stands: its masters, jobs, and returns that wait; for whoever looks after it. */
  status(): Record<string, unknown>;
  close(): Promise<void>;
}

/** `host`, `host:port`, `[v6]:port` or a bare v6 address, as the option `master` has it. */
export function parseMaster(text: string, defaultPort: number): { host: string; port: number } {
  const bracketed = /^\[([^\]]+)\](?::(\d+))?$/.exec(text);
  if (bracketed !== null) {
    return { host: bracketed[1]!, port: bracketed[2] === undefined ? defaultPort : Number(bracketed[2]) };
  }
  const parts = text.split(":");
  if (parts.length === 2 && /^\d+$/.test(parts[1]!)) return { host: parts[0]!, port: Number(parts[1]) };
  return { host: text, port: defaultPort };
}

/** The masters of the option `master`: a list, or text with commas. @throws {ConfigError} if there is none */
export function mastersOf(opts: Pick<MinionOpts, "master" | "master_port">): { host: string; port: number }[] {
  const named = (Array.isArray(opts.master) ? opts.master : String(opts.master).split(","))
    .map((name) => String(name).trim()).filter((name) => name !== "");
  if (named.length === 0) throw new ConfigError("No master is configured: set the option master");
  return named.map((name) => parseMaster(name, opts.master_port));
}

/** What is made once for each master, by its address; and once for what no master has sent. */
function remembered<T>(make: (address?: string) => T): (address?: string) => T {
  const made = new Map<string | undefined, T>();
  return (address) => {
    if (!made.has(address)) made.set(address, make(address));
    return made.get(address)!;
  };
}

/** What returners are given for one job. */
function returnerContext(context: Context, load: Record<string, unknown>): ReturnerContext {
  const { runtime, log, opts } = context;
  const { ret_config, ret_kwargs } = load;
  return {
    runtime,
    log: log.child("returner"),
    opts,
    ...(typeof ret_config === "string" && ret_config !== "" ? { retConfig: ret_config } : {}),
    ...(typeof ret_kwargs === "object" && ret_kwargs !== null
      ? { retKwargs: ret_kwargs as Record<string, unknown> }
      : {}),
  };
}

/** Python's `time.ctime`, which the start event carries. */
function ctime(ms: number): string {
  const [, day, date, month, year, time] = /^(\w+), (\d+) (\w+) (\d+) ([\d:]+)/.exec(new Date(ms).toUTCString())!;
  return `${day} ${month} ${String(Number(date)).padStart(2)} ${time} ${year}`;
}

/**
 * Starts a minion: finds its id and keys, gathers grains, and signs in to its masters. Resolves once that is under way;
 * {@link Minion.ready} tells when it is done, which may take until an operator accepts the key.
 *
 * @throws {ConfigError} and {SystemError} for what an operator must mend first
 */
export async function startMinion(options: MinionOptions): Promise<Minion> {
  const { opts, log } = options;
  const runtime = durableRuntime(options.runtime, opts);
  const { fs, clock, net } = runtime;
  await using stack = new AsyncDisposableStack();

  const id = await minionId(runtime, opts, log);
  opts.id = id;
  fs.mkdir(opts.pki_dir, 0o700);
  fs.mkdir(opts.cachedir, 0o755);
  fs.mkdir(opts.sock_dir, 0o755);
  const pair = await loadPair(runtime, log, { pkiDir: opts.pki_dir, name: "minion", keySize: opts.keysize });
  const identity = { id, ...pair };

  const gather = async (fresh: boolean) => await options.grains({ runtime, log, opts }, { fresh });
  let grains = await gather(false);
  let pillar: Record<string, unknown> = {};
  const runningJobs = new RunningJobs(runtime, log.child("job"), opts.cachedir);
  runningJobs.prepare();

  const bus = new EventBus(
    () => clock.now(),
    (error) => log.error("event listener failed", { error: messageOf(error) }),
  );
  const busHash = ipcHash(runtime.crypto, opts.hash_id || id, opts.hash_type as HashName);
  const socket = (side: "pub" | "pull") => ({
    kind: "unix" as const,
    path: joinPath(opts.sock_dir, `minion_event_${busHash}_${side}.ipc`),
  });
  const busServer = await serveBus(bus, net, { pub: socket("pub"), pull: socket("pull") }, log.child("event"), {
    later: (call) => runtime.later(call),
  });
  stack.defer(() => busServer.close());

  const masters = new Masters();
  const tellMasters = (load: Record<string, unknown>) => masters.tell(load);
  /** What is seen of the minion by the jobs of one master. */
  const contextFor = (address?: string): Context =>
    hostContext(functions, {
      runtime,
      log: log.child("module"),
      opts,
      get grains() {
        return grains;
      },
      get pillar() {
        return pillar;
      },
      jobs: runningJobs,
      master: {
        fireEvent: (tag, data) => tellMasters({ cmd: "_minion_event", tag, data, pretag: null }),
        fireLocal: (tag, data) => bus.fire(tag, data),
        askLocal: (tag, data, answer, timeoutMs) =>
          new Promise((resolve) => {
            const done = (found?: Record<string, unknown>) => {
              off();
              cancel();
              resolve(found);
            };
            const off = bus.on((event) => void (event.tag === answer && done(event.data)));
            const cancel = clock.after(timeoutMs, () => done());
            bus.fire(tag, data);
          }),
        request: masters.requester(address),
      },
      get files() {
        return filesOf(address);
      },
      compilePillar: (call) => compilePillar(call, masters.of(address)),
      hostMaster: options.hostMaster?.(opts),
    });
  const contextOf = remembered(contextFor);
  const filesOf = remembered((address) =>
    openFiles({ runtime, log: log.child("files"), opts, request: masters.requester(address) })
  );
  const functions = hostFunctions(options.modules, opts, () => context);
  const context = contextOf();

  const execution = openExecution({
    runtime,
    log,
    opts,
    functions,
    modules: options.modules,
    context: contextOf,
    formatInfo: options.formatInfo,
    jobCommand: options.jobCommand,
    socket: { kind: "unix", path: joinPath(opts.sock_dir, `minion_jobs_${busHash}.ipc`) },
    session: (stale, master) => masters.of(master).session(stale),
  });
  stack.defer(() => execution.close());

  const jobs = new MinionJobs({
    runtime,
    opts,
    log,
    id,
    runningJobs,
    execution,
    handOn: async (load, ret) => {
      const names = returnerNames(load, opts);
      if (names.length === 0) return;
      const plain = { ...ret, return: unpack(ret.return as Packed, "wire") };
      const returners = withCustomReturners(options.returners ?? {}, context);
      await callReturners(returners, returnerContext(context, load), names, plain);
    },
  });
  jobs.open();
  stack.defer(() => jobs.close());
  const sockets = options.sockets ??
    runtimeSockets(runtime, log);
  if (opts.master_type !== "str") {
    log.warning("master_type is not known here: every master that is named is served at once", {
      master_type: opts.master_type,
    });
  }
  const presents = new Map<MasterConnection, (hurry: boolean) => Promise<void>>();
  for (const [index, master] of mastersOf(opts).entries()) {
    const connection: MasterConnection = new MasterConnection({
      runtime,
      opts,
      log,
      sockets,
      identity,
      master,
      ...(options.given.has("publish_port") && opts.publish_port !== 4506 ? { publishPort: opts.publish_port } : {}),
      ...(opts.autosign_grains.length === 0 ? {} : {
        autosignGrains: Object.fromEntries(
          opts.autosign_grains.map((name) => [String(name), grains[String(name)] ?? null]),
        ),
      }),
      onPublication: (load) => void dispatcher.dispatch(load),
      onState: (up) => {
        masters.mark(connection, up);
        bus.fire(up ? "__master_connected" : "__master_disconnected", { master: master.host });
        if (up && opened.has(connection)) void presents.get(connection)!(true);
      },
      onReturn: () => {
        // Without hurry: it is also made anew after each return that is not answered.
        if (opened.has(connection)) void presents.get(connection)!(false);
      },
    });
    masters.add(connection);
    stack.defer(() => connection.close());
    const dispatcher = new Dispatcher({
      log: log.child("dispatcher"),
      subject: () => ({ id, grains, pillar }),
      remembered: opts.minion_jid_queue_hwm,
      processCountMax: opts.process_count_max,
      taken: (jid) => mine.known(jid),
      again: (jid) => mine.again(jid),
      take: (load) => {
        const run = mine.take(load);
        return () => run().catch((error) => log.error("job failed", { jid: load.jid, error: messageOf(error) }));
      },
    });
    const mine = jobs.attach(
      {
        address: connection.address,
        get isBrine() {
          return connection.isBrine;
        },
        send: (load, how) => connection.requests.send(load, how),
      },
      index === 0,
    );
    presents.set(connection, (hurry) => mine.present((...job) => dispatcher.dispatch(...job), hurry));
  }
  const opened = new Set<MasterConnection>();

  /** A fresh pillar: of the minion's own files, or of a master. */
  const compilePillar = async (call: PillarCall, connection: MasterConnection): Promise<AnyMap> => {
    if (hasOwnPillar(opts)) {
      const { saltenv, pillarenv } = opts;
      const request = { id, grains, saltenv: saltenv as string | null, pillarenv: pillarenv as string | null, ...call };
      return await options.ownPillar?.({ ...request, extraMinionData: extraMinionData(opts) }) ?? {};
    }
    return pillarOf(await connection.requests.sendPrivate(pillarRequest(grains, opts, call)));
  };
  const refreshPillar = async (connection: MasterConnection, call: PillarCall = {}): Promise<void> => {
    try {
      pillar = pillarRecord(await compilePillar(call, connection));
    } catch (error) {
      // What is in use stays so until there is better.
      if (!(error instanceof SaltError) || error.code !== "BAD_PILLAR") throw error;
      log.error(error.message, { master: connection.address });
    }
  };
  let refreshing: Promise<void> = Promise.resolve();
  /** One refresh after the other, so that the last that was asked for is the one that counts. */
  const refreshPillars = (call: PillarCall = {}): Promise<void> => {
    const refresh = async () => {
      for (const connection of masters.all) {
        if (!opened.has(connection)) continue;
        await refreshPillar(connection, call).catch((error) =>
          log.error("Pillar data could not be refreshed. One or more masters may be down!", {
            master: connection.address,
            error: messageOf(error),
          })
        );
      }
    };
    return refreshing = refreshing.then(refresh);
  };
  /** The masters know of grains by the pillar that is asked for; `force`: also if none is different. */
  const refreshGrains = async (force: boolean): Promise<void> => {
    const before = repr(grains);
    grains = await gather(true);
    if (!force && repr(grains) === before) return;
    functions.reload();
    await refreshPillars();
  };
  const mineOptions = { runtime, opts, log: log.child("mine"), execution, pillar: () => pillar };
  const keeping = new AbortController();
  stack.defer(() => keeping.abort());
  const startEvents = async (connection: MasterConnection): Promise<void> => {
    const data = `Minion ${id} started at ${ctime(clock.now())}`;
    const tags = opts.enable_legacy_startup_events ? ["minion_start"] : [];
    for (const tag of [...tags, `salt/minion/${id}/start`]) {
      const load: Record<string, unknown> = { cmd: "_minion_event", pretag: null, data, tag };
      if (opts.start_event_grains.length > 0) {
        load.grains = Object.fromEntries(
          opts.start_event_grains.map((name) => [String(name), grains[String(name)] ?? null]),
        );
      }
      await connection.requests.send(load);
    }
  };
  const open = async (connection: MasterConnection): Promise<void> => {
    await connection.open();
    masters.mark(connection, true);
    await refreshPillar(connection);
    await presents.get(connection)!(true);
    const isFirst = opened.size === 0;
    opened.add(connection);
    // The first one's is sent by who keeps it up to date.
    if (!isFirst) void updateMine(mineOptions, keeping.signal);
    await startEvents(connection);
    log.info("minion is ready", { id, master: connection.address });
  };

  stack.defer(bus.on((event) =>
    void busRequest(event).catch((error) => {
      log.error("local event could not be acted on", { tag: event.tag, error: messageOf(error) });
    })
  ));
  const busRequest = async ({ tag, data }: BusEvent): Promise<void> => {
    if (tag.startsWith("fire_master")) {
      const { tag: name, data: value, events, pretag } = data;
      await tellMasters({
        cmd: "_minion_event",
        pretag: pretag ?? null,
        ...(events ? { events } : { tag: name, data: value }),
      });
    } else if (tag.startsWith("_minion_mine")) {
      await tellMasters(data);
    } else if (tag.startsWith("grains_refresh")) {
      await refreshGrains(data.force_refresh === true);
    } else if (tag.startsWith("module_refresh")) {
      functions.reload();
      grains = await gather(data.force_refresh === true);
      bus.fire("/salt/minion/minion_mod_refresh_complete", { complete: true });
    } else if (tag.startsWith("pillar_refresh")) {
      // Either may decide about the pillar, and what is synced asks for this alone.
      functions.reload();
      grains = await gather(data.force_refresh === true);
      await refreshPillars({ cleanCache: data.clean_cache === true });
      bus.fire("/salt/minion/minion_pillar_refresh_complete", { complete: true });
    } else if (tag.startsWith("environ_setenv")) {
      // The same function, in this process: those of jobs take its environment over.
      const { environ, false_unsets, clear_all } = data;
      const { success, return: why } = await inProcess({ functions, context: () => context }).run({
        load: {
          fun: "environ.setenv",
          arg: [environ, { __kwarg__: true, false_unsets, clear_all }],
          jid: newJid(clock),
        },
        signal: new AbortController().signal,
        ownProcess: () => {},
        output: undefined,
      });
      if (success === false) log.error("the environment could not be changed", { reason: why });
      execution.renew();
    } else if (tag.startsWith("__master_req_channel_payload/")) {
      // A job of real Salt's, or a program beside us, that leaves the talking to the minion.
      const [, uuid, address] = /^__master_req_channel_payload\/([^/]+)\/(.*)$/s.exec(tag) ?? [];
      const connection = masters.all.find((one) => one.address.includes(String(address))) ?? masters.of();
      const ret = await connection.requests.send(data).catch(() => null);
      bus.fire(`__master_req_channel_return/${uuid}`, { ret });
    }
  };

  jobs.resume();
  const opening = masters.all.map(open);
  const ready = Promise.all(opening).then(() => {});
  // A master that is away must not keep the others waiting.
  void Promise.any(opening).then(
    () => {
      void keepMine(mineOptions, keeping.signal);
      const minutes = opts.grains_refresh_every;
      void keepGrains({ clock, log, minutes, refresh: () => refreshGrains(false) }, keeping.signal);
    },
    () => {},
  );
  ready.catch((error) => {
    if (error instanceof RejectedError) {
      log.critical(error.message);
      options.onRejected?.(error);
    } else log.debug("connection given up", { reason: messageOf(error) });
  });

  const owned = stack.move();
  let closing: Promise<void> | undefined;
  const close = () =>
    closing ??= (async () => {
      jobs.stop();
      runningJobs.abortAll(new Error("The minion is stopping"));
      await owned.disposeAsync();
    })();
  const status = () => ({
    id,
    masters: [...masters.all].map((connection) => ({ address: connection.address, in_touch: opened.has(connection) })),
    jobs_running: runningJobs.size,
    returns_unsent: jobs.unsent,
  });
  return { id, ready, context, status, close, [Symbol.asyncDispose]: close };
}
