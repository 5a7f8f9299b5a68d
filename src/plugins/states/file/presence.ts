import type { StateContext, StateReturn } from "../../../model/loader/states.ts";
import { type Args, str, truthy } from "../../../language/python/values.ts";
import { dirname } from "../../../language/python/posixpath.ts";
import { exists as there, isDirectory, isFile, isLink } from "../../linux/paths.ts";
import { timeOf, touch as touchFile } from "../../modules/file/content.ts";
import { pathOf, stats } from "../../modules/file/stats.ts";
import { makedirs, remove, rmdir } from "../../modules/file/tree.ts";
import { commentFirst, failed, failureOf, type FileReturn, namedPath } from "./ret.ts";

/** `file.absent`: removes a file, a link or a whole directory. */
export async function absent(context: StateContext, args: Args): Promise<StateReturn> {
  const { fs } = context.runtime;
  const { name, ret, refused } = namedPath(context, "absent", args.name, { absolute: true });
  if (refused !== undefined) return refused;
  if (name === "/") return failed(ret, 'Refusing to make "/" absent');
  const kind = isFile(fs, name) || isLink(fs, name) ? "file" : isDirectory(fs, name) ? "directory" : undefined;
  if (kind === undefined) return Object.assign(ret, { comment: `File ${name} is not present` });
  if (context.test) {
    const comment = `${kind === "file" ? "File" : "Directory"} ${name} is set for removal`;
    return Object.assign(ret, { result: null, comment, changes: { removed: name } });
  }
  const failure = await failureOf(() => remove(context, name), name);
  if (failure !== undefined) {
    return failed(ret, kind === "file" ? failure : `Failed to remove directory ${name}: ${failure}`);
  }
  return Object.assign(ret, { comment: `Removed ${kind} ${name}`, changes: { removed: name } });
}

/** `file.exists`: fails unless the path is there. */
export function exists(context: StateContext, args: Args): StateReturn {
  const { name, ret, refused } = namedPath(context, "exists", args.name);
  if (refused !== undefined) return refused;
  if (!there(context.runtime.fs, name)) return failed(ret, `Specified path ${name} does not exist`);
  return Object.assign(ret, { comment: `Path ${name} exists` });
}

/** `file.missing`: fails if the path is there. */
export function missing(context: StateContext, args: Args): StateReturn {
  const { name, ret, refused } = namedPath(context, "missing", args.name);
  if (refused !== undefined) return refused;
  if (there(context.runtime.fs, name)) return failed(ret, `Specified path ${name} exists`);
  return Object.assign(ret, { comment: `Path ${name} is missing` });
}

function touchPreview(context: StateContext, name: string, args: Args): Partial<FileReturn> {
  if (!there(context.runtime.fs, name)) {
    return { result: null, comment: `File ${name} is set to be created`, changes: { new: name } };
  }
  const { atime, mtime } = stats(context, name, null, false);
  const differs = (wanted: unknown, now: unknown) => wanted !== null && str(wanted) !== str(now);
  if (differs(args.atime, atime) || differs(args.mtime, mtime)) {
    return { result: null, comment: `Times set to be updated on file ${name}`, changes: { touched: name } };
  }
  // Real Salt predicts this change also where it then says that there is nothing to do.
  return { result: true, comment: `File ${name} exists and has the correct times`, changes: { new: name } };
}

/** `file.touch`: creates an empty file, or sets the times of an existing one. */
export async function touch(context: StateContext, args: Args): Promise<StateReturn> {
  const { fs } = context.runtime;
  const { name, ret, refused } = namedPath(context, "touch", args.name, { absolute: true });
  if (refused !== undefined) return refused;
  for (const time of [args.atime, args.mtime]) timeOf(time);
  if (context.test) return Object.assign(ret, touchPreview(context, name, args));
  if (truthy(args.makedirs)) await makedirs(context, { path: name, user: null, group: null, mode: null });
  if (!isDirectory(fs, dirname(name))) return failed(ret, `Directory not present to touch file ${name}`);
  const extant = there(fs, name);
  ret.result = touchFile(context, { name, atime: args.atime, mtime: args.mtime });
  if (!ret.result) return ret;
  if (extant) {
    ret.comment = `Updated times on ${isDirectory(fs, name) ? "directory" : "file"} ${name}`;
    ret.changes.touched = name;
  } else {
    ret.comment = `Created empty file ${name}`;
    ret.changes.new = name;
  }
  return ret;
}

/** `file.pruned`: removes a directory if it is empty; with `recurse` the empty ones below it, too. */
export function pruned(context: StateContext, args: Args): StateReturn {
  const name = pathOf(context, args.name);
  const ret = commentFirst(name);
  const ignoreErrors = truthy(args.ignore_errors);
  const recurse = ignoreErrors || truthy(args.recurse);
  if (!isDirectory(context.runtime.fs, name)) {
    return Object.assign(ret, { comment: `Directory ${name} is not present` });
  }
  if (!name.startsWith("/")) return failed(ret, `Specified file ${name} is not an absolute path`);
  if (context.test) {
    const comment = `Directory ${name} is set for removal`;
    return Object.assign(ret, { result: null, comment, changes: { deleted: name } });
  }
  const done = rmdir(context, { path: name, recurse, verbose: true, older_than: args.older_than }) as {
    deleted: string[];
    errors: unknown[];
    result: boolean;
  };
  if (done.result && !recurse) {
    return Object.assign(ret, { comment: `Removed directory ${name}`, changes: { deleted: name } });
  }
  if ((done.result || ignoreErrors) && done.deleted.length > 0) {
    const comment = `Recursively removed empty directories under ${name}`;
    return Object.assign(ret, { comment, changes: { deleted: done.deleted.sort() } });
  }
  if (done.result) return ret;
  const { result, ...changes } = done;
  return Object.assign(ret, { result, changes, comment: `Failed to remove directory ${name}` });
}
