import { joinPath } from "../../config/paths.ts";
import type { JobCache } from "../../job/job_cache.ts";
import { jidDirectory } from "../../job/jid.ts";
import type { Crypto, HashName } from "../../runtime/crypto.ts";
import type { FileSystem } from "../../runtime/fs.ts";
import { encode } from "../../wire/msgpack.ts";

/**
 * Beside any job cache, the three small files of a job that Salt's own command line insists on: before it waits for
 * returns it looks on the disk whether the jid exists (`jid`, `.load.p`, `.minions.p`). Returns are never written as files.
 *
 * @see salt/client/__init__.py get_iter_returns
 */
export function withLoadFiles(
  cache: JobCache,
  fs: FileSystem,
  crypto: Crypto,
  cacheDir: string,
  hashName: HashName,
): JobCache {
  const directoryOf = (jid: string) => jidDirectory(crypto, cacheDir, jid, hashName);
  return {
    ...cache,
    saveLoad(jid, load, minions) {
      cache.saveLoad(jid, load, minions);
      const directory = directoryOf(jid);
      fs.mkdir(directory, 0o755);
      fs.write(joinPath(directory, "jid"), jid, { mode: 0o600 });
      fs.write(joinPath(directory, ".load.p"), encode(load, "bin"), { mode: 0o600 });
      fs.write(joinPath(directory, ".minions.p"), encode(minions, "bin"), { mode: 0o600 });
    },
    expire(beforeMs) {
      const root = joinPath(cacheDir, "jobs");
      if (fs.stat(root)?.kind === "directory") {
        for (const first of fs.list(root)) {
          for (const rest of fs.list(joinPath(root, first))) {
            const directory = joinPath(root, first, rest);
            if ((fs.stat(joinPath(directory, "jid"))?.ctimeMs ?? 0) < beforeMs) {
              fs.remove(directory, { recursive: true });
            }
          }
        }
      }
      return cache.expire(beforeMs);
    },
  };
}
