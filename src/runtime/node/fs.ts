import type { Stats } from "node:fs";
import { SystemError } from "../../base/errors.ts";
import type { FileAppender, FileStat, FileSystem, WriteOptions } from "../fs.ts";
import { builtin, randomUuid } from "./builtin.ts";
import { directoryOf, fs } from "./byte_names.ts";
import { descriptorsHaveNames, inPlace, type Place, realPlace, type SystemCalls } from "./place.ts";

/** Copies all attributes except those that the caller sets. With `all`, it is no failure if the file system or kernel lacks some. */
const OPTIONS = ["--attributes-only", "--preserve=all", "--no-preserve=timestamps,ownership,links"];

/** How long `cp` may take, in milliseconds: on a network file system without its server it would hang. */
const MAX_MS = 5000;

/**
 * Gives one open file the access control list, the extended attributes and the SELinux label of another, and its mode. Node has no
 * calls for these; `cp` of GNU has. Without it they are left out.
 */
function takeAttributes(from: number, to: number): void {
  builtin("node:child_process").spawnSync(
    "cp",
    [...OPTIONS, "/proc/self/fd/0", "/proc/self/fd/1"],
    // Passes descriptors and not names: another file may have taken one of the names by now.
    { stdio: [from, to, "ignore"], timeout: MAX_MS, killSignal: "SIGKILL" },
  );
}

/** The most bytes that are read at once: a larger file is read in pieces, so that its size alone reserves no memory. */
const MAX_BYTES_AT_ONCE = 16 * 1024 * 1024;
const QUIETLY = { throwIfNoEntry: false } as const;

type Owner = NonNullable<WriteOptions["owner"]>;
/** Copies attributes that only a program can copy from one open file to another: see {@link takeAttributes}. */
type TakeAttributes = (from: number, to: number) => void;

const REMEDY: Record<string, string> = {
  EACCES: ": permission denied; run as its owner or change its mode",
  EPERM: ": not permitted for this user, or by an attribute of the file or its directory (see lsattr)",
  ENOENT: ": no such file or directory",
  EEXIST: ": it exists",
  ENOSPC: ": no space left on the device",
  EROFS: ": the file system is read-only",
  ENOTDIR: ": a part of the path is not a directory",
  EISDIR: ": it is a directory",
  EMFILE: ": too many open files; raise the limit (ulimit -n)",
  ELOOP: ": the path is a link, or its links form a loop",
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

/** Opens a file, calls `use` and closes the file. A pipe is refused, without waiting for its writer. */
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

/** The content of an open file, without a second `fstat`. Of a file that grows meanwhile, only the first `size` bytes are read, as Node does. */
function readAll(fd: number, { size }: Stats): Uint8Array {
  if (size === 0 || size > MAX_BYTES_AT_ONCE) return fs.readFileSync(fd);
  const bytes = new Uint8Array(size);
  for (let got = 0; got < size;) {
    const more = fs.readSync(fd, bytes, got, size - got, null);
    if (more === 0) return bytes.subarray(0, got);
    got += more;
  }
  return bytes;
}

/** Makes missing parent directories one by one: with `recursive: true`, Node retries forever where the system refuses with ENOENT, as below /proc. */
function makeParents(directory: string): void {
  if (fs.statSync(directory, QUIETLY)?.isDirectory()) return;
  if (directoryOf(directory) !== directory) makeParents(directoryOf(directory));
  try {
    inPlace(directory, false, (place) => fs.mkdirSync(place.path));
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

/** Removes a file or link; false if there was none. */
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

/** Removes a directory with all that is below it. A link that takes the place of a directory meanwhile is removed itself. */
function removeTree(file: string): void {
  try {
    unlink(file);
    return;
  } catch (error) {
    if (!["ENOTEMPTY", "EEXIST"].includes((error as NodeJS.ErrnoException).code ?? "")) throw error;
  }
  const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW } = fs.constants;
  const fd = fs.openSync(file, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  try {
    const directory = `/proc/self/fd/${fd}`;
    for (const name of fs.readdirSync(directory)) removeTree(`${directory}/${name}`);
  } finally {
    fs.closeSync(fd);
  }
  fs.rmdirSync(file);
}

function removePath(file: string, { recursive = false, sync = false }: { recursive?: boolean; sync?: boolean }): void {
  try {
    inPlace(file, false, (place) => {
      if (!recursive) {
        if (!unlink(place.path)) return;
      } else if (descriptorsHaveNames()) removeTree(place.path);
      else fs.rmSync(place.path, { recursive, force: true });
      if (sync) syncNames(directoryOf(place.path));
    });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
}

/** Sets the mode through a descriptor, so that a path that becomes a link meanwhile is not followed. */
function chmodItself(file: string, mode: number): void {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = fs.constants;
  const fd = fs.openSync(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  try {
    fs.fchmodSync(fd, mode);
  } finally {
    fs.closeSync(fd);
  }
}

/** Sets an owner or a mode. A refusal is ignored if the value is already right: some file systems have one owner and one mode for all files. */
function orAlready(set: () => void, look: () => Stats, isSo: (stat: Stats) => boolean): void {
  try {
    set();
  } catch (error) {
    if (!isSo(look())) throw error;
  }
}

/** Sets the owner and mode of a written file, and syncs it. */
function finish(fd: number, { mode, owner, sync }: { mode: number; owner?: Owner | undefined; sync: boolean }): void {
  const look = () => fs.fstatSync(fd);
  if (owner !== undefined) {
    const isTheirs = ({ uid, gid }: Stats) => uid === owner.uid && gid === owner.gid;
    orAlready(() => fs.fchownSync(fd, owner.uid, owner.gid), look, isTheirs);
  }
  // The mode is set after the owner: a change of the owner clears the set-user bits.
  orAlready(() => fs.fchmodSync(fd, mode), look, (stat) => (stat.mode & 0o7777) === mode);
  if (sync) fs.fsyncSync(fd);
}

/** Writes a whole file, so that a reader finds either the old content or the new one. */
function writeWhole(file: string, data: Uint8Array | string, options: WriteOptions, take: TakeAttributes): void {
  const { mode = 0o600, how = "replace", sync = false, owner, like } = options;
  const directory = directoryOf(file);
  // The temporary file is in the target's directory, so that the rename cannot cross file systems. The name is random: a file that a crash left
  // behind must not block the next process, which in a container has the same pid. It is short: the
  // file's own name may already have the maximum length.
  const temporary = how === "create" ? file : `${directory === "/" ? "" : directory}/.${randomUuid()}.tmp`;
  let fd: number;
  try {
    fd = fs.openSync(temporary, "wx", mode);
  } catch (error) {
    if (how === "create" || !standsFirm(error, CLOSED_DIRECTORY, file)) throw error;
    return writeOver(file, data, { mode, owner });
  }
  try {
    if (like !== undefined) takeFrom(like, fd, take);
    setFirstMode(fd, owner === undefined ? mode : 0o600);
    fs.writeFileSync(fd, data);
    finish(fd, { mode, owner, sync });
  } catch (error) {
    fs.closeSync(fd);
    discard(temporary);
    throw error;
  }
  fs.closeSync(fd);
  if (how === "replace") {
    try {
      fs.renameSync(temporary, file);
    } catch (error) {
      discard(temporary);
      const isNew = (error as NodeJS.ErrnoException).code === "EPERM" && fs.lstatSync(file, QUIETLY) === undefined;
      // An append-only directory refuses a rename into it, but new files can be made there.
      if (isNew) return writeWhole(file, data, { ...options, how: "create" }, take);
      if (!standsFirm(error, KEPT_FILE, file)) throw error;
      return writeOver(file, data, { mode, owner });
    }
  }
  if (sync) syncNames(directory);
}

/** Sets the mode that a file has while it is written. */
function setFirstMode(fd: number, mode: number): void {
  try {
    fs.fchmodSync(fd, mode);
  } catch (error) {
    // A failure is ignored on a file system without modes: the final mode decides.
    if (!["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS"].includes((error as NodeJS.ErrnoException).code ?? "")) {
      throw error;
    }
  }
}

/** Gives an open file the attributes of another file, if that file exists. */
function takeFrom(file: string, fd: number, take: TakeAttributes): void {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = fs.constants;
  let from: number;
  try {
    from = fs.openSync(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  } catch {
    // A file that cannot be opened has no attributes to copy: it is missing, a link, or not readable.
    return;
  }
  try {
    if (fs.fstatSync(from).isFile()) take(from, fd);
  } finally {
    fs.closeSync(from);
  }
}

/** Removes a temporary file. An append-only directory does not allow that: then the file is emptied. */
function discard(file: string): void {
  try {
    fs.rmSync(file, { force: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EPERM") throw error;
    fs.truncateSync(file, 0);
  }
}

/**
 * Errors of a rename that mean that the target has to be overwritten: it is a mount point, such as `/etc/hosts` in a container, is on
 * another file system, or is in an append-only directory.
 */
const KEPT_FILE = ["EBUSY", "EXDEV", "EPERM"];
/** Errors that mean that no temporary file can be made in the directory. */
const CLOSED_DIRECTORY = ["EACCES", "EPERM", "EROFS"];

/** True if a file can only be overwritten, since the system does not allow to replace it. */
function standsFirm(error: unknown, reasons: readonly string[], file: string): boolean {
  return reasons.includes((error as NodeJS.ErrnoException).code ?? "") &&
    fs.lstatSync(file, QUIETLY)?.isFile() === true;
}

/** Overwrites the content of a file. */
function writeOver(file: string, data: Uint8Array | string, to: { mode: number; owner?: Owner | undefined }): void {
  const { O_WRONLY, O_NOFOLLOW, O_NONBLOCK } = fs.constants;
  const fd = fs.openSync(file, O_WRONLY | O_NOFOLLOW | O_NONBLOCK);
  try {
    putOrKeep(fd, file, typeof data === "string" ? new TextEncoder().encode(data) : data);
    finish(fd, { ...to, sync: true });
  } finally {
    fs.closeSync(fd);
  }
}

/** The most bytes of a file's old content that are held in memory while the file is overwritten. */
const MAX_KEPT_BYTES = 64 * 1024 * 1024;

/** Puts other content into a file; if that fails, as on a full disk, the old content is put back. */
function putOrKeep(fd: number, file: string, data: Uint8Array): void {
  const stat = fs.fstatSync(fd);
  const kept = stat.isFile() && stat.size <= MAX_KEPT_BYTES ? contentOf(file, stat) : undefined;
  try {
    putAt(fd, data, 0);
    if (stat.size > data.length) fs.ftruncateSync(fd, data.length);
  } catch (error) {
    if (kept !== undefined) putWhole(fd, kept);
    throw error;
  }
}

/** The content of a file that is open for writing; undefined if it may not be read, or if another file has the name by now. */
function contentOf(file: string, { ino, dev }: Stats): Uint8Array | undefined {
  try {
    return reading(file, (fd, found) => found.ino === ino && found.dev === dev ? fs.readFileSync(fd) : undefined);
  } catch {
    // A file that cannot be read is written without a copy: its old content cannot be put back.
    return undefined;
  }
}

function putWhole(fd: number, data: Uint8Array): void {
  putAt(fd, data, 0);
  fs.ftruncateSync(fd, data.length);
}

function putAt(fd: number, data: Uint8Array, offset: number): void {
  for (let put = 0; put < data.length;) put += fs.writeSync(fd, data, put, data.length - put, offset + put);
}

/** Moves a file into the place of another one; if the target cannot be replaced, copies the content into it. */
function replaceFile(from: string, to: string): void {
  try {
    fs.renameSync(from, to);
  } catch (error) {
    if (!standsFirm(error, [...KEPT_FILE, ...CLOSED_DIRECTORY], to)) throw error;
    const fd = fs.openSync(from, fs.constants.O_RDONLY | fs.constants.O_NOFOLLOW);
    try {
      const { mode, uid, gid } = fs.fstatSync(fd);
      writeOver(to, fs.readFileSync(fd), { mode: mode & 0o7777, owner: { uid, gid } });
    } finally {
      fs.closeSync(fd);
    }
    discard(from);
  }
}

/** Bytes that are read at first of a file with the size 0: files of `/proc` report that size and have content. */
const UNKNOWN_SIZE = 4096;

/** At most `length` bytes from an offset on; fewer where the file ends. */
function readRange(file: string, offset: number, length: number): Uint8Array {
  return reading(file, (fd, { size }) => {
    // Callers ask for large pieces of files that are mostly small: the buffer is only as large as the file.
    // One byte more, so that the end of the file is seen without growing the buffer.
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
      // A file that reports its size returns fewer bytes only at its end.
      if (read === 0 || (size > 0 && got < buffer.length && offset + got >= size)) break;
    }
    return buffer.subarray(0, got);
  });
}

/** Opens a file for writing; makes it if it is missing. */
function openToWrite(file: Place, mode: number): { fd: number; isNew: boolean } {
  const { O_WRONLY, O_CREAT } = fs.constants;
  try {
    return { fd: fs.openSync(file.path, O_WRONLY | file.flags), isNew: false };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    return { fd: fs.openSync(file.path, O_WRONLY | O_CREAT | file.flags, mode), isNew: true };
  }
}

/** Removes a new file that could not be written. */
function removeNew({ path, flags }: Place): void {
  // A path that the system resolves (flags 0) may end at a link; the link stays.
  const isLink = flags === 0 && fs.lstatSync(path, QUIETLY)?.isSymbolicLink() === true;
  discard(isLink ? fs.realpathSync.native(path) : path);
}

function writeRange(
  file: Place,
  offset: number,
  data: Uint8Array,
  options: Parameters<FileSystem["writeAt"]>[3],
): void {
  const { truncate = false, mode = 0o600 } = options ?? {};
  const { fd, isNew } = openToWrite(file, mode);
  try {
    if (truncate && offset === 0) putOrKeep(fd, file.path, data);
    else {
      if (truncate) fs.ftruncateSync(fd, 0);
      putAt(fd, data, offset);
    }
  } catch (error) {
    if (isNew) removeNew(file);
    throw error;
  } finally {
    fs.closeSync(fd);
  }
}

async function openWriter(file: string): ReturnType<FileSystem["writer"]> {
  const fd = guard("write", file, () => {
    return inPlace(file, true, ({ path, flags }) => fs.openSync(path, fs.constants.O_WRONLY | flags));
  });
  return await Promise.resolve({
    async write(offset: number, data: Uint8Array) {
      for (let put = 0; put < data.length;) {
        put += await later<number>("write", file, (done) => {
          fs.write(fd, data, put, data.length - put, offset + put, done);
        });
      }
    },
    close: () => later<void>("write", file, (done) => fs.close(fd, (error) => done(error ?? null))),
  });
}

const encoder = new TextEncoder();

function openAppender(file: Place, mode: number): FileAppender {
  const { O_WRONLY, O_CREAT, O_APPEND, O_NONBLOCK } = fs.constants;
  // Opens without blocking: a pipe without a reader would block the process.
  const fd = fs.openSync(file.path, O_WRONLY | O_CREAT | O_APPEND | O_NONBLOCK | file.flags, mode);
  return {
    append(data) {
      const bytes = typeof data === "string" ? encoder.encode(data) : data;
      for (let put = 0; put < bytes.length;) put += fs.writeSync(fd, bytes, put);
    },
    close: () => fs.closeSync(fd),
  };
}

function statOf(file: string, follow: boolean): FileStat | undefined {
  let stat: Stats | undefined;
  try {
    stat = (follow ? fs.statSync : fs.lstatSync)(file, QUIETLY);
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
  // `mode` is for the requested directory only; its parents get the default.
  if (fs.statSync(file, QUIETLY)?.isDirectory()) return;
  makeParents(directoryOf(file));
  try {
    inPlace(file, false, (place) => {
      fs.mkdirSync(place.path, mode);
      const set = place.flags === 0 ? fs.chmodSync : chmodItself;
      orAlready(() => set(place.path, mode), () => fs.statSync(place.path), (stat) => (stat.mode & 0o7777) === mode);
    });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST" || !fs.statSync(file).isDirectory()) throw error;
  }
}

/** Waits until a file, or the names in a directory, would survive a loss of power. */
async function syncFile(file: string): Promise<void> {
  let fd: number;
  try {
    // Opens synchronously: through another thread, opening takes ten times as long, before each sync.
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
  // Deno does not accept -1 as a uid or gid.
  const stat = (follow ? fs.statSync : fs.lstatSync)(file);
  change(file, uid === -1 ? stat.uid : uid, gid === -1 ? stat.gid : gid);
}

function mayAccess(file: string, what: Parameters<FileSystem["access"]>[1]): boolean {
  try {
    fs.accessSync(file, ACCESS[what]);
    // Deno checks the link itself.
    return fs.statSync(file, QUIETLY) !== undefined;
  } catch {
    // Any error means no access.
    return false;
  }
}

/** The methods that change a file, or a link itself. */
function changes(calls: SystemCalls | undefined, take: TakeAttributes): Pick<
  FileSystem,
  | "write"
  | "writeAt"
  | "append"
  | "appender"
  | "truncate"
  | "chmod"
  | "chown"
  | "utimes"
  | "symlink"
  | "link"
  | "rename"
  | "replace"
> {
  /** Runs a call on the file that a path leads to, links followed. */
  const at = <T>(doing: string, file: string, call: (place: Place) => T) =>
    guard(doing, file, () => inPlace(file, true, call, calls));
  /** Runs a call on an existing file; `ENOENT` if there is none. */
  const present = (doing: string, file: string, call: (path: string) => void) =>
    at(doing, file, ({ path, vacant }) => {
      if (vacant) throw Object.assign(new Error("ENOENT"), { code: "ENOENT" });
      call(path);
    });
  /** Runs a call on the name itself: a link is not followed. */
  const named = <T>(doing: string, file: string, call: (path: string) => T) =>
    guard(doing, file, () => inPlace(file, false, ({ path }) => call(path), calls));
  const appender = (file: string, mode = 0o600): FileAppender => {
    const { append, close } = at("write", file, (place) => openAppender(place, mode));
    return { append: (data) => guard("write", file, () => append(data)), close };
  };
  return {
    write: (file, data, options = {}) => named("write", file, (path) => writeWhole(path, data, options, take)),
    writeAt: (file, offset, data, options) => at("write", file, (place) => writeRange(place, offset, data, options)),
    append(file, data, mode = 0o600) {
      const opened = appender(file, mode);
      try {
        opened.append(data);
      } finally {
        opened.close();
      }
    },
    appender,
    truncate: (file, length) => present("truncate", file, (path) => fs.truncateSync(path, length)),
    chmod: (file, mode, { follow = true } = {}) =>
      follow
        ? present("change the mode of", file, (path) => fs.chmodSync(path, mode))
        : named("change the mode of", file, (path) => chmodItself(path, mode)),
    chown: (file, uid, gid, { follow = true } = {}) =>
      follow
        ? present("change the owner of", file, (path) => changeOwner(path, uid, gid, true))
        : named("change the owner of", file, (path) => changeOwner(path, uid, gid, false)),
    utimes: (file, atimeMs, mtimeMs) =>
      present("set the times of", file, (path) => fs.utimesSync(path, atimeMs / 1000, mtimeMs / 1000)),
    symlink: (target, file) => named("make the link", file, (path) => fs.symlinkSync(target, path)),
    link: (existing, file) =>
      named("make the link", file, (path) => inPlace(existing, false, (from) => fs.linkSync(from.path, path))),
    rename: (from, to) =>
      named("rename", from, (path) => inPlace(to, false, (target) => fs.renameSync(path, target.path))),
    replace: (from, to) =>
      named("replace", to, (path) => inPlace(from, false, (source) => replaceFile(source.path, path))),
  };
}

/**
 * The file system of the machine, over `node:fs`.
 *
 * @param calls the system calls that find the place of a change, for a test that interferes between them
 * @param take copies attributes. An empty function where descriptors cannot be passed to programs
 */
export function nodeFileSystem(calls?: SystemCalls, take: TakeAttributes = takeAttributes): FileSystem {
  return {
    ...changes(calls, take),
    read: (file) => guard("read", file, () => reading(file, readAll)),
    readText: (file) => guard("read", file, () => reading(file, (fd) => fs.readFileSync(fd, "utf8"))),
    readAt: (file, offset, length) => guard("read", file, () => readRange(file, offset, length)),
    writer: openWriter,
    list: (file) => guard("list", file, () => fs.readdirSync(file).sort()),
    stat: (file, { follow = true } = {}) => guard("look at", file, () => statOf(file, follow)),
    mkdir: (file, mode = 0o755) => guard("make the directory", file, () => makeDirectory(file, mode)),
    remove: (file, options = {}) => guard("remove", file, () => removePath(file, options)),
    sync: syncFile,
    space: (file) =>
      guard("look at the file system of", file, () => {
        const { bsize, blocks, bfree, bavail } = fs.statfsSync(file);
        return { total: bsize * blocks, free: bsize * bfree, available: bsize * bavail };
      }),
    readlink: (file) => guard("read the link", file, () => fs.readlinkSync(file)),
    access: mayAccess,
    realpath: (file) => guard("resolve", file, () => fs.realpathSync.native(file)),
    placeOf: (file) => guard("change", file, () => realPlace(file)),
  };
}
