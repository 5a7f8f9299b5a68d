import { dirName, joinPath } from "../../base/paths.ts";
import type { FileSystem } from "../../runtime/fs.ts";
import { entryAt, type GitTree, linkTarget, type TreeEntry } from "./tree.ts";

/** A tree of git to write as a directory. */
interface WrittenTree {
  fs: FileSystem;
  tree: GitTree;
  /** The directory of the tree to write; empty for the whole tree. */
  root: string;
  /** The subdirectory of the result to write to; empty for the result itself. */
  mountpoint: string;
  /** The path of a file with the content of an entry. */
  blob(entry: TreeEntry): Promise<string>;
}

/** The relative path from one directory to another; both are given relative to the same place. */
function relative(from: string, to: string): string {
  const up = from === "" ? [] : from.split("/").map(() => "..");
  return [...up, to].join("/");
}

/** Writes a link of the tree: to a file as a copy of that file, to a directory as a link, out of the tree not at all. */
async function writeLink({ fs, tree, root, blob }: WrittenTree, path: string, full: string): Promise<void> {
  const read = async (link: TreeEntry) => link.size > 4096 ? "" : fs.readText(await blob(link));
  const entry = await entryAt(tree, path, read);
  if (entry !== undefined) return fs.link(await blob(entry), full);
  const target = linkTarget(path, await read(tree.get(path)!));
  const isBelow = target !== undefined && (root === "" || target === root || target.startsWith(`${root}/`));
  if (!isBelow || tree.get(target)?.kind !== "directory") return;
  // The link gets the resolved target: the link's own text may lead through other links.
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
