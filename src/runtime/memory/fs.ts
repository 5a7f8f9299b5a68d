/** A file system in memory: the reference implementation of `runtime/fs.ts`. */
import type { FileAppender, FileStat, FileSystem } from "../fs.ts";
import type { Directory, File, MemoryFileSystemOptions, Node } from "./tree.ts";
import { Failure, guard, pathParts, textEncoder, Tree } from "./tree.ts";

export type { MemoryFileSystemOptions } from "./tree.ts";

/** The size of the file system, in bytes. */
const SPACE = 2 ** 40;

/** How many names a file has below a directory. */
function namesOf(file: Node, below: Directory): number {
  let count = 0;
  for (const entry of below.entries.values()) {
    if (entry === file) count += 1;
    else if (entry.kind === "directory") count += namesOf(file, entry);
  }
  return count;
}

/** A file system whose power can be cut. */
export interface MemoryFileSystem extends FileSystem {
  /**
   * Returns the disk as it is after a loss of power: synced data is there, and of the rest a random part: a
   * file may have any part of the appended data, a name may be the previous one. New directories are there.
   * Writes to the old file system have no effect on it.
   *
   * @param random in [0, 1); if it always returns 0, nothing is left of data that was not synced
   */
  powerCut(random?: () => number): MemoryFileSystem;
}

/** A separate file system with only the root directory. Modes and owners are kept, not enforced: the user is root. */
export function memoryFileSystem(options: MemoryFileSystemOptions): MemoryFileSystem {
  return over(new Tree(options));
}

function over(tree: Tree): MemoryFileSystem {
  return {
    ...contents(tree),
    ...names(tree),
    ...links(tree),
    ...attributes(tree),
    powerCut: (random = () => 0) => over(new Tree(tree.options, treeAfter(tree.root, random))),
  };
}

/** The part of a file that is left after a loss of power. */
function leftOf({ data, synced }: File, random: () => number): Uint8Array {
  const added = data.length >= synced.length && synced.every((byte, at) => data[at] === byte);
  if (added) return data.slice(0, synced.length + Math.floor(random() * (data.length - synced.length + 1)));
  // An overwritten file has either the old or the new content on the disk.
  return (random() < 0.5 ? synced : data).slice();
}

/** The part of a tree that is left after a loss of power. */
function treeAfter(directory: Directory, random: () => number, left = new Map<Node, Node>()): Directory {
  const after: Directory = { ...directory, entries: new Map(), synced: new Map() };
  const names = new Set([...directory.synced.keys(), ...directory.entries.keys()]);
  for (const name of names) {
    const [now, before] = [directory.entries.get(name), directory.synced.get(name)];
    const node = now === before || random() < 0.5 ? before : now;
    if (node === undefined) continue;
    let kept = left.get(node);
    if (kept === undefined) {
      if (node.kind === "directory") kept = treeAfter(node, random, left);
      else if (node.kind === "file") {
        const data = leftOf(node, random);
        kept = { ...node, data, synced: data };
      } else kept = { ...node };
      left.set(node, kept);
    }
    after.entries.set(name, kept);
    after.synced.set(name, kept);
  }
  return after;
}

const bytesOf = (data: Uint8Array | string) => typeof data === "string" ? textEncoder.encode(data) : data.slice();

/** The contents of files, and which part of them would survive a loss of power. */
function contents(
  tree: Tree,
): Pick<
  FileSystem,
  "read" | "readText" | "write" | "readAt" | "writeAt" | "writer" | "append" | "appender" | "truncate" | "sync"
> {
  const appender = (path: string, mode = 0o600): FileAppender => {
    const target = guard("write", path, () => tree.fileOrNew(path, mode));
    return { append: (data) => tree.put(target, target.data, target.data.length, bytesOf(data)), close: () => {} };
  };
  return {
    read: (path) => guard("read", path, () => tree.file(path).data.slice()),
    readText: (path) =>
      guard("read", path, () => new TextDecoder("utf-8", { ignoreBOM: true }).decode(tree.file(path).data)),
    write(path, data, { mode = 0o600, how = "replace", sync = false, owner } = {}) {
      guard("write", path, () => {
        // A rename replaces a link itself, not the file that it points to.
        const { parent, name, node } = tree.walk(path, false, true);
        if (how === "create" && node !== undefined) throw new Failure("EEXIST");
        if (node?.kind === "directory") throw new Failure("EISDIR");
        const content = bytesOf(data);
        const made: File = {
          kind: "file",
          data: content,
          synced: sync ? content : new Uint8Array(0),
          ...tree.fresh(mode),
          ...owner,
        };
        parent.entries.set(name, made);
        if (sync) parent.synced.set(name, made);
        tree.touched(parent);
      });
    },
    readAt: (path, offset, length) => guard("read", path, () => tree.file(path).data.slice(offset, offset + length)),
    writeAt(path, offset, data, { truncate = false, mode = 0o600 } = {}) {
      guard("write", path, () => {
        const target = tree.fileOrNew(path, mode);
        tree.put(target, truncate ? new Uint8Array(0) : target.data, offset, data);
      });
    },
    // deno-lint-ignore require-await
    async writer(path) {
      const target = guard("write", path, () => tree.file(path, true));
      return {
        // deno-lint-ignore require-await
        write: async (offset, data) => tree.put(target, target.data, offset, data),
        close: () => Promise.resolve(),
      };
    },
    append: (path, data, mode) => appender(path, mode).append(data),
    appender,
    truncate(path, length) {
      guard("truncate", path, () => {
        const target = tree.file(path, true);
        tree.put(target, target.data.slice(0, length), length, new Uint8Array(0));
      });
    },
    async sync(path) {
      const node = guard("sync", path, () => {
        try {
          return tree.walk(path, true).node;
        } catch (error) {
          if (error instanceof Failure && error.errno === "ENOENT") return undefined;
          throw error;
        }
      });
      const [data, entries] = node?.kind === "file"
        ? [node.data]
        : [undefined, node?.kind === "directory" ? new Map(node.entries) : undefined];
      await undefined;
      if (node?.kind === "file") node.synced = data!;
      else if (node?.kind === "directory") node.synced = entries!;
    },
  };
}

/** Moves a name, with all that is below it. */
function renameIn(tree: Tree, from: string, to: string): void {
  guard("rename", from, () => {
    const source = tree.walk(from, false, true);
    if (source.node === undefined) throw new Failure("ENOENT");
    const target = tree.walk(to, false, true);
    if (target.node === source.node) return;
    if (target.node?.kind === "directory") {
      if (source.node.kind !== "directory") throw new Failure("EISDIR");
      if (target.node.entries.size > 0) throw new Failure("ENOTEMPTY");
    } else if (target.node !== undefined && source.node.kind === "directory") throw new Failure("ENOTDIR");
    if (source.node.kind === "directory" && `/${target.real.join("/")}/`.startsWith(`/${source.real.join("/")}/`)) {
      throw new Failure("EINVAL");
    }
    source.parent.entries.delete(source.name);
    target.parent.entries.set(target.name, source.node);
    source.node.ctimeMs = tree.now();
    tree.touched(source.parent);
    tree.touched(target.parent);
  });
}

/** Directories, and the names in them. */
function names(
  tree: Tree,
): Pick<FileSystem, "list" | "mkdir" | "remove" | "rename" | "replace" | "realpath" | "placeOf"> {
  return {
    list: (path) => guard("list", path, () => [...tree.directory(path).entries.keys()].sort()),
    mkdir(path, mode = 0o755) {
      guard("make the directory", path, () => {
        const parts = pathParts(path);
        for (let count = 1; count <= parts.length; count++) {
          const last = count === parts.length;
          const above = `/${parts.slice(0, count).join("/")}`;
          if (tree.walk(above, true).node?.kind === "directory") continue;
          const { parent, name, node } = tree.walk(above, true, true);
          if (node !== undefined) throw new Failure(last ? "EEXIST" : "ENOTDIR");
          const made = { kind: "directory" as const, entries: new Map(), synced: new Map() };
          parent.entries.set(name, { ...made, ...tree.fresh(last ? mode : 0o755) });
          parent.synced.set(name, parent.entries.get(name)!);
          tree.touched(parent);
        }
      });
    },
    remove(path, { recursive = false, sync = false } = {}) {
      guard("remove", path, () => {
        let found;
        try {
          found = tree.walk(path, false, true);
        } catch (error) {
          if (error instanceof Failure && error.errno === "ENOENT") return;
          throw error;
        }
        const { parent, name, node } = found;
        if (node === undefined) return;
        if (node.kind === "directory" && !recursive && node.entries.size > 0) throw new Failure("ENOTEMPTY");
        if (node === tree.root) throw new Failure("EBUSY");
        parent.entries.delete(name);
        if (sync) parent.synced.delete(name);
        tree.touched(parent);
      });
    },
    rename: (from, to) => renameIn(tree, from, to),
    // Nothing here is a mount point.
    replace: (from, to) => renameIn(tree, from, to),
    realpath: (path) =>
      guard("resolve", path, () => {
        const { node, real } = tree.walk(path, true);
        if (node === undefined) throw new Failure("ENOENT");
        return `/${real.join("/")}`;
      }),
    placeOf: (path) =>
      guard("change", path, () => {
        const parts = pathParts(path);
        for (let count = parts.length;; count--) {
          try {
            const { real } = tree.walk(`/${parts.slice(0, count).join("/")}`, true, true);
            return `/${[...real, ...parts.slice(count)].join("/")}`;
          } catch (error) {
            if (!(error instanceof Failure) || !["ENOENT", "ENOTDIR"].includes(error.errno)) throw error;
          }
        }
      }),
  };
}

function links(tree: Tree): Pick<FileSystem, "readlink" | "symlink" | "link"> {
  return {
    readlink: (path) =>
      guard("read the link", path, () => {
        const node = tree.existing(path, false);
        if (node.kind !== "symlink") throw new Failure("EINVAL");
        return node.target;
      }),
    symlink(target, path) {
      guard("make the link", path, () => {
        const { parent, name, node } = tree.walk(path, false, true);
        if (node !== undefined) throw new Failure("EEXIST");
        parent.entries.set(name, { kind: "symlink", target, ...tree.fresh(0o777) });
        tree.touched(parent);
      });
    },
    link(from, path) {
      guard("make the link", path, () => {
        const node = tree.existing(from, false, true);
        if (node.kind === "directory") throw new Failure("EPERM");
        const target = tree.walk(path, false, true);
        if (target.node !== undefined) throw new Failure("EEXIST");
        target.parent.entries.set(target.name, node);
        tree.linked.add(node);
        node.ctimeMs = tree.now();
        tree.touched(target.parent);
      });
    },
  };
}

/** The metadata of a node. */
function attributes(tree: Tree): Pick<FileSystem, "stat" | "chmod" | "chown" | "space" | "access" | "utimes"> {
  return {
    stat(path, { follow = true } = {}) {
      return guard("look at", path, (): FileStat | undefined => {
        let node: Node | undefined;
        try {
          ({ node } = tree.walk(path, follow));
        } catch (error) {
          // A path below a file does not exist, either.
          if (error instanceof Failure && ["ENOENT", "ENOTDIR"].includes(error.errno)) return undefined;
          throw error;
        }
        if (node === undefined) return undefined;
        const { kind, mode, mtimeMs, ctimeMs, atimeMs, ino } = node;
        const size = node.kind === "file"
          ? node.data.length
          : node.kind === "symlink"
          ? textEncoder.encode(node.target).length
          : 4096;
        const nlink = node.kind === "directory"
          ? 2 + [...node.entries.values()].filter((entry) => entry.kind === "directory").length
          : tree.linked.has(node)
          ? namesOf(node, tree.root)
          : 1;
        return {
          kind,
          size,
          mode,
          uid: node.uid,
          gid: node.gid,
          mtimeMs,
          ctimeMs,
          atimeMs,
          ino,
          dev: 1,
          rdev: 0,
          nlink,
        };
      });
    },
    chmod(path, mode, { follow = true } = {}) {
      guard("change the mode of", path, () => {
        const node = follow ? tree.existing(path, true, true) : tree.unlinked(path);
        node.mode = mode & 0o7777;
        node.ctimeMs = tree.now();
      });
    },
    chown(path, uid, gid, { follow = true } = {}) {
      guard("change the owner of", path, () => {
        const node = tree.existing(path, follow, true);
        if (uid !== -1) node.uid = uid;
        if (gid !== -1) node.gid = gid;
        node.ctimeMs = tree.now();
      });
    },
    space: (path) =>
      guard("look at the file system of", path, () => {
        tree.existing(path);
        // The free space is constant: writes are not counted.
        return { total: SPACE, free: SPACE, available: SPACE };
      }),
    access(path, what) {
      try {
        const node = tree.existing(path);
        // The user is root, who may do everything except execute a file without any execute bit.
        return what !== "execute" || node.kind === "directory" || (node.mode & 0o111) !== 0;
      } catch (error) {
        if (error instanceof Failure) return false;
        throw error;
      }
    },
    utimes(path, atimeMs, mtimeMs) {
      guard("set the times of", path, () => {
        const node = tree.existing(path, true, true);
        Object.assign(node, { atimeMs, mtimeMs });
        node.ctimeMs = tree.now();
      });
    },
  };
}
