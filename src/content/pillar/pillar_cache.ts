import type { Clock } from "../../base/async/clock.ts";
import { joinPath } from "../../base/paths.ts";
import { ConfigError, messageOf } from "../../base/errors.ts";
import { isMinionId } from "../../base/minion_id.ts";
import type { Logger } from "../../base/log.ts";
import { type AnyMap, isMap, lookup } from "../../language/python/values.ts";
import type { FileSystem } from "../../runtime/fs.ts";
import { decode, encode } from "../../protocol/wire/msgpack.ts";

/** Compiled pillars by minion and environment (`pillar_cache`). */
export interface PillarCache<P = AnyMap> {
  /** The cached pillar; undefined if there is none, or if it is older than `pillar_cache_ttl`. */
  get(id: string, pillarenv: string | null): P | undefined;
  set(id: string, pillarenv: string | null, pillar: P): void;
  /** Forgets all pillars of a minion. */
  clear(id: string): void;
}

interface Kept<P> {
  /**
   * When the oldest of the pillars was cached, in milliseconds since the epoch. Salt's file has one time for all of them, so the
   * oldest decides: no pillar is used for longer than `pillar_cache_ttl`.
   */
  time: number;
  pillars: Map<unknown, P>;
}

interface PillarCacheOptions {
  fs: FileSystem;
  clock: Pick<Clock, "now">;
  log: Logger;
  cacheDir: string;
  ttlMs: number;
}

function cacheOver<P>(
  options: Pick<PillarCacheOptions, "clock" | "ttlMs">,
  store: { read(id: string): Kept<P> | undefined; write(id: string, kept: Kept<P> | undefined): void },
): PillarCache<P> {
  const { clock, ttlMs } = options;
  const fresh = (id: string) => {
    const kept = store.read(id);
    return kept === undefined || clock.now() - kept.time > ttlMs ? undefined : kept;
  };
  return {
    get: (id, pillarenv) => fresh(id)?.pillars.get(pillarenv),
    set(id, pillarenv, pillar) {
      const { time, pillars } = fresh(id) ?? { time: clock.now(), pillars: [] };
      store.write(id, { time, pillars: new Map([...pillars, [pillarenv, pillar]]) });
    },
    clear: (id) => store.write(id, undefined),
  };
}

function memoryCache<P>(options: Pick<PillarCacheOptions, "clock" | "ttlMs">): PillarCache<P> {
  const all = new Map<string, Kept<P>>();
  return cacheOver<P>(options, {
    read: (id) => all.get(id),
    write: (id, kept) => void (kept === undefined ? all.delete(id) : all.set(id, kept)),
  });
}

/** Keeps pillars in one file for each minion, as Salt writes them: `<cachedir>/pillar_cache/<id>`. */
function diskCache(options: PillarCacheOptions): PillarCache {
  const { fs, log, cacheDir } = options;
  const directory = joinPath(cacheDir, "pillar_cache");
  const pathOf = (id: string) => {
    if (!isMinionId(id)) throw new RangeError(`Cannot cache a pillar: "${id}" is not a minion id`);
    return `${directory}/${id}`;
  };
  return cacheOver<AnyMap>(options, {
    read(id) {
      const path = pathOf(id);
      if (fs.stat(path)?.kind !== "file") return undefined;
      try {
        const data = decode(fs.read(path), { mode: "bin" });
        const pillars = isMap(data) ? lookup(data, "CacheDisk_data") : undefined;
        const times = isMap(data) ? lookup(data, "CacheDisk_cachetime") : undefined;
        const own = isMap(pillars) ? lookup(pillars, id) : undefined;
        const time = isMap(times) ? lookup(times, id) : undefined;
        if (!isMap(own) || time === undefined) return undefined;
        const entries = own instanceof Map ? [...own] : Object.entries(own);
        return {
          time: Number(time) * 1000,
          pillars: new Map(entries.filter((entry): entry is [unknown, AnyMap] => isMap(entry[1]))),
        };
      } catch (error) {
        log.warning("cached pillar cannot be read and is ignored", { path, error: messageOf(error) });
        return undefined;
      }
    },
    write(id, kept) {
      const path = pathOf(id);
      if (kept === undefined) return fs.remove(path);
      fs.mkdir(directory, 0o700);
      const file = {
        CacheDisk_data: new Map([[id, kept.pillars]]),
        CacheDisk_cachetime: new Map([[id, kept.time / 1000]]),
      };
      // Only the owner may read the file, because pillar holds secrets.
      fs.write(path, encode(file, "bin"), { mode: 0o600 });
    },
  });
}

/** Values of `pillar_cache_backend` → the function that opens the cache. */
const BACKENDS: Record<string, (options: PillarCacheOptions) => PillarCache> = { disk: diskCache, memory: memoryCache };

/**
 * The cache that the options of a master ask for; undefined without `pillar_cache`.
 *
 * @throws {ConfigError} for an unknown backend
 */
export function openPillarCache(
  opts: Record<string, unknown>,
  host: Pick<PillarCacheOptions, "fs" | "clock" | "log">,
): PillarCache | undefined {
  if (opts.pillar_cache !== true) return undefined;
  const backend = String(opts.pillar_cache_backend ?? "disk");
  if (!Object.hasOwn(BACKENDS, backend)) {
    throw new ConfigError(
      `Unknown pillar_cache_backend "${backend}": expected one of ${Object.keys(BACKENDS).join(", ")}`,
    );
  }
  const ttlMs = Number(opts.pillar_cache_ttl ?? 3600) * 1000;
  return BACKENDS[backend]!({ ...host, cacheDir: String(opts.cachedir), ttlMs });
}

/** The cache for pillars that workers have packed; undefined unless `pillar_cache` is on with the backend `memory`. */
export function openPackedCache<P>(
  opts: Record<string, unknown>,
  { clock }: Pick<PillarCacheOptions, "clock">,
): PillarCache<P> | undefined {
  if (opts.pillar_cache !== true || opts.pillar_cache_backend !== "memory") return undefined;
  return memoryCache<P>({ clock, ttlMs: Number(opts.pillar_cache_ttl ?? 3600) * 1000 });
}

/** Answers a request from the cache, or else compiles the pillar and caches it. */
export async function throughCache<
  R extends { id: string; pillarenv?: unknown; override?: AnyMap; ext?: unknown },
  P = AnyMap,
>(
  cache: PillarCache<P> | undefined,
  request: R & { cleanCache?: boolean },
  compile: (request: R) => Promise<P>,
): Promise<P> {
  if (cache === undefined) return await compile(request);
  const { id, pillarenv, override = {}, ext, cleanCache = false } = request;
  if (cleanCache) cache.clear(id);
  // A pillar with the values of one call, or with a requested external pillar, is not cached.
  const own = (override instanceof Map ? override.size : Object.keys(override).length) > 0 ||
    (ext !== undefined && ext !== null);
  if (own) return await compile(request);
  const key = pillarenv === undefined || pillarenv === null ? null : String(pillarenv);
  const known = cache.get(id, key);
  if (known !== undefined) return known;
  const compiled = await compile(request);
  cache.set(id, key, compiled);
  return compiled;
}
