import { dirName } from "../../base/paths.ts";
import type { JobCache } from "../../model/job/job_cache.ts";
import type { LocalCache } from "./local_cache.ts";
import type { FileSystem } from "../../runtime/fs.ts";

/** Directories above one that was made that may be new with it. */
const NEW_ABOVE = 3;

/** A file system that notes changed files, so that they can be synced together. */
interface NotedFiles {
  fs: FileSystem;
  /** Notes a file and its name that an earlier process may have left unsynced. */
  note(path: string): void;
  /** Resolves once all that was changed up to now outlives a loss of power. What could not be synced is tried again. */
  sync(): Promise<void>;
}

export function notedFiles(fs: FileSystem): NotedFiles {
  let noted = new Set<string>();
  const named = (path: string) => void noted.add(dirName(path));
  return {
    fs: {
      ...fs,
      write(path, data, options) {
        fs.write(path, data, options);
        noted.add(path);
        named(path);
      },
      append(path, data, mode) {
        fs.append(path, data, mode);
        noted.add(path);
        named(path);
      },
      truncate(path, length) {
        fs.truncate(path, length);
        noted.add(path);
      },
      mkdir(path, mode) {
        fs.mkdir(path, mode);
        for (let above = path, level = 0; level < NEW_ABOVE; level++) noted.add(above = dirName(above));
      },
      remove(path, options) {
        fs.remove(path, options);
        noted.delete(path);
        named(path);
      },
    },
    note(path) {
      noted.add(path);
      named(path);
    },
    async sync() {
      const paths = noted;
      noted = new Set();
      try {
        await Promise.all([...paths].map((path) => fs.sync(path)));
      } catch (error) {
        for (const path of paths) noted.add(path);
        throw error;
      }
    },
  };
}

/** A job cache in noted files whose flush syncs them. */
export function syncedJobCache(cache: LocalCache, files: NotedFiles): JobCache {
  return { ...cache, flush: () => cache.flushWith(() => files.sync()) };
}
