import type { Clock } from "../../async/clock.ts";
import { joinPath } from "../../config/paths.ts";
import { codeOf, messageOf, SystemError } from "../../errors.ts";
import { isMinionId } from "../../job/minion_id.ts";
import { isPlainJid, jidDirectory, jidToTime, newJid } from "../../job/jid.ts";
import {
  type JobListEntry,
  type JobLoad,
  type JobSearch,
  type LocalJobCache,
  mergeOutcomes,
  type StoredReturn,
  summaryOf,
} from "../../job/job_cache.ts";
import { ENDED, type OutcomeState, type TargetOutcome } from "../../job/outcome.ts";
import { type Logger, silentLogger } from "../../log.ts";
import type { Crypto, HashName } from "../../runtime/crypto.ts";
import type { FileSystem } from "../../runtime/fs.ts";
import { decode, encode, type Packed } from "../../wire/msgpack.ts";
import { pages, summaryFilter } from "./search.ts";

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
  /** Calls back in a later turn of the loop. */
  later(call: () => void): void;
  /** @default silent */
  log?: Logger;
}

/** Salt's own job cache, with what only it has. */
export interface LocalCache extends LocalJobCache {
  /** With `nocache`, returns of the job are not kept. False if the jid is taken. */
  reserve(jid: string, options?: { nocache?: boolean }): boolean;
  /** When the job ended, as Salt shows times; undefined if nobody has noted it. */
  endtime(jid: string): string | undefined;
  updateEndtime(jid: string, time: string): void;
}

/** Returns may hold what only the master's user should see; Salt leaves this to its umask. */
const MODE = 0o600;

/** Names in a job's directory that a minion's own directory cannot have. */
const FILES = /^(?:jid|nocache|endtime|\.load\.p|\.outcomes\.p|\.minions(?:\..*)?\.p)$/s;

/** Jobs that are looked at before others get a turn of the loop. */
const SLICE = 50;

const byMinion = (a: { minion: string }, b: { minion: string }) => a.minion < b.minion ? -1 : 1;

/**
 * Jobs and returns as files in Salt's layout, `<cachedir>/jobs/<hh>/<rest of the hash>/`, for masters whose job cache real
 * Salt must read and go on with. A directory a job and one a return: mind the inodes.
 *
 * What Salt does not know of: outcomes are in `.outcomes.p` of a job's directory, and `<cachedir>/jobs.unsettled` has an
 * empty file for each job that is not settled, since Salt takes everything below `jobs` for its own.
 *
 * @see salt/returners/local_cache.py
 */
export function localCache(options: LocalCacheOptions): LocalCache {
  const { fs, crypto, clock, cacheDir, hashName, storeEndtime = false, later, log = silentLogger } = options;
  const root = joinPath(cacheDir, "jobs");
  const marks = joinPath(cacheDir, "jobs.unsettled");

  const directoryOf = (jid: string) => jidDirectory(crypto, cacheDir, jid, hashName);
  const isFile = (path: string) => fs.stat(path, { follow: false })?.kind === "file";
  const isDirectory = (path: string) => fs.stat(path, { follow: false })?.kind === "directory";

  /** How to take back what was saved since the last flush, in order. */
  let undo: (() => void)[] = [];
  /** Why what was saved since the last flush is lost. */
  let lost: SystemError | undefined;

  /** Does what saves something: if it fails, everything since the last flush is taken back, which the next flush tells. */
  function saving<T>(save: () => T): T {
    if (lost !== undefined) throw lost;
    try {
      return save();
    } catch (error) {
      if (!(error instanceof SystemError)) throw error;
      for (const back of undo.reverse()) {
        try {
          back();
        } catch (left) {
          log.warning("a part of what could not be saved as a whole stays in the job cache", {
            error: messageOf(left),
          });
        }
      }
      undo = [];
      const remedy = error.errno === "ENOSPC" || error.errno === "EDQUOT"
        ? `free space or inodes on its file system, or lower keep_jobs_seconds`
        : "see that the master's user may write there";
      throw lost = new SystemError(error.errno, `Cannot write the job cache "${root}": ${error.message}; ${remedy}`, {
        path: root,
        cause: error,
      });
    }
  }
  function make(directory: string): void {
    let top = directory;
    // Down to what is there, so that no empty directory is left behind.
    while (top.length > root.length && !isDirectory(top.slice(0, top.lastIndexOf("/")))) {
      top = top.slice(0, top.lastIndexOf("/"));
    }
    undo.push(() => fs.remove(top, { recursive: true }));
    fs.mkdir(directory, 0o755);
  }
  function write(directory: string, name: string, data: Uint8Array | string): void {
    const path = joinPath(directory, name);
    const before = isFile(path) ? fs.read(path) : undefined;
    undo.push(() => before === undefined ? fs.remove(path) : fs.write(path, before, { mode: MODE }));
    fs.write(path, data, { mode: MODE });
  }
  function mark(jid: string): void {
    const path = joinPath(marks, jid);
    if (isFile(path)) return;
    fs.mkdir(marks, 0o755);
    undo.push(() => fs.remove(path));
    fs.write(path, "", { mode: MODE });
  }

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
      if (!isDirectory(directory)) make(directory);
      write(directory, "jid", jid);
      const now = clock.now();
      fs.utimes(joinPath(directory, "jid"), now, now);
    }
    return directory;
  }

  interface Found {
    directory: string;
    /** When its jid was written; undefined if it has none. */
    created: number | undefined;
  }
  /** Every directory of a job. */
  function* jobs(): Iterable<Found> {
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
  /** Every job whose jid can be told, oldest first. */
  function known(wanted: (job: Found) => boolean = () => true): { jid: string; directory: string }[] {
    const found: { jid: string; directory: string }[] = [];
    for (const job of jobs()) {
      if (job.created === undefined || !wanted(job)) continue;
      const jid = fs.readText(joinPath(job.directory, "jid"));
      if (isPlainJid(jid)) found.push({ jid, directory: job.directory });
    }
    return found.sort((a, b) => a.jid < b.jid ? -1 : 1);
  }
  const isUnsettled = (jid: string) => isFile(joinPath(marks, jid));
  function unsettled(): string[] {
    const found: string[] = [];
    for (const jid of isDirectory(marks) ? fs.list(marks) : []) {
      if (!isPlainJid(jid)) continue;
      if (isFile(joinPath(directoryOf(jid), ".load.p"))) found.push(jid);
      // Salt has removed the job.
      else if (fs.stat(directoryOf(jid)) === undefined) fs.remove(joinPath(marks, jid));
    }
    return found.sort();
  }
  function outcomes(jid: string): TargetOutcome[] {
    const found = read(joinPath(directoryOf(jid), ".outcomes.p"));
    return Array.isArray(found) ? (found as TargetOutcome[]).sort(byMinion) : [];
  }
  function minions(jid: string): string[] {
    const directory = directoryOf(jid);
    const all = new Set<string>();
    for (const name of isDirectory(directory) ? fs.list(directory) : []) {
      if (!/^\.minions(?:\..*)?\.p$/s.test(name)) continue;
      const ids = read(joinPath(directory, name));
      if (Array.isArray(ids)) { for (const id of ids) all.add(String(id)); }
    }
    return [...all].sort();
  }
  function returns(jid: string): StoredReturn[] {
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
    return found.sort(byMinion);
  }
  function* entries(search: JobSearch): Iterable<JobListEntry> {
    const { limit = Infinity, fromMs = 0, untilMs = Infinity, outcome, oldestFirst = false } = search;
    const fits = summaryFilter(search);
    const found = known(({ created }) => created! >= fromMs && created! <= untilMs);
    let left = limit;
    for (const { jid, directory } of oldestFirst ? found : found.reverse()) {
      if (left <= 0) return;
      const load = read(joinPath(directory, ".load.p"));
      if (load === undefined) continue;
      const summary = summaryOf(load as JobLoad);
      if (!fits(summary)) continue;
      if (
        outcome !== undefined &&
        !mergeOutcomes(minions(jid), outcomes(jid), returns(jid), 0).some(({ state }) => state === outcome)
      ) continue;
      left--;
      yield { jid, summary };
    }
  }
  function remove(directory: string): void {
    fs.remove(directory, { recursive: true });
    const top = directory.slice(0, directory.lastIndexOf("/"));
    if (fs.list(top).length === 0) fs.remove(top);
  }
  function sizeOf(directory: string): number {
    let size = 0;
    for (const name of fs.list(directory)) {
      const path = joinPath(directory, name);
      const stat = fs.stat(path, { follow: false });
      if (stat?.kind === "directory") size += sizeOf(path);
      else size += stat?.size ?? 0;
    }
    return size;
  }
  const turn = () => new Promise<void>(later);

  const cache: LocalCache = {
    place: root,
    reserve(jid, { nocache = false } = {}) {
      if (fs.stat(directoryOf(jid)) !== undefined) return false;
      return saving(() => {
        const directory = prepare(jid);
        if (nocache) write(directory, "nocache", "");
        return true;
      });
    },
    saveLoad(jid, load, minions) {
      saving(() => {
        const directory = prepare(jid);
        write(directory, ".minions.p", encode(minions, "bin"));
        // First: a load without a mark would never be looked after again.
        mark(jid);
        if (!isFile(joinPath(directory, ".load.p"))) write(directory, ".load.p", encode(load, "bin"));
      });
    },
    saveMinions(jid, minions, syndic = "") {
      if (syndic !== "" && !isMinionId(syndic)) throw new RangeError(`Cannot keep minions: "${syndic}" is not an id`);
      saving(() => write(prepare(jid), syndic === "" ? ".minions.p" : `.minions.${syndic}.p`, encode(minions, "bin")));
    },
    saveReturn(jid, { minion, return: value, retcode, success, out }) {
      if (!isMinionId(minion)) throw new RangeError(`Cannot keep a return: "${minion}" is not a minion id`);
      const before = directoryOf(jid);
      if (isFile(joinPath(before, "nocache"))) return true;
      if (FILES.test(minion) || fs.stat(joinPath(before, minion), { follow: false }) !== undefined) return false;
      return saving(() => {
        const own = joinPath(prepare(jid), minion);
        make(own);
        if (out !== undefined) write(own, "out.p", encode(out, "bin"));
        write(own, "return.p", encode({ return: value, retcode, success }, "bin"));
        if (storeEndtime) cache.updateEndtime(jid, jidToTime(newJid(clock)));
        return true;
      });
    },
    saveOutcomes(jid, changed) {
      const all = new Map(outcomes(jid).map((one) => [one.minion, one]));
      for (const one of changed) all.set(one.minion, one);
      saving(() => write(prepare(jid), ".outcomes.p", encode([...all.values()], "bin")));
    },
    settle(jid) {
      const path = joinPath(marks, jid);
      if (!isFile(path)) return;
      saving(() => {
        undo.push(() => fs.write(path, "", { mode: MODE }));
        fs.remove(path);
      });
    },
    load: (jid) => read(joinPath(directoryOf(jid), ".load.p")) as JobLoad | undefined,
    hasLoad: (jid) => isFile(joinPath(directoryOf(jid), ".load.p")),
    hasReturn: (jid, minion) => isMinionId(minion) && isFile(joinPath(directoryOf(jid), minion, "return.p")),
    minions,
    returns,
    outcomes,
    unsettled,
    inState(state: OutcomeState) {
      // Where nothing is expected any more, the job may be settled.
      const jids = ENDED.has(state) ? known().map(({ jid }) => jid) : unsettled();
      return jids.flatMap((jid) =>
        outcomes(jid).filter((outcome) => outcome.state === state).map((outcome) => ({ jid, outcome }))
      );
    },
    list: (search = {}) => pages(entries(search)),
    async expire(beforeMs) {
      let gone = 0;
      let seen = 0;
      for (const { directory, created } of [...jobs()]) {
        if (++seen % SLICE === 0) await turn();
        // Without its jid a directory is the rest of something broken.
        if (created !== undefined && created >= beforeMs) continue;
        if (created !== undefined && isUnsettled(fs.readText(joinPath(directory, "jid")))) continue;
        remove(directory);
        gone++;
      }
      return gone;
    },
    async shrink(bytes) {
      const sizes: { jid: string; directory: string; size: number }[] = [];
      for (const job of known()) {
        sizes.push({ ...job, size: sizeOf(job.directory) });
        if (sizes.length % SLICE === 0) await turn();
      }
      let held = sizes.reduce((sum, { size }) => sum + size, 0);
      let gone = 0;
      for (const { jid, directory, size } of sizes) {
        if (held <= bytes) break;
        if (isUnsettled(jid)) continue;
        remove(directory);
        held -= size;
        if (++gone % SLICE === 0) await turn();
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
    flush() {
      undo = [];
      const failed = lost;
      lost = undefined;
      if (failed !== undefined) throw failed;
    },
    close: () => {},
  };
  return cache;
}
