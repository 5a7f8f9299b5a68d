import { SystemError } from "../../../base/errors.ts";
import type { JobContext } from "../../../model/loader/family.ts";
import { CommandExecutionError, InvalidArgumentsError, SaltInvocationError } from "../../../model/loader/family.ts";
import { isInteger, str, toFloat, truthy, typeName } from "../../../language/python/values.ts";
import { ForeignLinkError } from "../../../runtime/foreign_links.ts";
import type { FileStat, FileSystem } from "../../../runtime/fs.ts";
import { type AccountHost, findAccount, findGroup, ownerNames } from "../../../runtime/accounts.ts";
import { exists, expandUser, lookAt, realPath } from "../../linux/paths.ts";
import { osError, pythonError, withOsErrors } from "../../python_errors.ts";
import { hashFile } from "./hash.ts";

/** A path as functions of `file` take it: `~` stands for a home directory. */
export function pathOf(context: JobContext, path: unknown): string {
  if (typeof path !== "string") {
    throw new InvalidArgumentsError(`expected str, bytes or os.PathLike object, not ${typeName(path)}`);
  }
  return expandUser(context.runtime, path);
}

/** {@link pathOf} that must be absolute. */
export function absoluteOf(context: JobContext, path: unknown, complaint: string): string {
  const full = pathOf(context, path);
  if (!full.startsWith("/")) throw new SaltInvocationError(complaint);
  return full;
}

const NORMAL_MODE = /^0[1-7][0-7]{2}$/;

/** A mode as text of at least four digits, as modules compare it. */
export function normalizeMode(mode: unknown): string | null {
  if (mode === null || mode === undefined) return null;
  const given = str(mode);
  if (NORMAL_MODE.test(given)) return given;
  const text = given.replaceAll("0o", "0").replace(/^"+|"+$/g, "").replace(/^'+|'+$/g, "");
  return text.replace(/^0+/, "").padStart(4, "0");
}

/** Why a mode cannot be set; undefined if it can, or if there is none. */
export function modeComplaint(mode: unknown): string | undefined {
  const text = normalizeMode(mode);
  if (text === null || /^[0-7]{4}$/.test(text)) return undefined;
  return `Mode '${str(mode)}' is not valid: expected digits from 0 to 7, such as 0644`;
}

/** The kinds of files, as functions name them. */
const TYPES: Record<FileStat["kind"], string> = {
  file: "file",
  directory: "dir",
  symlink: "link",
  socket: "socket",
  fifo: "pipe",
  block: "block",
  character: "char",
  other: "file",
};
/** The bits of a mode that encode the type. */
const KIND_BITS: Record<FileStat["kind"], number> = {
  file: 0o100000,
  directory: 0o040000,
  symlink: 0o120000,
  socket: 0o140000,
  fifo: 0o010000,
  block: 0o060000,
  character: 0o020000,
  other: 0,
};

const seconds = (ms: number) => toFloat(ms / 1000);

interface Stats {
  inode: number;
  uid: number;
  gid: number;
  group: string | number;
  user: string | number;
  atime: unknown;
  mtime: unknown;
  ctime: unknown;
  size: number;
  mode: string;
  sum?: string;
  type: string;
  target: string;
}

/** Who owns a file, its mode and its type; the names of user and group are looked up when they are read. */
export type FilePermissions = Readonly<Pick<Stats, "uid" | "gid" | "group" | "user" | "mode" | "type">>;

/**
 * The part of {@link stats} that states look at most: it costs one look at the file.
 *
 * @param known what the caller has seen there
 */
export function permissions(context: JobContext, path: string, follow: boolean, known?: FileStat): FilePermissions {
  return new PermissionsOf(context.runtime, known ?? statusOf(context.runtime.fs, path, follow));
}

function statusOf(fs: FileSystem, path: string, follow: boolean): FileStat {
  const stat = lookAt(fs, path, { follow }) ?? lookAt(fs, path, { follow: false });
  if (stat === undefined) throw new CommandExecutionError(`Path not found: ${path}`);
  return stat;
}

class PermissionsOf implements FilePermissions {
  readonly uid: number;
  readonly gid: number;
  readonly mode: string;
  readonly type: string;
  readonly #host: AccountHost;
  #names: ReturnType<typeof ownerNames> | undefined;

  constructor(host: AccountHost, { uid, gid, mode, kind }: FileStat) {
    this.uid = uid;
    this.gid = gid;
    this.mode = mode.toString(8).padStart(4, "0");
    this.type = TYPES[kind];
    this.#host = host;
  }

  get user() {
    return (this.#names ??= ownerNames(this.#host, this)).user;
  }

  get group() {
    return (this.#names ??= ownerNames(this.#host, this)).group;
  }
}

export function stats(context: JobContext, given: unknown, hashType: unknown = null, follow: unknown = true): Stats {
  const { fs } = context.runtime;
  const path = pathOf(context, given);
  const stat = statusOf(fs, path, truthy(follow));
  const { uid, gid, group, user, mode, type } = new PermissionsOf(context.runtime, stat);
  return {
    inode: stat.ino,
    uid,
    gid,
    group,
    user,
    atime: seconds(stat.atimeMs),
    mtime: seconds(stat.mtimeMs),
    ctime: seconds(stat.ctimeMs),
    size: stat.size,
    mode,
    ...(truthy(hashType) ? { sum: hashFile(context, path, str(hashType)) } : {}),
    type,
    target: realPath(context.runtime, path),
  };
}

export function lstat(context: JobContext, given: unknown): Record<string, unknown> {
  const stat = lookAt(context.runtime.fs, absoluteOf(context, given, "Path to file must be absolute."), {
    follow: false,
  });
  if (stat === undefined) return {};
  return {
    st_atime: seconds(stat.atimeMs),
    st_ctime: seconds(stat.ctimeMs),
    st_gid: stat.gid,
    st_mode: KIND_BITS[stat.kind] | stat.mode,
    st_mtime: seconds(stat.mtimeMs),
    st_nlink: stat.nlink,
    st_size: stat.size,
    st_uid: stat.uid,
  };
}

export function userToUid(context: JobContext, user: unknown): number | bigint | "" {
  const name = user ?? context.runtime.host.user().name;
  if (isInteger(name)) return name;
  return findAccount(context.runtime, str(name))?.uid ?? "";
}

export function groupToGid(context: JobContext, group: unknown): number | bigint | "" {
  if (group === null || group === undefined) return "";
  if (isInteger(group)) return group;
  return findGroup(context.runtime, str(group))?.gid ?? "";
}

export function uidToUser(context: JobContext, uid: unknown): unknown {
  if (!isInteger(uid)) throw new InvalidArgumentsError(`uid should be integer, not ${typeName(uid)}`);
  return findAccount(context.runtime, Number(uid))?.name ?? uid;
}

export function gidToGroup(context: JobContext, gid: unknown): unknown {
  const number = isInteger(gid) ? gid : /^\s*[+-]?\d+\s*$/.test(str(gid)) ? Number(gid) : groupToGid(context, gid);
  if (number === "") return "";
  return findGroup(context.runtime, Number(number))?.name ?? number;
}

/** The ids of users and groups, with an error message for each unknown one; -1 if omitted. */
function owners(context: JobContext, user: unknown, group: unknown) {
  let [uid, gid] = [userToUid(context, user), groupToGid(context, group)];
  let complaint = "";
  if (uid === "") {
    if (truthy(user)) complaint += "User does not exist\n";
    else uid = -1;
  }
  if (gid === "") {
    if (truthy(group)) complaint += "Group does not exist\n";
    else gid = -1;
  }
  return { uid, gid, complaint };
}

function changeOwner(context: JobContext, path: string, uid: unknown, gid: unknown, follow: boolean): null {
  for (const [name, id] of [["uid", uid], ["gid", gid]] as const) {
    if (!isInteger(id)) throw new InvalidArgumentsError(`${name} should be integer, not ${typeName(id)}`);
  }
  withOsErrors(path, () => context.runtime.fs.chown(path, Number(uid), Number(gid), { follow }));
  return null;
}

/** Changes the owner of a file. @returns null, or an error message */
export function chown(
  context: JobContext,
  given: unknown,
  user: unknown,
  group: unknown,
  follow = true,
): string | null {
  const path = pathOf(context, given);
  const { uid, gid, complaint } = owners(context, user, group);
  let text = complaint;
  if (!exists(context.runtime.fs, path)) {
    try {
      // A broken link has an owner of its own.
      return changeOwner(context, path, uid, gid, false);
    } catch (error) {
      if (error instanceof InvalidArgumentsError) throw error;
      text += "File not found";
    }
  }
  return text === "" ? changeOwner(context, path, uid, gid, follow) : text;
}

export function lchown(context: JobContext, given: unknown, user: unknown, group: unknown): null {
  const { uid, gid } = owners(context, user, group);
  return changeOwner(context, pathOf(context, given), uid, gid, false);
}

/** @param follow false for a path that must not have become a link since it was looked at */
export function setMode(context: JobContext, given: unknown, mode: unknown, follow = true): string {
  const { fs } = context.runtime;
  const path = pathOf(context, given);
  const text = str(mode).replace(/^[0Oo]+/, "") || "0";
  if (!exists(fs, path)) throw new CommandExecutionError(`${path}: File not found`);
  if (!/^[0-7]+$/.test(text)) return `Invalid Mode ${text}`;
  try {
    fs.chmod(path, parseInt(text, 8), { follow });
  } catch (error) {
    if (error instanceof ForeignLinkError) throw osError(error, path);
    if (error instanceof SystemError) return `Invalid Mode ${text}`;
    throw error;
  }
  return stats(context, path).mode;
}

/** The ways to ask of a right, by letter and by Python's number. */
const ACCESS = { f: "exist", r: "read", w: "write", x: "execute" } as const;
const ACCESS_NUMBERS = ["exist", "execute", "write", undefined, "read"] as const;

export function access(context: JobContext, given: unknown, mode: unknown): boolean {
  const path = absoluteOf(context, given, "Path to link must be absolute.");
  const what = typeof mode === "string" && Object.hasOwn(ACCESS, mode)
    ? ACCESS[mode as keyof typeof ACCESS]
    : isInteger(mode) || typeof mode === "boolean"
    ? ACCESS_NUMBERS[Number(mode)]
    : undefined;
  if (what === undefined) throw new SaltInvocationError("Invalid mode specified.");
  return context.runtime.fs.access(path, what);
}

/** True for a file of this type; links are followed, and a missing file has no type. */
export function isKind(context: JobContext, given: unknown, kind: FileStat["kind"]): boolean {
  const path = pathOf(context, given);
  try {
    return context.runtime.fs.stat(path)?.kind === kind;
  } catch (error) {
    throw osError(error, path);
  }
}

/** Major and minor number of the device that a file stands for; zeros for any other file. */
export function deviceNumbers(context: JobContext, given: unknown): [number, number] {
  const stat = lookAt(context.runtime.fs, pathOf(context, given));
  if (stat === undefined || (stat.kind !== "block" && stat.kind !== "character")) return [0, 0];
  const rdev = BigInt(stat.rdev);
  const major = ((rdev >> 8n) & 0xfffn) | ((rdev >> 32n) & ~0xfffn);
  const minor = (rdev & 0xffn) | ((rdev >> 12n) & ~0xffn & 0xffffffffn);
  return [Number(major), Number(minor)];
}

/** A whole number, given as one or as its digits. */
export function wholeNumberOf(value: unknown): number {
  if (isInteger(value) || typeof value === "boolean") return Number(value);
  if (typeof value === "string" && /^\s*[+-]?\d+\s*$/.test(value)) return Number(value);
  if (typeof value === "string") {
    throw pythonError("ValueError", `invalid literal for int() with base 10: '${value}'`);
  }
  if (value instanceof Number || typeof value === "number") return Math.trunc(Number(value));
  throw new InvalidArgumentsError(
    `int() argument must be a string, a bytes-like object or a real number, not '${typeName(value)}'`,
  );
}
