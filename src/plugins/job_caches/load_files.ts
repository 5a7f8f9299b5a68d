import { joinPath } from "../../base/paths.ts";
import type { JobCache } from "../../model/job/job_cache.ts";
import { isPlainJid, jidDirectory } from "../../model/job/jid.ts";
import type { Crypto, HashName } from "../../runtime/crypto.ts";
import type { FileSystem } from "../../runtime/fs.ts";
import { encode } from "../../protocol/wire/msgpack.ts";

interface LoadFilesOptions {
  fs: FileSystem;
  crypto: Crypto;
  /** The master's `cachedir`. */
  cacheDir: string;
  /** Salt's `hash_type`. */
  hashName: HashName;
  /** Calls back in a later turn of the loop. */
  later(call: () => void): void;
}

/** What a job has on the disk: its id, its load, and the minions that were found for it. */
const FILES: readonly string[] = ["jid", ".load.p", ".minions.p"];

/**
 * Beside any job cache, the three small files of a job that Salt's own command line insists on: before it waits for
 * returns it looks on the disk whether the jid exists (`jid`, `.load.p`, `.minions.p`). Returns are never written as files, and
 * jobs of our own programs have none: the three would cost more than all the rest of a job.
 *
 * @see salt/client/__init__.py get_iter_returns
 */
export function withLoadFiles(cache: JobCache, options: LoadFilesOptions): JobCache {
  const { fs, crypto, cacheDir, hashName, later } = options;
  const directoryOf = (jid: string) => jidDirectory(crypto, cacheDir, jid, hashName);
  const root = joinPath(cacheDir, "jobs");
  const isDirectory = (path: string) => fs.stat(path, { follow: false })?.kind === "directory";

  /**
   * Removes the files of jobs that the cache no longer has; a part of the tree each turn of the loop.
   *
   * @param spared whether a directory with such files stays
   */
  async function sweep(beforeMs: number, spared: (names: readonly string[]) => boolean = () => false): Promise<void> {
    for (const first of isDirectory(root) ? fs.list(root) : []) {
      const top = joinPath(root, first);
      if (!isDirectory(top)) continue;
      for (const rest of fs.list(top)) {
        const directory = joinPath(top, rest);
        const file = joinPath(directory, "jid");
        const stat = fs.stat(file, { follow: false });
        if ((stat?.ctimeMs ?? 0) >= beforeMs) continue;
        const jid = stat?.kind === "file" ? fs.readText(file) : "";
        if (isPlainJid(jid) && await cache.hasLoad(jid)) continue;
        if (isDirectory(directory) && spared(fs.list(directory))) continue;
        fs.remove(directory, { recursive: true });
      }
      await new Promise<void>(later);
    }
  }

  return {
    ...cache,
    saveLoad(jid, load, minions, how) {
      if (how?.files === false) return cache.saveLoad(jid, load, minions, how);
      // First: if the disk is full, the cache must not have a job that the publisher was refused.
      const directory = directoryOf(jid);
      fs.mkdir(directory, 0o755);
      for (const [at, content] of [jid, encode(load, "bin"), encode(minions, "bin")].entries()) {
        fs.write(joinPath(directory, FILES[at]!), content, { mode: 0o600 });
      }
      return cache.saveLoad(jid, load, minions, how);
    },
    async expire(beforeMs) {
      const gone = await cache.expire(beforeMs);
      await sweep(beforeMs);
      return gone;
    },
    async shrink(bytes) {
      const gone = await cache.shrink(bytes);
      // Jobs that a Salt master has stored have returns beside these files. They count for no size, and go by age alone.
      if (gone > 0) await sweep(Infinity, (names) => names.some((name) => !FILES.includes(name)));
      return gone;
    },
  };
}
