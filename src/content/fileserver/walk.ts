import { isWithin, joinPath, normalizePath } from "../../base/paths.ts";
import type { FileStat, FileSystem } from "../../runtime/fs.ts";
import type { Listing } from "./backend.ts";
import { ConfigError, messageOf } from "../../base/errors.ts";
import { compileFinder } from "../../language/python/regexp.ts";
import { compileGlob } from "../../language/python/glob.ts";

/** The stat of a path; undefined also for names that are too long and for circular links. */
export function statOf(fs: FileSystem, path: string): FileStat | undefined {
  try {
    return fs.stat(path);
  } catch {
    return undefined;
  }
}

interface WalkOptions {
  fs: FileSystem;
  /** Waits for a turn of the event loop, so that other work can run. */
  turn(): Promise<void>;
  /** True for a path that is neither listed nor served. */
  ignored(path: string): boolean;
  /** Enter directories through links. */
  followLinks: boolean;
  /** Whether a link that leads out of its root is followed. */
  leaves(path: string): boolean;
  /** Leave links out of the listing. */
  ignoreLinks: boolean;
  /** Enter only directories that hold SLS files, and Salt's own directories such as `_modules`. */
  limited: boolean;
}

/** Entries that are looked at in one turn of the event loop. */
const SLICE = 500;

/** The names in a directory; none if it cannot be read, so that one directory does not stop a listing. */
function namesIn(fs: FileSystem, directory: string): string[] {
  try {
    return fs.list(directory);
  } catch {
    return [];
  }
}

interface Entry {
  /** Stat of the entry, or of the target of a link; undefined for a broken link. */
  stat: FileStat | undefined;
  /** False for a link that leads out of the root. */
  inside: boolean;
  /** True if the entry, or the target of the link, is served. */
  served: boolean;
  /** The target of a link as the link states it. */
  says?: string;
}

/** One name of a directory; undefined if it was removed since the directory was read. */
function entryAt({ fs, leaves }: WalkOptions, root: string, full: string): Entry | undefined {
  try {
    const own = fs.stat(full, { follow: false });
    if (own?.kind !== "symlink") return own && { stat: own, inside: true, served: true };
    const stat = statOf(fs, full);
    const inside = stat !== undefined && isWithin(root, fs.realpath(full));
    return { stat, inside, served: inside || (stat !== undefined && leaves(full)), says: fs.readlink(full) };
  } catch {
    return undefined;
  }
}

/** Lists everything below some roots; of two files with the same path, the one in the first root counts. */
export async function walk(roots: readonly string[], options: WalkOptions): Promise<Listing> {
  const { fs, turn, ignored, followLinks, ignoreLinks, limited } = options;
  const files = new Set<string>();
  const dirs = new Set<string>();
  const empty = new Set<string>();
  const links: Record<string, string> = {};
  let looked = 0;

  const enter = async (root: string, directory: string, rel: string, names: string[], trail: ReadonlySet<string>) => {
    const real = fs.realpath(directory);
    // A link to a parent directory would recurse forever.
    if (trail.has(real)) return;
    const below = new Set([...trail, real]);
    for (const name of names) {
      if (++looked % SLICE === 0) await turn();
      const path = rel === "" ? name : `${rel}/${name}`;
      const full = joinPath(directory, name);
      if (ignored(path) || ignored(full)) continue;
      const seen = entryAt(options, root, full);
      if (seen === undefined || (seen.says !== undefined && ignoreLinks)) continue;
      const { stat, inside, served, says } = seen;
      if (says !== undefined && (inside || !followLinks)) {
        Object.defineProperty(links, path, { value: says, enumerable: true, writable: true, configurable: true });
      }
      // Entries that are not served are not listed either.
      if (stat === undefined || !served) continue;
      if (stat.kind === "file") files.add(path);
      if (stat.kind !== "directory") continue;
      dirs.add(path);
      const within = namesIn(fs, full);
      if (within.length === 0) empty.add(path);
      if (says !== undefined && !followLinks) continue;
      const special = path.startsWith("_");
      if (limited && !special && !within.some((one) => one.endsWith(".sls"))) continue;
      await enter(root, full, path, within, below);
    }
  };
  for (const root of roots) {
    if (statOf(fs, root)?.kind !== "directory") continue;
    await enter(normalizePath(fs.realpath(root)), root, "", namesIn(fs, root), new Set());
  }
  return { files: [...files].sort(), dirs: [...dirs].sort(), empty_dirs: [...empty].sort(), links };
}

/**
 * Compiles `file_ignore_regex` and `file_ignore_glob` to a test of a path: a regular expression may match anywhere, a glob
 * has to match the whole, and its star crosses slashes.
 *
 * @throws {ConfigError} naming an expression that cannot be read
 */
export function ignoredBy(options: { regex: readonly unknown[]; glob: readonly unknown[] }): (path: string) => boolean {
  const patterns = options.regex.map((source) => {
    try {
      // Paths come from minions.
      return compileFinder(String(source));
    } catch (error) {
      throw new ConfigError(
        `Cannot read the regular expression "${source}" of file_ignore_regex: ${messageOf(error)}`,
        {
          cause: error,
        },
      );
    }
  });
  const tests = [...patterns, ...options.glob.map((glob) => compileGlob(String(glob)))];
  return (path) => tests.some((test) => test(path));
}
