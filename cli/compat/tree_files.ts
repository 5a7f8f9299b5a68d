/** Finds the files to read in a tree of states, pillar or custom modules, within limits. */
import { dirName, joinPath } from "../../src/base/paths.ts";
import { entriesOf, isMap } from "../../src/language/python/values.ts";
import { globPaths, hasMagic } from "../../src/model/config/glob_paths.ts";
import type { FileSystem } from "../../src/runtime/fs.ts";

/** Files that are looked at, at most. */
const MAX_FILES = 200_000;
/** Maximum size of a file to read, in bytes. */
export const MAX_BYTES = 1024 ** 2;

export interface TreeFile {
  path: string;
  /** Path below the root: `web/init.sls`. */
  name: string;
  root: string;
  size: number;
}

/** The directories in a value of `file_roots` or `pillar_roots`; of a root with `__env__`, only the path before it. */
export function rootsOf(fs: FileSystem, value: unknown): string[] {
  const given = isMap(value) ? entriesOf(value).flatMap(([, roots]) => [roots].flat()) : [];
  const plain = given.filter((root): root is string => typeof root === "string").map((root) => {
    const at = root.indexOf("__env__");
    return at < 0 ? root : dirName(root.slice(0, at + 1));
  });
  return [...new Set(plain.flatMap((root) => hasMagic(root) ? globPaths(fs, root) : [root]))]
    .filter((root) => fs.stat(root)?.kind === "directory");
}

/** Lists the files below a directory, in order, without those of version control and those that `ignored` matches. */
export function treeFiles(
  fs: FileSystem,
  root: string,
  ignored: (name: string) => boolean,
  most = MAX_FILES,
): TreeFile[] {
  const found: TreeFile[] = [];
  const enter = (directory: string, name: string, trail: readonly string[]): void => {
    let names: string[];
    let real: string;
    try {
      names = fs.list(directory).sort();
      real = fs.realpath(directory);
    } catch {
      // An unreadable directory does not stop the search; --check reports it.
      return;
    }
    if (trail.includes(real)) return;
    for (const entry of names) {
      if (found.length >= most) return;
      const [path, below] = [joinPath(directory, entry), name === "" ? entry : `${name}/${entry}`];
      if (entry === ".git" || entry === ".svn" || ignored(below)) continue;
      let stat;
      try {
        stat = fs.stat(path);
      } catch {
        // Skip a circular link.
        continue;
      }
      if (stat?.kind === "directory") enter(path, below, [...trail, real]);
      else if (stat?.kind === "file") found.push({ path, name: below, root, size: stat.size });
    }
  };
  enter(root, "", []);
  return found;
}
