/**
 * Small files of state: keys, configuration, process files. Synchronous on purpose: between a check and a write no other
 * request can run, so the key directories need no locks. Large files are streamed elsewhere.
 *
 * Every method throws {@link SystemError} with the system's `errno` and the path in its message.
 */
export interface FileStat {
  kind: "file" | "directory" | "symlink" | "socket" | "fifo" | "block" | "character" | "other";
  /** The size of the file, in bytes. */
  size: number;
  /** Permission bits, such as 0o600. */
  mode: number;
  uid: number;
  gid: number;
  /** Milliseconds since the epoch, with fractions where the system has them. */
  mtimeMs: number;
  ctimeMs: number;
  atimeMs: number;
  ino: number;
  dev: number;
  /** Number of the device that a block or character file stands for, with major and minor packed into it as the system does. */
  rdev: number;
  nlink: number;
}

export interface WriteOptions {
  /** Permission bits of the new file; the umask does not apply. @default 0o600 */
  mode?: number;
  /**
   * `"replace"`: the new content appears whole under its name or not at all; only a file that cannot be replaced, such as a mount
   * point, is written over. `"create"`: `EEXIST` if the name is taken.
   * @default "replace"
   */
  how?: "replace" | "create";
  /** The owner that the new file has before it appears under its name. @default the user of this process */
  owner?: { uid: number; gid: number };
  /**
   * A file whose access control list, extended attributes and SELinux label the new one gets, as far as the system can copy them. It
   * takes some milliseconds: for files of the host.
   */
  like?: string;
  /**
   * If true, the content and its name survive a loss of power once it returns. It blocks the event loop while the disk works:
   * for files that are written rarely, such as keys. @default false
   */
  sync?: boolean;
}

/** A file that is written piece by piece without blocking other work. */
interface FileWriter {
  /** Writes at `offset`, growing the file. `data` MUST NOT be changed until it resolves. */
  write(offset: number, data: Uint8Array): Promise<void>;
  /** Closes the file. To be called once, when no write is pending. */
  close(): Promise<void>;
}

export interface FileAppender {
  append(data: Uint8Array | string): void;
  /** Closes the file. To be called once. */
  close(): void;
}

/**
 * Files as the core needs them of a runtime.
 *
 * A user must not be able to direct changes of root elsewhere. A link in a directory that others can change MUST be followed only if root made
 * the link, or if the link's owner also owns the file behind it; every method that changes something throws {@link ForeignLinkError}
 * otherwise, and MUST hold to this also if a link is put there while the method works.
 *
 * @internal
 */
export interface FileSystem {
  /**
   * The whole content. Files that may block or have no end MUST be refused with `EINVAL`, here and in `readText` and `readAt`: named
   * pipes, sockets and character devices.
   */
  read(path: string): Uint8Array;
  /** The whole content as UTF-8 text. */
  readText(path: string): string;
  write(path: string, data: Uint8Array | string, options?: WriteOptions): void;
  /** `length` bytes from `offset`; fewer at the end of the file. */
  readAt(path: string, offset: number, length: number): Uint8Array;
  /** Writes at `offset`, growing the file; creates it. */
  writeAt(path: string, offset: number, data: Uint8Array, options?: { truncate?: boolean; mode?: number }): void;
  /** Opens an existing file for large writes, which do not block the event loop. */
  writer(path: string): Promise<FileWriter>;
  /**
   * Appends in one write, so that what several processes append is not interleaved; creates the file. A link is followed.
   *
   * @param mode of a new file, default 0o600
   */
  append(path: string, data: Uint8Array | string, mode?: number): void;
  /** Opens a file for many calls of {@link append}, which then need not find it. */
  appender(path: string, mode?: number): FileAppender;
  /** Names in a directory, in code point order; without `.` and `..`. */
  list(path: string): string[];
  /** The state of a file; undefined if the path does not exist. Follows symlinks unless `follow` is false. */
  stat(path: string, options?: { follow?: boolean }): FileStat | undefined;
  /** Creates the directory and its parents; harmless if it exists. @param mode of a new directory, default 0o755 */
  mkdir(path: string, mode?: number): void;
  /** Removes a file; does nothing if the path does not exist. @param options with `sync`, the file stays removed after a loss of power; blocks as in `write` */
  remove(path: string, options?: { recursive?: boolean; sync?: boolean }): void;
  /**
   * Resolves once the content of a file, or the names in a directory, as they were at the call, would survive a loss of
   * power. Without it, either may then be lost, torn or empty. Harmless if the path does not exist. Does not block the
   * event loop.
   */
  sync(path: string): Promise<void>;
  rename(from: string, to: string): void;
  /**
   * Moves a file into the place of another one. A target that cannot be replaced, such as a mount point, is overwritten: it keeps the old
   * content if that fails.
   */
  replace(from: string, to: string): void;
  /** Sets the permission bits. Follows symlinks unless `follow` is false: then a symlink is refused with `ELOOP`. */
  chmod(path: string, mode: number, options?: { follow?: boolean }): void;
  /** Sets the owner; a uid or gid of -1 is left unchanged. Follows symlinks unless `follow` is false. */
  chown(path: string, uid: number, gid: number, options?: { follow?: boolean }): void;
  readlink(path: string): string;
  symlink(target: string, path: string): void;
  /** Gives the file `existing` a second name. */
  link(existing: string, path: string): void;
  /** Cuts the file to `length` bytes, or extends it with zeros. */
  truncate(path: string, length: number): void;
  /** True if this process has that access to the file. Follows links. */
  access(path: string, what: "exist" | "read" | "write" | "execute"): boolean;
  /** Sets access and modification times, in milliseconds. */
  utimes(path: string, atimeMs: number, mtimeMs: number): void;
  /** Space on the file system that holds `path`, in bytes: total, free, and free for users other than root. */
  space(path: string): { total: number; free: number; available: number };
  /** The path with all symlinks resolved. */
  realpath(path: string): string;
  /**
   * The path with all symlinks resolved, for a change of what it leads to; it may end at missing names.
   *
   * @throws {ForeignLinkError} if such a change would be refused
   */
  placeOf(path: string): string;
}

/** What writes must survive: a loss of power, or only the end of the process. */
export type Durability = "power" | "process";

/** Returns the same file system for `"power"`; for `"process"`, one that leaves syncing to the operating system. */
export function durableFiles(fs: FileSystem, durability: Durability): FileSystem {
  if (durability === "power") return fs;
  return {
    ...fs,
    write: (path, data, { sync: _, ...options } = {}) => fs.write(path, data, options),
    remove: (path, { sync: _, ...options } = {}) => fs.remove(path, options),
    sync: () => Promise.resolve(),
  };
}
