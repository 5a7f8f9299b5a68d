import type { Stats } from "node:fs";
import { SystemError } from "../../errors.ts";
import type { FileStat, FileSystem } from "../fs.ts";
import { builtin } from "./builtin.ts";

const fs = builtin("node:fs");
const path = builtin("node:path");
const { randomUUID } = builtin("node:crypto");

const REMEDY: Record<string, string> = {
  EACCES: ": permission denied; run as its owner or change its mode",
  EPERM: ": not permitted for this user",
  ENOENT: ": no such file or directory",
  EEXIST: ": it exists already",
  ENOSPC: ": no space left on the device",
  EROFS: ": the file system is read-only",
  ENOTDIR: ": a part of the path is not a directory",
  EISDIR: ": it is a directory",
  EMFILE: ": too many open files; raise the limit (ulimit -n)",
};

function guard<T>(doing: string, file: string, call: () => T): T {
  try {
    return call();
  } catch (error) {
    if (error instanceof SystemError) throw error;
    const errno = (error as NodeJS.ErrnoException).code ?? "EIO";
    throw new SystemError(errno, `Cannot ${doing} "${file}"${REMEDY[errno] ?? `: ${errno}`}`, {
      path: file,
      cause: error,
    });
  }
}

/** {@link guard} for asynchronous calls. */
function later<T>(
  doing: string,
  file: string,
  call: (done: (error: Error | null, value: T) => void) => void,
): Promise<T> {
  return new Promise((resolve, reject) => {
    call((error, value) => {
      if (error === null) return resolve(value);
      try {
        guard(doing, file, () => {
          throw error;
        });
      } catch (explained) {
        reject(explained);
      }
    });
  });
}

function kindOf(stat: Stats): FileStat["kind"] {
  if (stat.isFile()) return "file";
  if (stat.isDirectory()) return "directory";
  if (stat.isSymbolicLink()) return "symlink";
  if (stat.isSocket()) return "socket";
  if (stat.isFIFO()) return "fifo";
  if (stat.isBlockDevice()) return "block";
  if (stat.isCharacterDevice()) return "character";
  return "other";
}

const ACCESS = {
  exist: fs.constants.F_OK,
  read: fs.constants.R_OK,
  write: fs.constants.W_OK,
  execute: fs.constants.X_OK,
} as const;

const ENDLESS: Readonly<Partial<Record<FileStat["kind"], string>>> = {
  fifo: "a named pipe",
  socket: "a socket",
  character: "a character device",
  other: "no file",
};

/** Opens a file, does something with it, and closes it; without waiting for the writer of a pipe, which is refused. */
function reading<T>(file: string, use: (fd: number, stat: Stats) => T): T {
  const { O_RDONLY, O_NONBLOCK } = fs.constants;
  const fd = fs.openSync(file, O_RDONLY | O_NONBLOCK);
  try {
    const stat = fs.fstatSync(fd);
    const what = ENDLESS[kindOf(stat)];
    if (what !== undefined) {
      throw new SystemError("EINVAL", `Cannot read "${file}": it is ${what}; expected a regular file`, { path: file });
    }
    return use(fd, stat);
  } finally {
    fs.closeSync(fd);
  }
}

/** Not `recursive: true`: Node retries forever where the system refuses with ENOENT, as below /proc. */
function makeParents(directory: string): void {
  if (fs.statSync(directory, { throwIfNoEntry: false })?.isDirectory()) return;
  if (path.dirname(directory) !== directory) makeParents(path.dirname(directory));
  try {
    fs.mkdirSync(directory);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
}

/** Ignores the error of a system that cannot sync the names in a directory: it writes them at once. */
function noNames(error: Error | null): Error | null {
  return ["EINVAL", "EISDIR", "EPERM", "ENOTSUP"].includes((error as NodeJS.ErrnoException | null)?.code ?? "")
    ? null
    : error;
}

/** Waits until the names in a directory would survive a loss of power. */
function syncNames(directory: string): void {
  const fd = fs.openSync(directory, fs.constants.O_RDONLY);
  try {
    fs.fsyncSync(fd);
  } catch (error) {
    if (noNames(error as Error) !== null) throw error;
  } finally {
    fs.closeSync(fd);
  }
}

/** False if there was nothing to remove. */
function unlink(file: string): boolean {
  try {
    fs.unlinkSync(file);
  } catch (error) {
    const errno = (error as NodeJS.ErrnoException).code;
    if (errno === "ENOENT") return false;
    if (errno !== "EISDIR" && errno !== "EPERM") throw error;
    fs.rmdirSync(file);
  }
  return true;
}

/** Through a descriptor: a path that becomes a link meanwhile is not followed. */
function chmodItself(file: string, mode: number): void {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = fs.constants;
  const fd = fs.openSync(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  try {
    fs.fchmodSync(fd, mode);
  } finally {
    fs.closeSync(fd);
  }
}

/** Writes a whole file, so that a reader finds either the old content or the new one. */
function writeWhole(file: string, data: Uint8Array | string, options: Parameters<FileSystem["write"]>[2]): void {
  const { mode = 0o600, how = "replace", sync = false, owner } = options ?? {};
  // In the target's directory, so that the rename cannot cross file systems. The name is random: a file that a crash left
  // behind must not block the next process, which in a container has the same pid. It is short: the
  // file's own name may already have the maximum length.
  const temporary = how === "create" ? file : path.join(path.dirname(file), `.${randomUUID()}.tmp`);
  const fd = fs.openSync(temporary, "wx", mode);
  try {
    fs.fchmodSync(fd, owner === undefined ? mode : 0o600);
    fs.writeFileSync(fd, data);
    if (owner !== undefined) {
      fs.fchownSync(fd, owner.uid, owner.gid);
      // Last: a change of the owner clears the set-user bits.
      fs.fchmodSync(fd, mode);
    }
    if (sync) fs.fsyncSync(fd);
  } catch (error) {
    fs.closeSync(fd);
    fs.rmSync(temporary, { force: true });
    throw error;
  }
  fs.closeSync(fd);
  if (how === "replace") {
    try {
      fs.renameSync(temporary, file);
    } catch (error) {
      fs.rmSync(temporary, { force: true });
      throw error;
    }
  }
  if (sync) syncNames(path.dirname(file));
}

/** Bytes that are read of a file whose size says nothing: those of `/proc` say that they are empty. */
const UNKNOWN_SIZE = 4096;

/** At most `length` bytes from an offset on; fewer where the file ends. */
function readRange(file: string, offset: number, length: number): Uint8Array {
  return reading(file, (fd, { size }) => {
    // Callers ask for large pieces of files that are mostly small: memory is taken for what is there.
    // One more, so that the end is seen without more room.
    let buffer = new Uint8Array(Math.min(length, size === 0 ? UNKNOWN_SIZE : Math.max(size - offset + 1, 1)));
    let got = 0;
    while (got < length) {
      if (got === buffer.length) {
        const longer = new Uint8Array(Math.min(length, 2 * got));
        longer.set(buffer);
        buffer = longer;
      }
      const read = fs.readSync(fd, buffer, got, buffer.length - got, offset + got);
      got += read;
      // A file that says its size gives less only at its end.
      if (read === 0 || (size > 0 && got < buffer.length && offset + got >= size)) break;
    }
    return buffer.subarray(0, got);
  });
}

function writeRange(
  file: string,
  offset: number,
  data: Uint8Array,
  options: Parameters<FileSystem["writeAt"]>[3],
): void {
  const { truncate = false, mode = 0o600, only } = options ?? {};
  // Before it is known that it is the right file, nothing is cut.
  const cut = truncate && only === undefined ? fs.constants.O_TRUNC : 0;
  const fd = fs.openSync(file, fs.constants.O_WRONLY | fs.constants.O_CREAT | cut, mode);
  try {
    if (only !== undefined) {
      const { dev, ino, size } = fs.fstatSync(fd);
      if (dev !== only.dev || ino !== only.ino) {
        throw new SystemError("ESTALE", `Cannot write "${file}": another file has taken its place`, { path: file });
      }
      if (truncate && size > 0) fs.ftruncateSync(fd, 0);
    }
    let put = 0;
    while (put < data.length) put += fs.writeSync(fd, data, put, data.length - put, offset + put);
  } finally {
    fs.closeSync(fd);
  }
}

async function openWriter(file: string): ReturnType<FileSystem["writer"]> {
  const fd = await later<number>("write", file, (done) => fs.open(file, fs.constants.O_WRONLY, done));
  return {
    async write(offset, data) {
      for (let put = 0; put < data.length;) {
        put += await later<number>("write", file, (done) => {
          fs.write(fd, data, put, data.length - put, offset + put, done);
        });
      }
    },
    close: () => later<void>("write", file, (done) => fs.close(fd, (error) => done(error ?? null))),
  };
}

function appendTo(file: string, data: Uint8Array | string, mode: number): void {
  const { O_WRONLY, O_CREAT, O_APPEND, O_NONBLOCK } = fs.constants;
  // Non-blocking: a pipe without a reader would block the process.
  const fd = fs.openSync(file, O_WRONLY | O_CREAT | O_APPEND | O_NONBLOCK, mode);
  try {
    const bytes = typeof data === "string" ? new TextEncoder().encode(data) : data;
    let put = 0;
    while (put < bytes.length) put += fs.writeSync(fd, bytes, put);
  } finally {
    fs.closeSync(fd);
  }
}

function statOf(file: string, follow: boolean): FileStat | undefined {
  let stat: Stats | undefined;
  try {
    stat = (follow ? fs.statSync : fs.lstatSync)(file, { throwIfNoEntry: false });
  } catch (error) {
    // A path below a file does not exist, either; Bun and Deno throw here, Node does not.
    if ((error as NodeJS.ErrnoException).code !== "ENOTDIR") throw error;
  }
  if (stat === undefined) return undefined;
  const { size, uid, gid, mtimeMs, ctimeMs, atimeMs, ino, dev, rdev, nlink } = stat;
  return {
    kind: kindOf(stat),
    size,
    mode: stat.mode & 0o7777,
    uid,
    gid,
    mtimeMs,
    ctimeMs,
    atimeMs,
    ino,
    dev,
    rdev,
    nlink,
  };
}

function makeDirectory(file: string, mode: number): void {
  // `mode` is for the requested directory; its parents get the default.
  if (fs.statSync(file, { throwIfNoEntry: false })?.isDirectory()) return;
  makeParents(path.dirname(file));
  try {
    fs.mkdirSync(file, mode);
    fs.chmodSync(file, mode);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST" || !fs.statSync(file).isDirectory()) throw error;
  }
}

/** Waits until a file, or the names in a directory, would survive a loss of power. */
async function syncFile(file: string): Promise<void> {
  let fd: number;
  try {
    // At once: on the way through another thread, a file that is there takes ten times as long to open, before each sync.
    fd = guard("sync", file, () => fs.openSync(file, fs.constants.O_RDONLY));
  } catch (error) {
    if ((error as SystemError).errno === "ENOENT") return;
    throw error;
  }
  try {
    await later<void>("sync", file, (done) => fs.fsync(fd, (error) => done(noNames(error))));
  } finally {
    fs.closeSync(fd);
  }
}

function changeOwner(file: string, uid: number, gid: number, follow: boolean): void {
  const change = follow ? fs.chownSync : fs.lchownSync;
  if (uid !== -1 && gid !== -1) return change(file, uid, gid);
  // Deno does not accept -1.
  const stat = (follow ? fs.statSync : fs.lstatSync)(file);
  change(file, uid === -1 ? stat.uid : uid, gid === -1 ? stat.gid : gid);
}

function mayAccess(file: string, what: Parameters<FileSystem["access"]>[1]): boolean {
  try {
    fs.accessSync(file, ACCESS[what]);
    // Deno checks the link itself.
    return fs.statSync(file, { throwIfNoEntry: false }) !== undefined;
  } catch {
    // Any error means no access.
    return false;
  }
}

/** The file system of the machine, over `node:fs`. */
export function nodeFileSystem(): FileSystem {
  return {
    read: (file) => guard("read", file, () => reading(file, (fd) => fs.readFileSync(fd))),
    readText: (file) => guard("read", file, () => reading(file, (fd) => fs.readFileSync(fd, "utf8"))),
    write: (file, data, options) => guard("write", file, () => writeWhole(file, data, options)),
    readAt: (file, offset, length) => guard("read", file, () => readRange(file, offset, length)),
    writeAt: (file, offset, data, options) => guard("write", file, () => writeRange(file, offset, data, options)),
    writer: openWriter,
    append: (file, data, mode = 0o600) => guard("write", file, () => appendTo(file, data, mode)),
    list: (file) => guard("list", file, () => fs.readdirSync(file).sort()),
    stat: (file, { follow = true } = {}) => guard("look at", file, () => statOf(file, follow)),
    mkdir: (file, mode = 0o755) => guard("make the directory", file, () => makeDirectory(file, mode)),
    remove: (file, { recursive = false, sync = false } = {}) =>
      guard("remove", file, () => {
        if (recursive) fs.rmSync(file, { recursive, force: true });
        else if (!unlink(file)) return;
        if (sync) syncNames(path.dirname(file));
      }),
    sync: syncFile,
    rename: (from, to) => guard("rename", from, () => fs.renameSync(from, to)),
    chmod: (file, mode, { follow = true } = {}) =>
      guard("change the mode of", file, () => follow ? fs.chmodSync(file, mode) : chmodItself(file, mode)),
    chown: (file, uid, gid, { follow = true } = {}) =>
      guard("change the owner of", file, () => changeOwner(file, uid, gid, follow)),
    space: (file) =>
      guard("look at the file system of", file, () => {
        const { bsize, blocks, bfree, bavail } = fs.statfsSync(file);
        return { total: bsize * blocks, free: bsize * bfree, available: bsize * bavail };
      }),
    readlink: (file) => guard("read the link", file, () => fs.readlinkSync(file)),
    symlink: (target, file) => guard("make the link", file, () => fs.symlinkSync(target, file)),
    link: (existing, file) => guard("make the link", file, () => fs.linkSync(existing, file)),
    truncate: (file, length) => guard("truncate", file, () => fs.truncateSync(file, length)),
    access: mayAccess,
    utimes: (file, atimeMs, mtimeMs) =>
      guard("set the times of", file, () => fs.utimesSync(file, atimeMs / 1000, mtimeMs / 1000)),
    realpath: (file) => guard("resolve", file, () => fs.realpathSync.native(file)),
  };
}
