import { isWithin } from "../../../base/paths.ts";
import type { StateContext, StateReturn } from "../../../model/loader/states.ts";
import { basename, dirname, join, normpath } from "../../../language/python/posixpath.ts";
import { readBytes } from "../../modules/file/content.ts";
import { type Args, truthy } from "../../../language/python/values.ts";
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
import { withOsErrors } from "../../python_errors.ts";
import { hashFile } from "../../modules/file/hash.ts";
import { checkPerms } from "../../modules/file/perms.ts";
import { lchown, modeComplaint, pathOf, stats } from "../../modules/file/stats.ts";
import { makedirs, move, remove } from "../../modules/file/tree.ts";
import { ownerOr, unknownOwner, userOf } from "./owner.ts";
import { commentFirst, failed, failureOf, type FileReturn } from "./ret.ts";
import { directoryMode } from "../../modules/file/manage.ts";

/** True if a name is taken, be it by a link to nothing. */
const taken = (context: StateContext, path: string): boolean =>
  lookAt(context.runtime.fs, path, { follow: false }) !== undefined;

/** True if a path is below a directory, which cannot be moved there. */
const isInside = (context: StateContext, path: string, directory: string): boolean =>
  lookAt(context.runtime.fs, directory, { follow: false })?.kind === "directory" &&
  normpath(path) !== normpath(directory) &&
  isWithin(normpath(directory), normpath(path));

/** Removes what stands in the way. A file that a file takes the place of stays until then: that may fail, as on a full disk. */
function makeWay(context: StateContext, source: string, name: string): void {
  const { fs } = context.runtime;
  const kindOf = (path: string) => lookAt(fs, path, { follow: false })?.kind;
  if (kindOf(source) !== "file" || kindOf(name) !== "file") remove(context, name);
}

/** Copies a file with its mode, or a directory with everything below it; links stay links. */
function copyAny(context: StateContext, from: string, to: string): void {
  const { fs } = context.runtime;
  if (!isDirectory(fs, from)) {
    const target = isDirectory(fs, to) ? join(to, basename(from)) : to;
    const content = readBytes(fs, from);
    return withOsErrors(target, () => fs.write(target, content, { mode: fs.stat(from)!.mode }));
  }
  // The copy may be made in the directory itself, and is no part of what is copied.
  const names = fs.list(from);
  withOsErrors(to, () => fs.mkdir(to, 0o700));
  for (const name of names) {
    const [source, target] = [join(from, name), join(to, name)];
    if (isLink(fs, source)) fs.symlink(fs.readlink(source), target);
    else copyAny(context, source, target);
  }
  const stat = fs.stat(from)!;
  fs.chmod(to, stat.mode);
  fs.utimes(to, stat.atimeMs, stat.mtimeMs);
}

/** The owner and mode of the copy; a complaint if there is no such user. */
function wantedPerms(context: StateContext, source: string, args: Args) {
  const current = stats(context, source);
  if (truthy(args.preserve)) return { user: current.user, group: current.group, mode: current.mode };
  const owner = ownerOr(context, userOf(args.kwargs, args.user) ?? null, args.group);
  const complaint = modeComplaint(args.mode);
  if (complaint !== undefined) return complaint;
  const unknown = unknownOwner(context, owner.user, owner.group);
  return unknown === "" ? { ...owner, mode: args.mode ?? current.mode } : unknown;
}

/** `file.copy`: a copy of a file or directory of this host, made once unless `force` is given. */
export async function copy(context: StateContext, args: Args): Promise<StateReturn> {
  const { fs } = context.runtime;
  const [given, source] = [pathOf(context, args.name), pathOf(context, args.source)];
  const ret = commentFirst(given, `Copied "${source}" to "${given}"`);
  if (given === "") return failed(ret, "Must provide name to file.copy");
  if (!given.startsWith("/")) return failed(ret, `Specified file ${given} is not an absolute path`);
  if (!exists(fs, source)) return failed(ret, `Source file "${source}" is not present`);
  const wanted = wantedPerms(context, source, args);
  if (typeof wanted === "string") return failed(ret, wanted);
  const name = isDirectory(fs, given) && truthy(args.subdir) ? join(given, basename(source)) : given;
  // Further below, each copy would have the one before it in it.
  if (isInside(context, dirname(name), source)) return failed(ret, `Failed to copy "${source}" to "${name}"`);
  if (taken(context, name)) {
    if (!truthy(args.force)) {
      return Object.assign(ret, { comment: `The target file "${name}" exists and will not be overwritten` });
    }
    const same = isFile(fs, name) && isFile(fs, source) &&
      hashFile(context, name, "sha256") === hashFile(context, source, "sha256");
    // Salt removes the file, and then has nothing to copy.
    if (realPath(context.runtime, name) === realPath(context.runtime, source)) {
      return failed(ret, `Failed to copy "${source}" to "${name}": they are the same file`);
    }
    if (same) ret.comment += " - files are identical but force flag is set";
    if (!context.test) {
      const failure = await failureOf(() => makeWay(context, source, name));
      if (failure !== undefined) {
        return failed(ret, `Failed to delete "${name}" in preparation for forced move: ${failure}`);
      }
    }
  }
  if (context.test) {
    return Object.assign(ret, { result: null, comment: `File "${source}" is set to be copied to "${name}"` });
  }
  const { user, group, mode } = wanted;
  if (!isDirectory(fs, dirname(name))) {
    if (!truthy(args.makedirs)) return failed(ret, `The target directory ${dirname(name)} is not present`);
    await makedirs(context, { path: name, user, group, mode: args.dir_mode ?? directoryMode(mode) });
  }
  return await madeCopy(context, ret, { name, source, user, group, mode, preserve: truthy(args.preserve) });
}

interface Copy {
  name: string;
  source: string;
  user: unknown;
  group: unknown;
  mode: unknown;
  preserve: boolean;
}

async function madeCopy(context: StateContext, ret: FileReturn, made: Copy): Promise<FileReturn> {
  const { name, source, user, group, mode, preserve } = made;
  const { fs } = context.runtime;
  let done = ret;
  const failure = await failureOf(async () => {
    copyAny(context, source, name);
    if (isDirectory(fs, source)) {
      for (const walked of walkPaths(fs, name)) {
        for (const entry of [...walked.directories, ...walked.files]) {
          lchown(context, join(walked.path, entry), user, group);
        }
      }
    }
    ret.changes = { [name]: source };
    if (!preserve) done = (await checkPerms(context, name, ret, { user, group, mode }))[0] as unknown as FileReturn;
  }, source);
  return failure === undefined ? done : failed(ret, `Failed to copy "${source}" to "${name}": ${failure}`);
}

/** `file.rename`: a file or directory under another name. */
export async function rename(context: StateContext, args: Args): Promise<StateReturn> {
  const { fs } = context.runtime;
  const [name = "", source = ""] = [args.name, args.source].map((path) =>
    expandVariables(context.runtime, pathOf(context, path))
  );
  const ret = commentFirst(name);
  if (name === "") return failed(ret, "Must provide name to file.rename");
  if (!name.startsWith("/")) return failed(ret, `Specified file ${name} is not an absolute path`);
  if (!taken(context, source)) {
    return Object.assign(ret, { comment: `Source file "${source}" has already been moved out of place` });
  }
  // With `force` the file itself would be removed first.
  const isItself = truthy(args.force) && normpath(name) === normpath(source);
  if (isItself || isInside(context, name, source)) {
    return failed(ret, `Failed to move "${source}" to "${name}"`);
  }
  if (taken(context, name)) {
    if (!truthy(args.force)) {
      return Object.assign(ret, { comment: `The target file "${name}" exists and will not be overwritten` });
    }
    if (!context.test) {
      const failure = await failureOf(() => makeWay(context, source, name));
      if (failure !== undefined) {
        return failed(ret, `Failed to delete "${name}" in preparation for forced move: ${failure}`);
      }
    }
  }
  if (context.test) {
    return Object.assign(ret, { result: null, comment: `File "${source}" is set to be moved to "${name}"` });
  }
  if (!isDirectory(fs, dirname(name))) {
    if (!truthy(args.makedirs)) return failed(ret, `The target directory ${dirname(name)} is not present`);
    await makedirs(context, { path: name, user: null, group: null, mode: null });
  }
  const failure = await failureOf(() => move(context, { src: source, dst: name }));
  if (failure !== undefined) return failed(ret, `Failed to move "${source}" to "${name}": ${failure}`);
  return Object.assign(ret, { comment: `Moved "${source}" to "${name}"`, changes: { [name]: source } });
}
