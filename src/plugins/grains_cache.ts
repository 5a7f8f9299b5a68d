import { joinPath } from "../base/paths.ts";
import { messageOf } from "../base/errors.ts";
import type { Context } from "../model/loader/family.ts";
import { isMap } from "../language/python/values.ts";
import { decode, encode } from "../protocol/wire/msgpack.ts";

type Reader = Pick<Context, "runtime" | "log" | "opts">;

/** Where the grains are kept, if this host keeps them (`grains_cache`): a map in msgpack, as Salt's own tools read it. */
function cachePath({ opts }: Pick<Context, "opts">): string | undefined {
  const { grains_cache: kept, cachedir } = opts;
  return kept === true && typeof cachedir === "string" && cachedir !== ""
    ? joinPath(cachedir, "grains.cache.p")
    : undefined;
}

/** The grains as they were when they were kept, unless that is longer ago than `grains_cache_expiration` seconds. */
export function readGrainsCache(context: Reader): Record<string, unknown> | undefined {
  const path = cachePath(context);
  const { fs, clock } = context.runtime;
  const stat = path === undefined ? undefined : fs.stat(path);
  if (path === undefined || stat?.kind !== "file") return undefined;
  const seconds = Number(context.opts.grains_cache_expiration ?? 300);
  if (clock.now() - stat.mtimeMs > seconds * 1000) return undefined;
  try {
    const grains = decode(fs.read(path), { mode: "bin" });
    if (isMap(grains) && !(grains instanceof Map)) return grains;
  } catch (error) {
    context.log.warning("cached grains cannot be read: gathering them again", { path, error: messageOf(error) });
  }
  return undefined;
}

export function writeGrainsCache(context: Reader, grains: Record<string, unknown>): void {
  const path = cachePath(context);
  if (path === undefined) return;
  try {
    context.runtime.fs.mkdir(String(context.opts.cachedir), 0o755);
    context.runtime.fs.write(path, encode(grains, "bin"), { mode: 0o600 });
  } catch (error) {
    context.log.error("grains could not be kept", { path, error: messageOf(error) });
  }
}

/** Makes the next read gather them again. */
export function clearGrainsCache(context: Pick<Context, "runtime" | "opts">): void {
  const path = cachePath(context);
  if (path !== undefined && context.runtime.fs.stat(path)?.kind === "file") context.runtime.fs.remove(path);
}
