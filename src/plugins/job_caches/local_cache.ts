import type { Clock } from "../../async/clock.ts";
import { joinPath } from "../../config/paths.ts";
import { codeOf, messageOf } from "../../errors.ts";
import { isMinionId } from "../../job/minion_id.ts";
import { isPlainJid, jidDirectory, jidToTime, newJid } from "../../job/jid.ts";
import type { JobCache, JobListEntry, JobLoad, JobSearch, StoredReturn } from "../../job/job_cache.ts";
import { type Logger, silentLogger } from "../../log.ts";
import type { Crypto, HashName } from "../../runtime/crypto.ts";
import type { FileSystem } from "../../runtime/fs.ts";
import { decode, encode, type Packed } from "../../wire/msgpack.ts";

export interface LocalCacheOptions {
  fs: FileSystem;
  crypto: Crypto;
  clock: Clock;
  /** The master's `cachedir`; jobs are below its `jobs`. */
  cacheDir: string;
  /** Salt's `hash_type`, which must stay the same for the life of the cache. */
  hashName: HashName;
  /** Notes when the last return came. Salt's `job_cache_store_endtime`. @default false */
  storeEndtime?: boolean;
  /** @default silent */
  log?: Logger;
}

/** Salt's own job cache, with what only it has. */
export interface LocalCache extends JobCache {
  /** With `nocache`, returns of the job are not kept. False if the jid is taken. */
  reserve(jid: string, options?: { nocache?: boolean }): boolean;
  /** When the job ended, as Salt shows times; undefined if nobody has noted it. */
  endtime(jid: string): string | undefined;
  updateEndtime(jid: string, time: string): void;
}

/** Returns may hold what only the master's user should see; Salt leaves this to its umask. */
const MODE = 0o600;

/** Names in a job's directory that a minion's own directory cannot have. */
const FILES = /^(?:jid|nocache|endtime|\.load\.p|\.minions(?:\..*)?\.p)$/s;

/**
 * Jobs and returns as files in Salt's layout, `<cachedir>/jobs/<hh>/<rest of the hash>/`, for masters whose job cache real
 * Salt must read and go on with. A directory a job and one a return: mind the inodes.
 *
 * @see salt/returners/local_cache.py
 */
export function localCache(options: LocalCacheOptions): LocalCache {
  const { fs, crypto, clock, cacheDir, hashName, storeEndtime = false, log = silentLogger } = options;
  const root = joinPath(cacheDir, "jobs");

  const directoryOf = (jid: string) => jidDirectory(crypto, cacheDir, jid, hashName);
  const isFile = (path: string) => fs.stat(path, { follow: false })?.kind === "file";
  const isDirectory = (path: string) => fs.stat(path, { follow: false })?.kind === "directory";
  const write = (directory: string, name: string, data: Uint8Array | string) =>
    fs.write(joinPath(directory, name), data, { mode: MODE });

  /** Undefined if there is no such file or it cannot be read: one bad job must not hide the others. */
  const read = (path: string, keep?: readonly string[]): unknown => {
    // Never a pipe or a device, on which a read would hang.
    if (!isFile(path)) return undefined;
    try {
      return decode(fs.read(path), { mode: "bin", keep });
    } catch (error) {
      log.warning("a file of the job cache cannot be read and is ignored", { path, error: messageOf(error) });
      return undefined;
    }
  };

  function prepare(jid: string): string {
    const directory = directoryOf(jid);
    if (!isFile(joinPath(directory, "jid"))) {
      fs.mkdir(directory, 0o755);
      write(directory, "jid", jid);
      const now = clock.now();
      fs.utimes(joinPath(directory, "jid"), now, now);
    }
    return directory;
  }

  /** Every directory of a job, with the time that its jid was written at. */
  function* jobs(): Iterable<{ directory: string; created: number | undefined }> {
    if (!isDirectory(root)) return;
    for (const first of fs.list(root)) {
      const top = joinPath(root, first);
      if (!isDirectory(top)) continue;
      for (const rest of fs.list(top)) {
        const directory = joinPath(top, rest);
        if (isDirectory(directory)) yield { directory, created: fs.stat(joinPath(directory, "jid"))?.mtimeMs };
      }
    }
  }

  const cache: LocalCache = {
    reserve(jid, { nocache = false } = {}) {
      if (fs.stat(directoryOf(jid)) !== undefined) return false;
      const directory = prepare(jid);
      if (nocache) write(directory, "nocache", "");
      return true;
    },
    saveLoad(jid, load, minions) {
      const directory = prepare(jid);
      write(directory, ".minions.p", encode(minions, "bin"));
      write(directory, ".load.p", encode(load, "bin"));
    },
    saveMinions(jid, minions, syndic = "") {
      if (syndic !== "" && !isMinionId(syndic)) throw new RangeError(`Cannot keep minions: "${syndic}" is not an id`);
      write(prepare(jid), syndic === "" ? ".minions.p" : `.minions.${syndic}.p`, encode(minions, "bin"));
    },
    saveReturn(jid, { minion, return: value, retcode, success, out }) {
      if (!isMinionId(minion)) throw new RangeError(`Cannot keep a return: "${minion}" is not a minion id`);
      const directory = prepare(jid);
      if (isFile(joinPath(directory, "nocache"))) return true;
      const own = joinPath(directory, minion);
      if (FILES.test(minion) || fs.stat(own, { follow: false }) !== undefined) return false;
      fs.mkdir(own, 0o755);
      if (out !== undefined) write(own, "out.p", encode(out, "bin"));
      write(own, "return.p", encode({ return: value, retcode, success }, "bin"));
      if (storeEndtime) cache.updateEndtime(jid, jidToTime(newJid(clock)));
      return true;
    },
    load: (jid) => read(joinPath(directoryOf(jid), ".load.p")) as JobLoad | undefined,
    hasLoad: (jid) => isFile(joinPath(directoryOf(jid), ".load.p")),
    minions(jid) {
      const directory = directoryOf(jid);
      const all = new Set<string>();
      for (const name of isDirectory(directory) ? fs.list(directory) : []) {
        if (!/^\.minions(?:\..*)?\.p$/s.test(name)) continue;
        const ids = read(joinPath(directory, name));
        if (Array.isArray(ids)) { for (const id of ids) all.add(String(id)); }
      }
      return [...all].sort();
    },
    returns(jid) {
      const directory = directoryOf(jid);
      const found: StoredReturn[] = [];
      for (const minion of isDirectory(directory) ? fs.list(directory) : []) {
        const path = joinPath(directory, minion, "return.p");
        if (!isDirectory(joinPath(directory, minion))) continue;
        const fields = read(path, ["return"]) as { return: Packed; retcode?: unknown; success?: unknown } | undefined;
        if (fields?.return === undefined) continue;
        const out = read(joinPath(directory, minion, "out.p"));
        found.push({
          minion,
          return: fields.return,
          retcode: fields.retcode,
          success: fields.success,
          ...(typeof out === "string" ? { out } : {}),
          storedMs: fs.stat(path)?.mtimeMs ?? 0,
        });
      }
      return found;
    },
    *list({ limit = Infinity, fromMs = 0, untilMs = Infinity }: JobSearch = {}): Iterable<JobListEntry> {
      const known: { jid: string; directory: string }[] = [];
      for (const { directory, created } of jobs()) {
        if (created === undefined || created < fromMs || created > untilMs) continue;
        const jid = fs.readText(joinPath(directory, "jid"));
        if (isPlainJid(jid)) known.push({ jid, directory });
      }
      known.sort((a, b) => a.jid < b.jid ? 1 : -1);
      let left = limit;
      for (const { jid, directory } of known) {
        if (left <= 0) return;
        const load = read(joinPath(directory, ".load.p"));
        if (load === undefined) continue;
        left--;
        yield { jid, load: load as JobLoad };
      }
    },
    expire(beforeMs) {
      let gone = 0;
      for (const { directory, created } of [...jobs()]) {
        // Without its jid a directory is the rest of something broken.
        if (created !== undefined && created >= beforeMs) continue;
        fs.remove(directory, { recursive: true });
        gone++;
        const top = directory.slice(0, directory.lastIndexOf("/"));
        if (fs.list(top).length === 0) fs.remove(top);
      }
      return gone;
    },
    endtime(jid) {
      const path = joinPath(directoryOf(jid), "endtime");
      return isFile(path) ? fs.readText(path) : undefined;
    },
    updateEndtime(jid, time) {
      try {
        write(directoryOf(jid), "endtime", time);
      } catch (error) {
        // The job may have been removed in between.
        if (codeOf(error) !== "ENOENT") throw error;
      }
    },
    flush: () => {},
    close: () => {},
  };
  return cache;
}
