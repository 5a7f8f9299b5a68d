/** The nodes of a file system in memory, and how paths lead to them. */
import type { Clock } from "../../base/async/clock.ts";
import { SystemError } from "../../base/errors.ts";
import { checkUsersLink, MAX_LINKS, onlyRootChanges, type UsersLink } from "../foreign_links.ts";

export interface MemoryFileSystemOptions {
  clock: Pick<Clock, "now">;
  /** Owner of new files. @default 0 */
  uid?: number;
  gid?: number;
}

export type Node =
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
export type Directory = Extract<Node, { kind: "directory" }>;
export type File = Extract<Node, { kind: "file" }>;

/** The most bytes of a name and of a path, as on Linux. */
const MAX_NAME_BYTES = 255;
const MAX_PATH_BYTES = 4095;
export const textEncoder = new TextEncoder();

/** Why an operation cannot be done, as an errno; {@link guard} turns it into the error that callers get. */
export class Failure {
  readonly errno: string;
  constructor(errno: string) {
    this.errno = errno;
  }
}

/** Runs `call`; a {@link Failure} becomes a `SystemError` that names the operation and the path. */
export function guard<T>(doing: string, path: string, call: () => T): T {
  try {
    return call();
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    throw new SystemError(error.errno, `Cannot ${doing} "${path}": ${error.errno}`, { path });
  }
}

/** True if a text has more than `bytes` bytes. A character has at most three bytes (a surrogate pair four), so the length decides for most texts. */
function longer(text: string, bytes: number): boolean {
  return text.length > bytes / 3 && textEncoder.encode(text).length > bytes;
}

/** The parts of a path, without empty ones and `.`. */
export function pathParts(path: string): string[] {
  if (path === "") throw new Failure("ENOENT");
  if (path.includes("\0")) throw new Failure("EINVAL");
  if (longer(path, MAX_PATH_BYTES)) throw new Failure("ENAMETOOLONG");
  return path.split("/").filter((part) => part !== "" && part !== ".");
}

/** A tree of nodes. Modes and owners are kept, not enforced: its user is root. */
export class Tree {
  readonly root: Directory;
  readonly options: MemoryFileSystemOptions;
  /** Files that have had a second name: only for these the number of names is counted. */
  readonly linked = new WeakSet<Node>();
  /** Buffers with room for appended data → bytes in use. Bytes in use are never changed: earlier reads or syncs may share them. */
  readonly #filled = new WeakMap<ArrayBufferLike, number>();
  #inodes = 1;
  #latest = -Infinity;

  /** @param root the initial tree. @default an empty directory */
  constructor(options: MemoryFileSystemOptions, root?: Directory) {
    this.options = options;
    this.root = root ?? { kind: "directory", entries: new Map(), synced: new Map(), ...this.fresh(0o755) };
  }

  /** Two changes never have the same time: a reader that compares times would miss the second. */
  now(): number {
    return this.#latest = Math.max(this.options.clock.now(), this.#latest + 0.001);
  }

  /** The attributes of a new node. */
  fresh(mode: number): Omit<Directory, "kind" | "entries" | "synced"> {
    const { uid = 0, gid = 0 } = this.options;
    const at = this.now();
    return { mode, uid, gid, mtimeMs: at, ctimeMs: at, atimeMs: at, ino: ++this.#inodes };
  }

  touched(node: Node): void {
    node.mtimeMs = node.ctimeMs = this.now();
  }

  /**
   * Resolves a path: the directory it ends in, the name there, and the node of that name. All lookups go through here.
   *
   * @param change whether the found node is to be changed: then a user's link is followed only to files of the same user
   */
  walk(
    path: string,
    follow: boolean,
    change = false,
  ): { parent: Directory; name: string; node: Node | undefined; real: string[] } {
    // Both lists are used from their ends: the next part of the path, and the directory that has been reached.
    const pending: (string | UsersLink)[] = pathParts(path).reverse();
    const careful = change && (this.options.uid ?? 0) === 0;
    const real: string[] = [];
    const trail: Directory[] = [this.root];
    let links = 0;
    for (;;) {
      const here = trail.at(-1)!;
      const name = pending.pop();
      if (name === undefined) return { parent: trail.at(-2) ?? this.root, name: real.at(-1) ?? "", node: here, real };
      if (typeof name !== "string") {
        checkUsersLink(path, name, here);
        continue;
      }
      if (name === "..") {
        if (real.pop() !== undefined) trail.pop();
        continue;
      }
      if (longer(name, MAX_NAME_BYTES)) throw new Failure("ENAMETOOLONG");
      const node = here.entries.get(name);
      const last = !pending.some((part) => typeof part === "string");
      if (node?.kind === "symlink" && (!last || follow)) {
        if (++links > MAX_LINKS) throw new Failure("ELOOP");
        if (careful && node.uid !== 0 && !onlyRootChanges(here)) {
          pending.push({ uid: node.uid, path: `/${[...real, name].join("/")}` });
        }
        if (node.target.startsWith("/")) {
          real.length = 0;
          trail.length = 1;
        }
        pending.push(...pathParts(node.target).reverse());
        continue;
      }
      if (node?.kind === "directory") {
        real.push(name);
        trail.push(node);
        continue;
      }
      for (const link of pending.toReversed()) if (typeof link !== "string") checkUsersLink(path, link, node);
      if (!last) throw new Failure(node === undefined ? "ENOENT" : "ENOTDIR");
      real.push(name);
      return { parent: here, name, node, real };
    }
  }

  /** As {@link Tree.existing}, for a change; refuses a symlink. */
  unlinked(path: string): Node {
    const node = this.existing(path, false, true);
    if (node.kind === "symlink") throw new Failure("ELOOP");
    return node;
  }

  existing(path: string, follow = true, change = false): Node {
    const { node } = this.walk(path, follow, change);
    if (node === undefined) throw new Failure("ENOENT");
    return node;
  }

  file(path: string, change = false): File {
    const node = this.existing(path, true, change);
    if (node.kind === "directory") throw new Failure("EISDIR");
    return node as File;
  }

  directory(path: string): Directory {
    const node = this.existing(path);
    if (node.kind !== "directory") throw new Failure("ENOTDIR");
    return node;
  }

  /** The file at that path; creates an empty one if there is none. */
  fileOrNew(path: string, mode: number): File {
    const { parent, name, node } = this.walk(path, true, true);
    if (node?.kind === "directory") throw new Failure("EISDIR");
    if (node !== undefined) return node as File;
    const made: File = { kind: "file", data: new Uint8Array(0), synced: new Uint8Array(0), ...this.fresh(mode) };
    parent.entries.set(name, made);
    this.touched(parent);
    return made;
  }

  /** Writes `data` at an offset into the file's previous content. */
  put(target: File, before: Uint8Array, offset: number, data: Uint8Array): void {
    const length = Math.max(before.length, offset + data.length);
    const appended = offset === before.length && offset > 0;
    let whole: Uint8Array;
    if (appended && this.#filled.get(before.buffer) === offset && length <= before.buffer.byteLength) {
      whole = new Uint8Array(before.buffer, 0, length);
    } else {
      whole = new Uint8Array(appended ? 2 * length : length).subarray(0, length);
      whole.set(before);
    }
    whole.set(data, offset);
    if (appended) this.#filled.set(whole.buffer, length);
    target.data = whole;
    this.touched(target);
  }
}
