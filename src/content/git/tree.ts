import { isRecord } from "../../base/record.ts";

export interface TreeEntry {
  kind: "file" | "link" | "directory";
  /** Hash of the git object, in hexadecimal. */
  sha: string;
  /** Permission bits. */
  mode: number;
  size: number;
}

/** Everything in a commit by path, in order of the paths; submodules are left out. */
export type GitTree = ReadonlyMap<string, TreeEntry>;

/** Maximum of entries in one tree; a larger tree is refused. */
const MAX_ENTRIES = 2_000_000;

/** Maximum of links to follow one after the other. */
const MAX_LINKS = 100;

/** True for a path whose parts are all plain names, so that it cannot leave the directory that it is joined to. */
function isPlain(path: string): boolean {
  return path !== "" && path.split("/").every((part) => part !== "" && part !== "." && part !== "..");
}

/**
 * Adds an entry. git accepts trees with duplicate names, or with slashes in names: a link and a directory could then have the
 * same path, and a file below that directory would be written where the link leads.
 *
 * @throws {RangeError} for such a path, and for too many entries
 */
function addEntry(entries: Map<string, TreeEntry>, path: string, entry: TreeEntry): void {
  const slash = path.lastIndexOf("/");
  const isBelowDirectory = slash < 0 || entries.get(path.slice(0, slash))?.kind === "directory";
  if (entries.has(path) || !isBelowDirectory) {
    throw new RangeError(`its path ${JSON.stringify(path)} exists twice, or is below a file`);
  }
  if (entries.size >= MAX_ENTRIES) throw new RangeError(`it has more than ${MAX_ENTRIES} files`);
  entries.set(path, entry);
}

/**
 * Parses the output of `git ls-tree -r -t -l -z --full-tree`. Names that are not UTF-8, or that no directory could have, are left
 * out, with everything below them.
 *
 * @throws {RangeError} for too many entries, and for a tree that cannot be written as a directory
 */
export function parseTree(output: Uint8Array): GitTree {
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  const entries = new Map<string, TreeEntry>();
  for (let from = 0; from < output.length;) {
    const end = output.indexOf(0, from);
    const line = output.subarray(from, end < 0 ? output.length : end);
    from = end < 0 ? output.length : end + 1;
    let text: string;
    try {
      text = decoder.decode(line);
    } catch {
      continue;
    }
    const tab = text.indexOf("\t");
    const [mode = "", type, sha = "", size = "0"] = text.slice(0, tab).split(/ +/);
    const path = text.slice(tab + 1);
    if (type === "commit" || !isPlain(path)) continue;
    const kind = type === "tree" ? "directory" : mode === "120000" ? "link" : "file";
    addEntry(entries, path, { kind, sha, mode: parseInt(mode, 8) & 0o777, size: Number(size) || 0 });
  }
  return entries;
}

/** The tree as rows, for the cache. */
export function packTree(tree: GitTree): unknown[] {
  return [...tree].map(([path, { kind, sha, mode, size }]) => [path, kind, sha, mode, size]);
}

/** The inverse of {@link packTree}; undefined for anything else. */
export function unpackTree(rows: unknown): GitTree | undefined {
  if (!Array.isArray(rows)) return undefined;
  const tree = new Map<string, TreeEntry>();
  for (const row of rows) {
    if (!Array.isArray(row)) return undefined;
    const [path, kind, sha, mode, size] = row as [string, TreeEntry["kind"], string, number, number];
    tree.set(path, { kind, sha, mode, size });
  }
  return tree;
}

/** Where a link leads; undefined if that is outside of the repository. */
export function linkTarget(path: string, target: string): string | undefined {
  if (target.startsWith("/") || target === "") return undefined;
  const parts = path.split("/").slice(0, -1);
  for (const part of target.split("/")) {
    if (part === "" || part === ".") continue;
    if (part !== "..") parts.push(part);
    else if (parts.pop() === undefined) return undefined;
  }
  return parts.join("/");
}

/**
 * The file at a path, through links as Salt follows them: at the end of a path, not in its middle.
 *
 * @param read returns the target that a link states
 */
export async function entryAt(
  tree: GitTree,
  path: string,
  read: (link: TreeEntry) => Promise<string>,
): Promise<TreeEntry | undefined> {
  let at: string | undefined = path;
  for (let links = 0; at !== undefined && links < MAX_LINKS; links++) {
    const entry: TreeEntry | undefined = tree.get(at);
    if (entry?.kind !== "link") return entry?.kind === "file" ? entry : undefined;
    at = linkTarget(at, await read(entry));
  }
  return undefined;
}

/** True for a stored value that holds the rows of {@link packTree}. */
export function isPackedTree(value: unknown): value is { rows: unknown[] } {
  return isRecord(value) && Array.isArray(value.rows);
}
