/** A file system in memory: the reference that shows the promises of `runtime/fs.ts` can be kept. */
import type { Clock } from "../../async/clock.ts";
import { SystemError } from "../../errors.ts";
import type { FileStat, FileSystem } from "../fs.ts";

export interface MemoryFileSystemOptions {
  /** Where the times of files come from. */
  clock: Pick<Clock, "now">;
  /** Owner of what is made. @default 0 */
  uid?: number;
  gid?: number;
}

type Node =
  & { mode: number; uid: number; gid: number; mtimeMs: number; ctimeMs: number; atimeMs: number; readonly ino: number }
  & (
    | { kind: "file"; data: Uint8Array; /** What is on the disk. */ synced: Uint8Array }
    | {
      kind: "directory";
      entries: Map<string, Node>; /** The names that are on the disk. */
      synced: Map<string, Node>;
    }
    | { kind: "symlink"; target: string }
  );
type Directory = Extract<Node, { kind: "directory" }>;
type File = Extract<Node, { kind: "file" }>;

/** Links followed before a path counts as a loop, as on Linux. */
const MOST_LINKS = 40;
/** Bytes of a name and of a path, as on Linux. */
const LONGEST_NAME = 255;
const LONGEST_PATH = 4095;
/** Bytes of the file system. */
const SPACE = 2 ** 40;

const utf8 = new TextEncoder();

class Failure {
  readonly errno: string;
  constructor(errno: string) {
    this.errno = errno;
  }
}

function guard<T>(doing: string, path: string, call: () => T): T {
  try {
    return call();
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    throw new SystemError(error.errno, `Cannot ${doing} "${path}": ${error.errno}`, { path });
  }
}

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
   * Gives the disk as it is found after a loss of power: what was synced is there, and of the rest what chance has left: a
   * file may have any part of what was added to it, a name may be that of before. Directories that were made are there.
   * Whoever still has this one writes to nothing.
   *
   * @param random in [0, 1); always 0: nothing of what was not synced is left
   */
  powerCut(random?: () => number): MemoryFileSystem;
}

/** A tree of its own, with nothing in it but the root. Modes and owners are kept, not enforced: its user is root. */
export function memoryFileSystem(options: MemoryFileSystemOptions): MemoryFileSystem {
  const empty = { kind: "directory", entries: new Map(), synced: new Map() } as const;
  return treeOf(options, (fresh) => ({ ...empty, ...fresh(0o755) }));
}

/** What a loss of power leaves of a file that was being written. */
function leftOf({ data, synced }: File, random: () => number): Uint8Array {
  const added = data.length >= synced.length && synced.every((byte, at) => data[at] === byte);
  if (added) return data.slice(0, synced.length + Math.floor(random() * (data.length - synced.length + 1)));
  // Written over: the disk has the one or the other.
  return (random() < 0.5 ? synced : data).slice();
}

/** What a loss of power leaves of a tree. */
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

function treeOf(
  options: MemoryFileSystemOptions,
  rootOf: (fresh: (mode: number) => Omit<Directory, "kind" | "entries" | "synced">) => Directory,
): MemoryFileSystem {
  const { clock, uid = 0, gid = 0 } = options;
  let inodes = 1;
  let latest = -Infinity;
  /** Two changes never have the same time, or a reader that goes by times would miss the second. */
  const now = () => latest = Math.max(clock.now(), latest + 0.001);
  const fresh = (mode: number) => {
    const at = now();
    return { mode, uid, gid, mtimeMs: at, ctimeMs: at, atimeMs: at, ino: ++inodes };
  };
  /** Files that have had a second name: only of these the names are counted. */
  const linked = new WeakSet<Node>();
  const root = rootOf(fresh);

  const touched = (node: Node) => node.mtimeMs = node.ctimeMs = now();
  const partsOf = (path: string): string[] => {
    if (path === "") throw new Failure("ENOENT");
    if (path.includes("\0")) throw new Failure("EINVAL");
    if (utf8.encode(path).length > LONGEST_PATH) throw new Failure("ENAMETOOLONG");
    return path.split("/").filter((part) => part !== "" && part !== ".");
  };

  /** The directory that a path ends in, the name there, and what stands under it. Every way to a node goes through here. */
  function walk(
    path: string,
    follow: boolean,
  ): { parent: Directory; name: string; node: Node | undefined; real: string[] } {
    let pending = partsOf(path);
    let trail: { name: string; node: Directory }[] = [{ name: "", node: root }];
    let links = 0;
    for (;;) {
      const here = trail.at(-1)!.node;
      const name = pending[0];
      const real = trail.slice(1).map((step) => step.name);
      if (name === undefined) {
        const above = trail.at(-2)?.node ?? root;
        return { parent: above, name: trail.at(-1)!.name, node: here, real };
      }
      pending = pending.slice(1);
      if (name === "..") {
        if (trail.length > 1) trail = trail.slice(0, -1);
        continue;
      }
      if (utf8.encode(name).length > LONGEST_NAME) throw new Failure("ENAMETOOLONG");
      const node = here.entries.get(name);
      const last = pending.length === 0;
      if (node?.kind === "symlink" && (!last || follow)) {
        if (++links > MOST_LINKS) throw new Failure("ELOOP");
        if (node.target.startsWith("/")) trail = trail.slice(0, 1);
        pending = [...partsOf(node.target), ...pending];
        continue;
      }
      if (node?.kind === "directory") {
        trail = [...trail, { name, node }];
        continue;
      }
      if (last) return { parent: here, name, node, real: [...real, name] };
      throw new Failure(node === undefined ? "ENOENT" : "ENOTDIR");
    }
  }

  function existing(path: string, follow = true): Node {
    const { node } = walk(path, follow);
    if (node === undefined) throw new Failure("ENOENT");
    return node;
  }
  function file(path: string): File {
    const node = existing(path);
    if (node.kind === "directory") throw new Failure("EISDIR");
    return node as File;
  }
  function directory(path: string): Directory {
    const node = existing(path);
    if (node.kind !== "directory") throw new Failure("ENOTDIR");
    return node;
  }
  function fileOrNew(path: string, mode: number): File {
    const { parent, name, node } = walk(path, true);
    if (node?.kind === "directory") throw new Failure("EISDIR");
    if (node !== undefined) return node as File;
    const made: File = { kind: "file", data: new Uint8Array(0), synced: new Uint8Array(0), ...fresh(mode) };
    parent.entries.set(name, made);
    touched(parent);
    return made;
  }
  function put(target: File, before: Uint8Array, offset: number, data: Uint8Array): void {
    const grown = new Uint8Array(Math.max(before.length, offset + data.length));
    grown.set(before);
    grown.set(data, offset);
    target.data = grown;
    touched(target);
  }
  const bytesOf = (data: Uint8Array | string) => typeof data === "string" ? utf8.encode(data) : data.slice();

  return {
    read: (path) => guard("read", path, () => file(path).data.slice()),
    readText: (path) =>
      guard("read", path, () => new TextDecoder("utf-8", { ignoreBOM: true }).decode(file(path).data)),
    write(path, data, { mode = 0o600, how = "replace", sync = false } = {}) {
      guard("write", path, () => {
        // A rename puts the new file in the place of a link rather than where the link leads.
        const { parent, name, node } = walk(path, false);
        if (how === "create" && node !== undefined) throw new Failure("EEXIST");
        if (node?.kind === "directory") throw new Failure("EISDIR");
        const content = bytesOf(data);
        const made: File = { kind: "file", data: content, synced: sync ? content : new Uint8Array(0), ...fresh(mode) };
        parent.entries.set(name, made);
        if (sync) parent.synced.set(name, made);
        touched(parent);
      });
    },
    readAt: (path, offset, length) => guard("read", path, () => file(path).data.slice(offset, offset + length)),
    writeAt(path, offset, data, { truncate = false, mode = 0o600 } = {}) {
      guard("write", path, () => {
        const target = fileOrNew(path, mode);
        put(target, truncate ? new Uint8Array(0) : target.data, offset, data);
      });
    },
    // deno-lint-ignore require-await
    async writer(path) {
      const target = guard("write", path, () => file(path));
      return {
        // deno-lint-ignore require-await
        write: async (offset, data) => put(target, target.data, offset, data),
        close: () => Promise.resolve(),
      };
    },
    append(path, data, mode = 0o600) {
      guard("write", path, () => {
        const target = fileOrNew(path, mode);
        put(target, target.data, target.data.length, bytesOf(data));
      });
    },
    list: (path) => guard("list", path, () => [...directory(path).entries.keys()].sort()),
    stat(path, { follow = true } = {}) {
      return guard("look at", path, (): FileStat | undefined => {
        let node: Node | undefined;
        try {
          ({ node } = walk(path, follow));
        } catch (error) {
          // Below a file there is nothing, either.
          if (error instanceof Failure && ["ENOENT", "ENOTDIR"].includes(error.errno)) return undefined;
          throw error;
        }
        if (node === undefined) return undefined;
        const { kind, mode, mtimeMs, ctimeMs, atimeMs, ino } = node;
        const size = node.kind === "file"
          ? node.data.length
          : node.kind === "symlink"
          ? utf8.encode(node.target).length
          : 4096;
        const nlink = node.kind === "directory"
          ? 2 + [...node.entries.values()].filter((entry) => entry.kind === "directory").length
          : linked.has(node)
          ? namesOf(node, root)
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
    mkdir(path, mode = 0o755) {
      guard("make the directory", path, () => {
        const parts = partsOf(path);
        for (let count = 1; count <= parts.length; count++) {
          const last = count === parts.length;
          const { parent, name, node } = walk(`/${parts.slice(0, count).join("/")}`, true);
          if (node?.kind === "directory") continue;
          if (node !== undefined) throw new Failure(last ? "EEXIST" : "ENOTDIR");
          const made = { kind: "directory" as const, entries: new Map(), synced: new Map() };
          parent.entries.set(name, { ...made, ...fresh(last ? mode : 0o755) });
          parent.synced.set(name, parent.entries.get(name)!);
          touched(parent);
        }
      });
    },
    remove(path, { recursive = false, sync = false } = {}) {
      guard("remove", path, () => {
        let found;
        try {
          found = walk(path, false);
        } catch (error) {
          if (error instanceof Failure && error.errno === "ENOENT") return;
          throw error;
        }
        const { parent, name, node } = found;
        if (node === undefined) return;
        if (node.kind === "directory" && !recursive && node.entries.size > 0) throw new Failure("ENOTEMPTY");
        if (node === root) throw new Failure("EBUSY");
        parent.entries.delete(name);
        if (sync) parent.synced.delete(name);
        touched(parent);
      });
    },
    async sync(path) {
      const node = guard("sync", path, () => {
        try {
          return walk(path, true).node;
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
    powerCut: (random = () => 0) => treeOf(options, () => treeAfter(root, random)),
    rename(from, to) {
      guard("rename", from, () => {
        const source = walk(from, false);
        if (source.node === undefined) throw new Failure("ENOENT");
        const target = walk(to, false);
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
        source.node.ctimeMs = now();
        touched(source.parent);
        touched(target.parent);
      });
    },
    chmod(path, mode) {
      guard("change the mode of", path, () => {
        const node = existing(path);
        node.mode = mode & 0o7777;
        node.ctimeMs = now();
      });
    },
    chown(path, uid, gid, { follow = true } = {}) {
      guard("change the owner of", path, () => {
        const node = existing(path, follow);
        if (uid !== -1) node.uid = uid;
        if (gid !== -1) node.gid = gid;
        node.ctimeMs = now();
      });
    },
    space: (path) =>
      guard("look at the file system of", path, () => {
        existing(path);
        // As much as anybody wants, and never less for what is written.
        return { total: SPACE, free: SPACE, available: SPACE };
      }),
    readlink: (path) =>
      guard("read the link", path, () => {
        const node = existing(path, false);
        if (node.kind !== "symlink") throw new Failure("EINVAL");
        return node.target;
      }),
    symlink(target, path) {
      guard("make the link", path, () => {
        const { parent, name, node } = walk(path, false);
        if (node !== undefined) throw new Failure("EEXIST");
        parent.entries.set(name, { kind: "symlink", target, ...fresh(0o777) });
        touched(parent);
      });
    },
    link(from, path) {
      guard("make the link", path, () => {
        const node = existing(from, false);
        if (node.kind === "directory") throw new Failure("EPERM");
        const target = walk(path, false);
        if (target.node !== undefined) throw new Failure("EEXIST");
        target.parent.entries.set(target.name, node);
        linked.add(node);
        node.ctimeMs = now();
        touched(target.parent);
      });
    },
    truncate(path, length) {
      guard("truncate", path, () => {
        const target = file(path);
        put(target, target.data.slice(0, length), length, new Uint8Array(0));
      });
    },
    access(path, what) {
      try {
        const node = existing(path);
        // Its user is root, who lacks only the right to execute what nobody may.
        return what !== "execute" || node.kind === "directory" || (node.mode & 0o111) !== 0;
      } catch (error) {
        if (error instanceof Failure) return false;
        throw error;
      }
    },
    utimes(path, atimeMs, mtimeMs) {
      guard("set the times of", path, () => {
        const node = existing(path);
        Object.assign(node, { atimeMs, mtimeMs });
        node.ctimeMs = now();
      });
    },
    realpath: (path) =>
      guard("resolve", path, () => {
        const { node, real } = walk(path, true);
        if (node === undefined) throw new Failure("ENOENT");
        return `/${real.join("/")}`;
      }),
  };
}
