import { executionFunction, type JobContext } from "../../../model/loader/family.ts";
import { joinPath } from "../../../base/paths.ts";
import { isPlainJid } from "../../../model/job/jid.ts";
import { isMap, repr, truthy } from "../../../language/python/values.ts";
import { decode } from "../../../protocol/wire/msgpack.ts";

/** The directory of the caches; undefined without one of its own: its folders would be those of the system. */
function ownCache({ opts: { cachedir } }: JobContext): string | undefined {
  return typeof cachedir === "string" && cachedir.replace(/\/+$/, "") !== "" ? cachedir : undefined;
}

/** Empties a folder of the cache; true if it existed. */
function empty(context: JobContext, folder: string): boolean {
  const { fs } = context.runtime;
  const cache = ownCache(context);
  if (cache === undefined) return false;
  const path = joinPath(cache, folder);
  if (fs.stat(path, { follow: false })?.kind !== "directory") return false;
  for (const name of fs.list(path)) fs.remove(joinPath(path, name), { recursive: true });
  return true;
}

/** What the minion keeps of the file server, archives, the job cache and custom modules. */
const CACHES = ["files", "localfiles", "extrn_files", "roots", "hash", "archive_hash", "minion_jobs", "extmods"];

/** Compiled states, grains, and what is known of the host's Python. */
const CACHE_FILES = /\.cache\.p$|^python\.json$/;

/** Empties all caches of the minion; its keys, running jobs and returns that wait stay. */
export const clearCaches = executionFunction({
  signature: "",
  doc: "Empties the caches of the minion; keys and running jobs stay.\n\n    salt '*' saltutil.clear_cache",
  run(context): true {
    for (const folder of CACHES) empty(context, folder);
    const { fs } = context.runtime;
    const cache = ownCache(context);
    if (cache === undefined || fs.stat(cache)?.kind !== "directory") return true;
    for (const name of fs.list(cache)) if (CACHE_FILES.test(name)) fs.remove(joinPath(cache, name));
    return true;
  },
});

/** The stored return of a job, or a text that says why there is none. */
export function cachedJob(context: JobContext, jid: string): unknown {
  const { cachedir, cache_jobs: kept } = context.opts;
  const { fs } = context.runtime;
  // The caller chooses the folder: it must be one below, and no other.
  const path = typeof cachedir === "string" && isPlainJid(jid) ? joinPath(cachedir, "minion_jobs", jid) : undefined;
  if (path === undefined || fs.stat(path)?.kind !== "directory") {
    return truthy(kept)
      ? `Local jobs cache directory ${path ?? repr(jid)} not found`
      : "Local jobs cache directory not found; you may need to enable cache_jobs on this minion";
  }
  const data = fs.read(joinPath(path, "return.p"));
  const ret = data.length === 0 ? null : decode(data, { mode: "wire" });
  return isMap(ret) ? ret : null;
}

/** Removes the jobs of the cache that are older. */
export function clearJobs(context: JobContext, hours: number): true {
  const { cachedir } = context.opts;
  const { fs, clock } = context.runtime;
  if (typeof cachedir !== "string" || cachedir === "") return true;
  const path = joinPath(cachedir, "minion_jobs");
  if (fs.stat(path)?.kind !== "directory") return true;
  for (const name of fs.list(path)) {
    const stat = fs.stat(joinPath(path, name), { follow: false });
    if (stat !== undefined && clock.now() - stat.mtimeMs > hours * 3_600_000) {
      fs.remove(joinPath(path, name), { recursive: true });
    }
  }
  return true;
}

/** Removes this minion's keys and the pinned key of the master. */
export const forgetKeys = executionFunction({
  signature: "",
  doc: "Removes the keys of this minion and the one of its master: it makes new ones when it starts again, and the\n" +
    "master has to accept those.\n\n    salt '*' saltutil.regen_keys",
  run(context): null {
    const { pki_dir: directory } = context.opts;
    const { fs } = context.runtime;
    if (typeof directory !== "string" || directory === "" || fs.stat(directory)?.kind !== "directory") return null;
    for (const name of fs.list(directory)) {
      const path = joinPath(directory, name);
      if (fs.stat(path, { follow: false })?.kind !== "directory") fs.remove(path);
    }
    return null;
  },
});
