import { SystemError } from "../../../base/errors.ts";
import { CommandExecutionError, type JobContext, SaltInvocationError } from "../../../model/loader/family.ts";
import { basename, dirname, join, normpath } from "../../../language/python/posixpath.ts";
import { repr, str, truthy } from "../../../language/python/values.ts";
import { ForeignLinkError } from "../../../runtime/foreign_links.ts";
import {
  exists,
  expandVariables,
  isDirectory,
  isFile,
  isLink,
  lookAt,
  realPath,
  walkPaths,
} from "../../linux/paths.ts";
import { osError, osErrorText, pythonError, withOsErrors } from "../../python_errors.ts";
import { overwrite, readBytes } from "./content.ts";
import { checkPerms } from "./perms.ts";
import { copyWithTimes } from "./replace.ts";
import { absoluteOf, lstat, normalizeMode, pathOf, stats, wholeNumberOf } from "./stats.ts";

/** Runs `work`; a system error becomes a failure with the text that `complain` makes of it. */
function orFail<T>(work: () => T, complain: (error: SystemError) => string): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof ForeignLinkError) throw osError(error);
    if (error instanceof SystemError) throw new CommandExecutionError(complain(error), { cause: error });
    if (error instanceof Error && error.message.startsWith("[Errno ")) {
      throw new CommandExecutionError(complain(error.cause instanceof SystemError ? error.cause : asSystem(error)));
    }
    throw error;
  }
}

/** A system error whose message is already Python's. */
function asSystem(error: Error): SystemError {
  return Object.assign(new SystemError("EIO", error.message), { told: error.message });
}

const textOf = (error: SystemError, ...paths: string[]) =>
  "told" in error ? String(error.told) : osErrorText(error, ...paths);

export function link(context: JobContext, source: unknown, path: string): true {
  const from = absoluteOf(context, source, "File path must be absolute.");
  orFail(
    () => context.runtime.fs.link(from, path),
    (error) => `Could not create '${path}': ${textOf(error, from, path)}`,
  );
  return true;
}

export function symlink(context: JobContext, args: Record<string, unknown>): true {
  const { fs, crypto } = context.runtime;
  const source = str(args.src);
  const path = pathOf(context, args.path);
  const [force, atomic] = [truthy(args.force), truthy(args.atomic)];
  if (!path.startsWith("/")) throw new SaltInvocationError(`Link path must be absolute: ${path}`);
  if (isLink(fs, path)) {
    if (normpath(fs.readlink(path)) === normpath(source)) return true;
    if (!force && !atomic) throw new CommandExecutionError(`Found existing symlink: ${path}`);
  }
  const taken = exists(fs, path) || isLink(fs, path);
  if (exists(fs, path) && !force && !atomic) throw new CommandExecutionError(`Existing path is not a symlink: ${path}`);
  if (taken && force && !atomic) {
    if (lookAt(fs, path, { follow: false })?.kind === "directory") {
      throw pythonError("IsADirectoryError", `[Errno 21] Is a directory: ${repr(path)}`);
    }
    withOsErrors(path, () => fs.remove(path));
  }
  const complain = (error: SystemError) => `Could not create '${path}': ${textOf(error, path)}`;
  if (!atomic) {
    orFail(() => fs.symlink(source, path), complain);
    return true;
  }
  const random = Array.from(crypto.randomBytes(4), (byte) => byte.toString(16).padStart(2, "0")).join("");
  const temporary = join(dirname(path), `tmp${random}`);
  orFail(() => {
    fs.symlink(source, temporary);
    try {
      fs.rename(temporary, path);
    } catch (error) {
      fs.remove(temporary);
      throw error;
    }
  }, complain);
  return true;
}

export function readlink(context: JobContext, given: unknown, canonicalize: unknown): string {
  const { fs } = context.runtime;
  const path = expandVariables(context.runtime, pathOf(context, given));
  if (!path.startsWith("/")) throw new SaltInvocationError(`Path to link must be absolute: ${path}`);
  if (!isLink(fs, path)) throw new SaltInvocationError(`A valid link was not specified: ${path}`);
  return truthy(canonicalize) ? realPath(context.runtime, path) : withOsErrors(path, () => fs.readlink(path));
}

/** True if a file has more than one hard link; an empty map, as in real Salt, if it does not exist. */
export function isHardlink(context: JobContext, path: unknown): unknown {
  const stat = lstat(context, path);
  return Object.keys(stat).length === 0 ? stat : Number(stat.st_nlink) > 1;
}

export function rename(context: JobContext, source: unknown, target: unknown): true {
  const from = absoluteOf(context, source, "File path must be absolute.");
  const to = pathOf(context, target);
  orFail(
    () => context.runtime.fs.rename(from, to),
    (error) => `Could not rename '${from}' to '${to}': ${textOf(error, from, to)}`,
  );
  return true;
}

/** Copies the content of a file, but not its owner, mode or times. */
function copyContent(context: JobContext, from: string, to: string): void {
  const { fs } = context.runtime;
  overwrite(context.runtime, to, readBytes(fs, from));
}

/** Copies a directory with everything below it, with modes and times; links are replaced by their targets. */
function copyTree(context: JobContext, from: string, to: string): void {
  const { fs } = context.runtime;
  withOsErrors(to, () => fs.mkdir(to));
  for (const name of fs.list(from)) {
    const [source, target] = [join(from, name), join(to, name)];
    if (isDirectory(fs, source)) copyTree(context, source, target);
    else copyWithTimes(context, source, target);
  }
  const stat = fs.stat(from)!;
  fs.chmod(to, stat.mode);
  fs.utimes(to, stat.atimeMs, stat.mtimeMs);
}

export async function copy(context: JobContext, args: Record<string, unknown>): Promise<true> {
  const { fs } = context.runtime;
  const from = pathOf(context, args.src);
  const to = pathOf(context, args.dst);
  if (!from.startsWith("/")) throw new SaltInvocationError("File path must be absolute.");
  if (!exists(fs, from)) throw new CommandExecutionError(`No such file or directory '${from}'`);
  const { user, group, mode } = stats(context, from);
  orFail(() => {
    if (!isDirectory(fs, from) && !isDirectory(fs, to)) return copyContent(context, from, to);
    if (!truthy(args.recurse)) {
      throw new SaltInvocationError("Cannot copy overwriting a directory without recurse flag set to true!");
    }
    if (truthy(args.remove_existing)) {
      fs.remove(to, { recursive: true });
      return copyTree(context, from, to);
    }
    for (const { path, files } of walkPaths(fs, from)) {
      const target = join(to, path.replaceAll(from, "").replace(/^\/+/, ""));
      fs.mkdir(target);
      for (const name of files) copyContent(context, join(path, name), join(target, name));
    }
  }, (error) => `Could not copy '${from}' to '${to}': ${textOf(error, to)}`);
  await checkPerms(context, to, null, { user, group, mode });
  return true;
}

export function move(context: JobContext, args: Record<string, unknown>): unknown {
  if (truthy(args.disallow_copy_and_unlink)) return rename(context, args.src, args.dst);
  const { fs } = context.runtime;
  const from = absoluteOf(context, args.src, "Source path must be absolute.");
  const to = absoluteOf(context, args.dst, "Destination path must be absolute.");
  const failed = (why: string) => new CommandExecutionError(`Unable to move '${from}' to '${to}': ${why}`);
  let target = to;
  if (isDirectory(fs, to)) {
    target = join(to, basename(from.replace(/\/+$/, "")));
    if (exists(fs, target)) throw failed(`Destination path '${target}' already exists`);
  }
  try {
    fs.rename(from, target);
  } catch (error) {
    if (!(error instanceof SystemError) || error instanceof ForeignLinkError) throw osError(error);
    // Another file system, most likely: then it is a copy. Nothing there is what the copy will complain of.
    const kind = lookAt(fs, from, { follow: false })?.kind;
    if (kind === undefined) throw failed(`[Errno 2] No such file or directory: ${repr(from)}`);
    if (
      isDirectory(fs, from) && `${realPath(context.runtime, target)}/`.startsWith(`${realPath(context.runtime, from)}/`)
    ) {
      throw failed(`Cannot move a directory '${from}' into itself '${to}'.`);
    }
    const isNew = lookAt(fs, target, { follow: false }) === undefined;
    orFail(() => {
      try {
        if (kind === "symlink") fs.symlink(fs.readlink(from), target);
        else if (kind === "directory") copyTree(context, from, target);
        else copyWithTimes(context, from, target);
      } catch (error) {
        if (isNew) fs.remove(target, { recursive: true });
        throw error;
      }
      try {
        fs.remove(from, { recursive: kind === "directory" });
      } catch (error) {
        // Of a directory some may be gone by now: its copy is whole.
        if (isNew && kind !== "directory") fs.remove(target);
        throw error;
      }
    }, (failure) => `Unable to move '${from}' to '${to}': ${textOf(failure, target)}`);
  }
  return { result: true, comment: `'${from}' moved to '${to}'` };
}

export function remove(context: JobContext, given: unknown): boolean {
  const { fs } = context.runtime;
  const path = pathOf(context, given);
  if (!path.startsWith("/")) throw new SaltInvocationError(`File path must be absolute: ${path}`);
  const complain = (error: SystemError) => `Could not remove '${path}': ${textOf(error, path)}`;
  if (isLink(fs, path) || (exists(fs, path) && !isDirectory(fs, path))) {
    orFail(() => fs.remove(path), complain);
    return true;
  }
  if (!isDirectory(fs, path)) return false;
  orFail(() => fs.remove(path, { recursive: true }), complain);
  return true;
}

const SECONDS_A_DAY = 86400;

export function rmdir(context: JobContext, args: Record<string, unknown>): unknown {
  const { clock, fs } = context.runtime;
  const path = absoluteOf(context, args.path, "File path must be absolute.");
  if (!isDirectory(fs, path)) throw new SaltInvocationError(`A valid directory was not specified: ${path}`);
  const days = args.older_than;
  const age = truthy(days) && /^-?\d+$/.test(str(days)) ? Number(days) : undefined;
  const before = age === undefined ? undefined : clock.now() - age * SECONDS_A_DAY * 1000;
  const oldEnough = (directory: string) => before === undefined || (fs.stat(directory)?.mtimeMs ?? 0) < before;
  const deleted: string[] = [];
  const errors: [string, string][] = [];
  const drop = (directory: string) => {
    try {
      if (isLink(fs, directory)) throw new SystemError("ENOTDIR", directory);
      fs.remove(directory);
      deleted.push(directory);
    } catch (error) {
      if (!(error instanceof SystemError)) throw error;
      errors.push([directory, osErrorText(error, directory)]);
    }
  };
  if (truthy(args.recurse)) {
    // What is below goes first.
    for (const walked of [...walkPaths(fs, path)].reverse()) {
      for (const name of walked.directories) if (oldEnough(join(walked.path, name))) drop(join(walked.path, name));
    }
  }
  const clean = errors.length === 0;
  let result = truthy(args.recurse) && clean;
  if (oldEnough(path)) {
    drop(path);
    result = clean && errors.length === 0;
  }
  return truthy(args.verbose) ? { deleted, errors, result } : result;
}

/** Creates a directory with an owner and mode, and its missing parents. */
export async function makeDirectory(
  context: JobContext,
  given: unknown,
  owner: { user: unknown; group: unknown; mode: unknown },
): Promise<void> {
  const { fs } = context.runtime;
  const path = pathOf(context, given);
  const trimmed = path.replace(/(?<=.)\/+$/, "");
  const [head, tail] = [dirname(trimmed), basename(trimmed)];
  if (head !== "" && tail !== "" && !exists(fs, head)) {
    await makeDirectory(context, head, owner);
    if (tail === ".") return;
  }
  if (lookAt(fs, path, { follow: false }) !== undefined) {
    throw pythonError("FileExistsError", `[Errno 17] File exists: ${repr(path)}`);
  }
  withOsErrors(path, () => fs.mkdir(path, 0o777 & ~context.runtime.process.umask()));
  const { user, group, mode } = owner;
  await checkPerms(context, path, null, { user, group, mode: truthy(mode) ? wholeNumberOf(mode) : null });
}

export async function mkdir(context: JobContext, args: Record<string, unknown>): Promise<true> {
  const { fs } = context.runtime;
  const path = normpath(pathOf(context, args.dir_path));
  const { user, group, mode } = args;
  if (!isDirectory(fs, path)) await makeDirectory(context, path, { user, group, mode });
  return true;
}

/** Creates the parent directories of a path. @returns null, or why there is nothing to do */
export async function makedirs(context: JobContext, args: Record<string, unknown>): Promise<string | null> {
  const { fs } = context.runtime;
  const { user, group } = args;
  const mode = truthy(args.mode) ? normalizeMode(args.mode) : args.mode;
  const directory = normpath(dirname(pathOf(context, args.path)));
  if (isDirectory(fs, directory)) return `Directory '${directory}' already exists`;
  if (exists(fs, directory)) return `The path '${directory}' already exists and is not a directory`;
  const missing: string[] = [];
  for (let here = directory; !isDirectory(fs, here); here = dirname(here)) {
    missing.unshift(here);
    if (dirname(here) === here) {
      throw new SaltInvocationError(
        `Recursive creation for path '${here}' would result in an infinite loop. Please use an absolute path.`,
      );
    }
  }
  for (const path of missing) await mkdir(context, { dir_path: path, user, group, mode });
  return null;
}

export function readdir(context: JobContext, given: unknown): string[] {
  const path = absoluteOf(context, given, "Dir path must be absolute.");
  if (!isDirectory(context.runtime.fs, path)) {
    throw new SaltInvocationError(`A valid directory was not specified: ${path}`);
  }
  return [".", "..", ...withOsErrors(path, () => context.runtime.fs.list(path))];
}

/** Bytes of all files below a directory; a file with several hard links counts once. */
export function diskusage(context: JobContext, path: string): number {
  const { fs } = context.runtime;
  if (isFile(fs, path)) return fs.stat(path)!.size;
  const seen = new Set<number>();
  let total = 0;
  for (const walked of walkPaths(fs, path)) {
    for (const name of walked.files) {
      const stat = lookAt(fs, join(walked.path, name));
      if (stat === undefined || seen.has(stat.ino)) continue;
      seen.add(stat.ino);
      total += stat.size;
    }
  }
  return total;
}
