/** The files of a tree of states, pillar or custom modules that are read, within bounds. */
import { joinPath } from "../../src/base/paths.ts";
import type { FileSystem } from "../../src/runtime/fs.ts";

/** Files that are looked at. */
const MOST_FILES = 200_000;
/** Bytes of a file that is read. */
export const MOST_BYTES = 1024 ** 2;

export interface TreeFile {
  path: string;
  /** Below its root: `web/init.sls`. */
  name: string;
  root: string;
  size: number;
}

/** Lists files below a directory, in order; those of version control and what `ignored` names are left out. */
export function treeFiles(fs: FileSystem, root: string, ignored: (name: string) => boolean): TreeFile[] {
  const found: TreeFile[] = [];
  const enter = (directory: string, name: string, trail: readonly string[]): void => {
    let names: string[];
    let real: string;
    try {
      names = fs.list(directory).sort();
      real = fs.realpath(directory);
    } catch {
      // One directory that cannot be read does not stop the search: --check reports it.
      return;
    }
    if (trail.includes(real)) return;
    for (const entry of names) {
      if (found.length >= MOST_FILES) return;
      const [path, below] = [joinPath(directory, entry), name === "" ? entry : `${name}/${entry}`];
      if (entry === ".git" || entry === ".svn" || ignored(below)) continue;
      let stat;
      try {
        stat = fs.stat(path);
      } catch {
        // A circular link.
        continue;
      }
      if (stat?.kind === "directory") enter(path, below, [...trail, real]);
      else if (stat?.kind === "file") found.push({ path, name: below, root, size: stat.size });
    }
  };
  enter(root, "", []);
  return found;
}
