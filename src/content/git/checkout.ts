import { dirName, joinPath } from "../../base/paths.ts";
import type { FileSystem } from "../../runtime/fs.ts";
import { entryAt, type GitTree, linkTarget, type TreeEntry } from "./tree.ts";

/** A tree that becomes a directory. */
export interface WrittenTree {
  fs: FileSystem;
  tree: GitTree;
  /** Below this directory of the tree; empty for all of it. */
  root: string;
  /** The directory of the result that it appears in; empty for itself. */
  mountpoint: string;
  /** The file with the content of an entry. */
  blob(entry: TreeEntry): Promise<string>;
}

/** From one directory to another, both by their paths from the same place. */
function relative(from: string, to: string): string {
  const up = from === "" ? [] : from.split("/").map(() => "..");
  return [...up, to].join("/");
}

/** A link of the tree: a file for one to a file, a link for one to a directory, nothing for one that leads out. */
async function writeLink({ fs, tree, root, blob }: WrittenTree, path: string, full: string): Promise<void> {
  const read = async (link: TreeEntry) => link.size > 4096 ? "" : fs.readText(await blob(link));
  const entry = await entryAt(tree, path, read);
  if (entry !== undefined) return fs.link(await blob(entry), full);
  const target = linkTarget(path, await read(tree.get(path)!));
  const isBelow = target !== undefined && (root === "" || target === root || target.startsWith(`${root}/`));
  if (!isBelow || tree.get(target)?.kind !== "directory") return;
  // As the tree has it: what the link itself says may lead through other links.
  fs.symlink(relative(path.includes("/") ? dirName(path) : "", target), full);
}

/** Writes a tree as a directory, which appears whole or not at all. */
export async function writeTree(written: WrittenTree, directory: string): Promise<void> {
  const { fs, tree, root, mountpoint, blob } = written;
  const made = joinPath(dirName(directory), `.${directory.slice(directory.lastIndexOf("/") + 1)}.part`);
  fs.remove(made, { recursive: true });
  const top = mountpoint === "" ? made : joinPath(made, mountpoint);
  fs.mkdir(top, 0o700);
  const prefix = root === "" ? "" : `${root}/`;
  for (const [path, entry] of tree) {
    if (!path.startsWith(prefix)) continue;
    const full = joinPath(top, path.slice(prefix.length));
    if (entry.kind === "directory") fs.mkdir(full, 0o700);
    else if (entry.kind === "file") fs.link(await blob(entry), full);
    else await writeLink(written, path, full);
  }
  if (fs.stat(directory) === undefined) fs.rename(made, directory);
  else fs.remove(made, { recursive: true });
}
