/**
 * Small files of state: keys, configuration, process files. Synchronous on purpose: between a look and a write no other
 * request can come in, so the key directories need no locks. What is large is streamed elsewhere.
 *
 * Every method throws {@link SystemError} with the system's `errno` and the path in its message.
 */
export interface FileStat {
  kind: "file" | "directory" | "symlink" | "socket" | "fifo" | "block" | "character" | "other";
  /** Bytes. */
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
  /** Number of the device that a block or character file stands for, as the system packs major and minor into it. */
  rdev: number;
  nlink: number;
}

export interface WriteOptions {
  /** Permission bits of the new file; the umask does not apply. @default 0o600 */
  mode?: number;
  /**
   * `"replace"`: the new content appears whole under its name or not at all. `"create"`: `EEXIST` if the name is taken.
   * @default "replace"
   */
  how?: "replace" | "create";
  /**
   * When it returns, the content and its name outlive a loss of power. It holds up the event loop while the disk works: for
   * what is written rarely, such as keys. @default false
   */
  sync?: boolean;
}

/** A file that is written piece by piece while other work goes on. */
export interface FileWriter {
  /** Writes at `offset`, growing the file. `data` MUST NOT be changed before it is done. */
  write(offset: number, data: Uint8Array): Promise<void>;
  /** To be called once, with no write under way. */
  close(): Promise<void>;
}

export interface FileSystem {
  read(path: string): Uint8Array;
  /** UTF-8. */
  readText(path: string): string;
  write(path: string, data: Uint8Array | string, options?: WriteOptions): void;
  /** `length` bytes from `offset`; fewer at the end of the file. */
  readAt(path: string, offset: number, length: number): Uint8Array;
  /** Writes at `offset`, growing the file; creates it. */
  writeAt(path: string, offset: number, data: Uint8Array, options?: { truncate?: boolean; mode?: number }): void;
  /** Opens a file that is there, for what is large: what it writes does not hold up the event loop. */
  writer(path: string): Promise<FileWriter>;
  /**
   * Adds to the end in one go, so that what several processes add stays whole; creates the file. A link is followed.
   *
   * @param mode of a new file, default 0o600
   */
  append(path: string, data: Uint8Array | string, mode?: number): void;
  /** Names in a directory, in code point order; without `.` and `..`. */
  list(path: string): string[];
  /** Undefined if there is nothing there. Follows symlinks unless told otherwise. */
  stat(path: string, options?: { follow?: boolean }): FileStat | undefined;
  /** Makes the directory and its parents; harmless if it is there. @param mode of what is made, default 0o755 */
  mkdir(path: string, mode?: number): void;
  /** Harmless if it is not there. @param options with `sync`, it stays removed after a loss of power; it blocks as in `write` */
  remove(path: string, options?: { recursive?: boolean; sync?: boolean }): void;
  /**
   * Resolves once the content of a file, or the names in a directory, as they were when it was called would outlive a loss of
   * power. Without that, either may be lost, torn or empty then. Harmless if there is nothing there. Does not hold up the
   * event loop.
   */
  sync(path: string): Promise<void>;
  rename(from: string, to: string): void;
  chmod(path: string, mode: number): void;
  /** A number of -1 leaves that half as it is. Follows symlinks unless told otherwise. */
  chown(path: string, uid: number, gid: number, options?: { follow?: boolean }): void;
  readlink(path: string): string;
  symlink(target: string, path: string): void;
  /** Gives the file `existing` a second name. */
  link(existing: string, path: string): void;
  /** Cuts the file to so many bytes, or fills it up with zeros. */
  truncate(path: string, length: number): void;
  /** True if this process may do that with the file, links followed. */
  access(path: string, what: "exist" | "read" | "write" | "execute"): boolean;
  /** Sets access and modification times, in milliseconds. */
  utimes(path: string, atimeMs: number, mtimeMs: number): void;
  /** Room on the file system that holds `path`, in bytes: in all, free, and free for users other than root. */
  space(path: string): { total: number; free: number; available: number };
  /** With symlinks resolved. */
  realpath(path: string): string;
}

/** What writes are to outlive: the end of the process, or of the machine. */
export type Durability = "power" | "process";

/** The same file system; for `"process"`, what it is asked to sync is left to the system, as the rest is. */
export function durableFiles(fs: FileSystem, durability: Durability): FileSystem {
  if (durability === "power") return fs;
  return {
    ...fs,
    write: (path, data, { sync: _, ...options } = {}) => fs.write(path, data, options),
    remove: (path, { sync: _, ...options } = {}) => fs.remove(path, options),
    sync: () => Promise.resolve(),
  };
}
