/** Opens job caches: which exist, and how the configuration names them. */
import { clusterSettings } from "../src/model/config/cluster.ts";
import { durabilityOf } from "../src/model/config/durability.ts";
import type { MasterOpts } from "../src/model/config/master_opts.ts";
import { joinPath } from "../src/base/paths.ts";
import { ConfigError } from "../src/base/errors.ts";
import type { JobCache } from "../src/model/job/job_cache.ts";
import type { HashName } from "../src/runtime/crypto.ts";
import type { Runtime } from "../src/runtime/runtime.ts";

/** Job caches by name, as in `master_job_cache`. */
const JOB_CACHES: Record<string, (runtime: Runtime, opts: MasterOpts) => Promise<JobCache>> = {
  sqlite: async (runtime, opts) => {
    const { sqliteJobCache } = await import("../src/plugins/job_caches/sqlite.ts");
    const { databases, fs, clock, later } = runtime;
    return sqliteJobCache({
      databases,
      fs,
      later,
      path: joinPath(opts.cachedir, "jobs.sqlite"),
      durability: durabilityOf(opts),
      now: () => clock.now(),
    });
  },
  memory: async (runtime) => {
    const { memoryJobCache } = await import("../src/plugins/job_caches/memory.ts");
    return memoryJobCache(() => runtime.clock.now());
  },
  local_cache: async (runtime, opts) => {
    const { localCache } = await import("../src/plugins/job_caches/local_cache.ts");
    const { notedFiles, syncedJobCache } = await import("../src/plugins/job_caches/noted_files.ts");
    const { crypto, clock, later } = runtime;
    const files = notedFiles(runtime.fs);
    const cache = localCache({
      fs: files.fs,
      note: files.note,
      crypto,
      clock,
      later,
      cacheDir: opts.cachedir,
      hashName: opts.hash_type as HashName,
      storeEndtime: opts.job_cache_store_endtime,
    });
    return durabilityOf(opts) === "power" ? syncedJobCache(cache, files) : cache;
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
      bytes: Buffer,
      now: () => runtime.clock.now(),
    });
  },
};

/** Salt's names of the job caches → Brine's names. */
const ALIASES: Record<string, string> = { postgres_local_cache: "postgres", redis_return: "redis" };

/**
 * The value of a returner's option, which is in no option table: `redis.host: db1`, or a map `redis: {host: db1}`; undefined if
 * unset.
 */
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

/** The name of the job cache in `master_job_cache`. @throws {ConfigError} listing the known job caches */
export function jobCacheName({ master_job_cache: wanted }: Pick<MasterOpts, "master_job_cache">): string {
  const name = Object.hasOwn(ALIASES, wanted) ? ALIASES[wanted]! : wanted;
  if (Object.hasOwn(JOB_CACHES, name)) return name;
  throw new ConfigError(`Unknown master_job_cache "${name}": expected one of ${Object.keys(JOB_CACHES).join(", ")}`);
}

/** The job cache of a cluster of masters, for programs on a master's host. */
async function clusterJobCache(runtime: Runtime, postgres: string): Promise<JobCache> {
  const { openPostgresJobCache } = await import("../src/plugins/job_caches/postgres.ts");
  const { hostname, port, username, password, pathname } = new URL(postgres);
  return await openPostgresJobCache({
    host: hostname,
    port: Number(port || 5432),
    user: decodeURIComponent(username),
    password: decodeURIComponent(password),
    database: decodeURIComponent(pathname.slice(1)),
    now: () => runtime.clock.now(),
  });
}

export async function openJobCache(runtime: Runtime, opts: MasterOpts): Promise<JobCache> {
  const cluster = clusterSettings(opts);
  if (cluster !== undefined) return await clusterJobCache(runtime, cluster.postgres);
  const name = jobCacheName(opts);
  runtime.fs.mkdir(opts.cachedir);
  const cache = await JOB_CACHES[name]!(runtime, opts);
  // `local_cache` writes the files of Salt's job cache itself: nothing has to be added.
  if (name === "local_cache") return cache;
  const { withLoadFiles } = await import("../src/plugins/job_caches/load_files.ts");
  const { fs, crypto, later } = runtime;
  return withLoadFiles(cache, { fs, crypto, later, cacheDir: opts.cachedir, hashName: opts.hash_type as HashName });
}
