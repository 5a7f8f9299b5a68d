/** The wiring: which plugins, which job cache, which sockets a daemon or command is put together from. */
import type { MasterOpts } from "../src/config/master_opts.ts";
import type { MinionOpts } from "../src/config/minion_opts.ts";
import { joinPath } from "../src/config/paths.ts";
import { ConfigError, messageOf } from "../src/errors.ts";
import type { JobCache } from "../src/job/job_cache.ts";
import type { Logger } from "../src/log.ts";
import type { ExtJobCache, Master } from "../src/master/mod.ts";
import type { Minion, RejectedError } from "../src/minion/mod.ts";
import type { HashName, Runtime } from "../src/runtime/mod.ts";
import { openHostMaster } from "./host_master.ts";
import { nativeSockets, type SocketFactory } from "../src/zmtp/mod.ts";

/** The job caches by the names that `master_job_cache` may have. */
const JOB_CACHES: Record<string, (runtime: Runtime, opts: MasterOpts) => Promise<JobCache>> = {
  sqlite: async (runtime, opts) => {
    const { sqliteJobCache } = await import("../src/plugins/job_caches/sqlite.ts");
    const { databases, fs, clock, later } = runtime;
    return sqliteJobCache({
      databases,
      fs,
      later,
      path: joinPath(opts.cachedir, "jobs.sqlite"),
      now: () => clock.now(),
    });
  },
  memory: async (runtime) => {
    const { memoryJobCache } = await import("../src/plugins/job_caches/memory.ts");
    return memoryJobCache(() => runtime.clock.now());
  },
  local_cache: async (runtime, opts) => {
    const { localCache } = await import("../src/plugins/job_caches/local_cache.ts");
    const { fs, crypto, clock, later } = runtime;
    return localCache({
      fs,
      crypto,
      clock,
      later,
      cacheDir: opts.cachedir,
      hashName: opts.hash_type as HashName,
      storeEndtime: opts.job_cache_store_endtime,
    });
  },
  postgres: async (runtime, opts) => {
    const { openPostgresJobCache } = await import("../src/plugins/job_caches/postgres.ts");
    const given = (name: string) =>
      returnerOption(opts, ["returner.postgres", "postgres", "master_job_cache.postgres"], name);
    return await openPostgresJobCache({
      host: given("host") ?? "localhost",
      port: Number(given("port") ?? 5432),
      user: given("user") ?? "salt",
      password: given("passwd"),
      database: given("db") ?? "salt",
      now: () => runtime.clock.now(),
    });
  },
  redis: async (runtime, opts) => {
    const [{ openRedisJobCache }, { Buffer }] = await Promise.all([
      import("../src/plugins/job_caches/redis.ts"),
      import("node:buffer"),
    ]);
    const given = (name: string) => returnerOption(opts, ["redis", "returner.redis"], name);
    return await openRedisJobCache({
      host: given("host") ?? "salt",
      port: Number(given("port") ?? 6379),
      unixSocketPath: given("unix_socket_path"),
      user: given("user"),
      password: given("password"),
      database: Number(given("db") ?? 0),
      octets: Buffer,
      now: () => runtime.clock.now(),
    });
  },
};

/** Salt's names of the same things. */
const ALIASES: Record<string, string> = { postgres_local_cache: "postgres", redis_return: "redis" };

/** An option of a returner, which no table lists: `redis.host: db1`, or a map `redis: {host: db1}`; undefined if unset. */
function returnerOption(opts: MasterOpts, prefixes: readonly string[], name: string): string | undefined {
  for (const prefix of prefixes) {
    const map = opts[prefix];
    const nested = typeof map === "object" && map !== null ? (map as Record<string, unknown>)[name] : undefined;
    for (const value of [opts[`${prefix}.${name}`], nested]) {
      if (value !== undefined && value !== null && value !== "") return String(value);
    }
  }
  return undefined;
}

/** Opens the job cache that the configuration names. */
export async function openJobCache(runtime: Runtime, opts: MasterOpts): Promise<JobCache> {
  const { master_job_cache: wanted } = opts;
  const name = Object.hasOwn(ALIASES, wanted) ? ALIASES[wanted]! : wanted;
  if (!Object.hasOwn(JOB_CACHES, name)) {
    throw new ConfigError(`Unknown master_job_cache "${name}": expected one of ${Object.keys(JOB_CACHES).join(", ")}`);
  }
  runtime.fs.mkdir(opts.cachedir);
  const cache = await JOB_CACHES[name]!(runtime, opts);
  // It writes these files itself.
  if (name === "local_cache") return cache;
  const { withLoadFiles } = await import("../src/plugins/job_caches/load_files.ts");
  const { fs, crypto, later } = runtime;
  return withLoadFiles(cache, { fs, crypto, later, cacheDir: opts.cachedir, hashName: opts.hash_type as HashName });
}

/** The sockets that the option `zmq_library` asks for: our own unless it says `native`. */
async function socketsOf(opts: Record<string, unknown>, log: Logger): Promise<SocketFactory | undefined> {
  if (opts.zmq_library === undefined || opts.zmq_library === "brine") return undefined;
  if (opts.zmq_library === "native") return await nativeSockets(log);
  throw new ConfigError(`Unknown zmq_library "${opts.zmq_library}": expected brine or native`);
}

/** How the master tells `ext_job_cache` of its jobs. */
async function extJobCache(runtime: Runtime, opts: MasterOpts, log: Logger): Promise<ExtJobCache | undefined> {
  const name = opts.ext_job_cache;
  if (name === "") return undefined;
  const [{ RETURNERS }, { moduleNamed, withCustomReturners }] = await Promise.all([
    import("../src/plugins/returners/mod.ts"),
    import("../src/loader/custom.ts"),
  ]);
  const returners = withCustomReturners(RETURNERS, { runtime, log, opts });
  const returner = await moduleNamed(returners, "returner", name);
  if (returner?.saveLoad === undefined) {
    const known = Object.keys(returners).join(", ");
    log.error("ext_job_cache cannot keep jobs: returns go there, and what was asked is not told", { name, known });
    return undefined;
  }
  const context = { runtime, log: log.child("returner"), opts };
  return async (jid, load, minions) => {
    try {
      await returner.saveLoad!(context, jid, load, minions);
    } catch (error) {
      log.error("the external job cache could not be told of a job", { name, jid, error: messageOf(error) });
    }
  };
}

/** Starts a master as configured. */
export async function configureMaster(runtime: Runtime, values: Record<string, unknown>, log: Logger): Promise<Master> {
  const opts = values as MasterOpts;
  const { masterId, startMaster } = await import("../src/master/mod.ts");
  opts.id = masterId(opts, runtime.host.hostname());
  const ext = await extJobCache(runtime, opts, log);
  const jobs = await openJobCache(runtime, opts);
  const sockets = await socketsOf(opts, log);
  const [{ openMasterPillar }, { EAUTH }, { WHEELS }, { RunnerProcesses }] = await Promise.all([
    import("./pillar.ts"),
    import("../src/plugins/eauth/mod.ts"),
    import("../src/plugins/wheel/mod.ts"),
    import("./runner_processes.ts"),
  ]);
  return await startMaster({
    runtime,
    opts,
    log,
    eauth: EAUTH,
    wheels: WHEELS,
    runners: new RunnerProcesses(runtime, log.child("runner"), opts),
    compilePillar: openMasterPillar(runtime, opts, log),
    jobs,
    ...(ext === undefined ? {} : { extJobCache: ext }),
    ...(sockets === undefined ? {} : { sockets }),
  });
}

/** Starts a minion as configured. */
export async function configureMinion(
  runtime: Runtime,
  values: Record<string, unknown>,
  given: ReadonlySet<string>,
  log: Logger,
  onRejected: (error: RejectedError) => void,
): Promise<Minion> {
  const opts = values as MinionOpts;
  const [{ startMinion }, { MODULES }, { RETURNERS }, { gatherGrains }, { nested }, { jobCommand }] = await Promise.all(
    [
      import("../src/minion/mod.ts"),
      import("../src/plugins/modules/mod.ts"),
      import("../src/plugins/returners/mod.ts"),
      import("../src/plugins/grains/mod.ts"),
      import("../src/plugins/outputters/nested.ts"),
      import("./job_command.ts"),
    ],
  );
  const sockets = await socketsOf(opts, log);
  const { openOwnPillar } = await import("./pillar.ts");
  return await startMinion({
    runtime,
    opts,
    given,
    log,
    modules: MODULES,
    returners: RETURNERS,
    grains: gatherGrains,
    onRejected,
    formatInfo: (info) => nested(info, {}, {}),
    jobProcess: jobCommand(runtime),
    hostMaster: openHostMaster(runtime, log),
    ownPillar: openOwnPillar(runtime, opts, log),
    ...(sockets === undefined ? {} : { sockets }),
  });
}
