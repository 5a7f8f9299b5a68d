import type { StateContext } from "../../../model/loader/states.ts";
import { bindArguments, parseSignature } from "../../../model/loader/signature.ts";
import { type Args, isInteger, str, truthy } from "../../../language/python/values.ts";
import { dirname, join, relpath } from "../../../language/python/posixpath.ts";
import type { Walked } from "../../linux/paths.ts";
import { isDirectory, isFile, isLink, isStillThere, lookAt, realPath, walkPaths } from "../../linux/paths.ts";
import { checkPerms } from "../../modules/file/perms.ts";
import {
  groupToGid,
  modeComplaint,
  normalizeMode,
  pathOf,
  stats,
  userToUid,
  wholeNumberOf,
} from "../../modules/file/stats.ts";
import { makedirs, mkdir, remove } from "../../modules/file/tree.ts";
import { cleanDirectory, keptFiles } from "./clean.ts";
import { unknownOwner, userOf } from "./owner.ts";
import { chosenBy } from "./patterns.ts";
import { failed, failureText, type FileReturn, newRet } from "./ret.ts";

export const DIRECTORY_SIGNATURE = `name, user=None, group=None, recurse=None, max_depth=None, dir_mode=None,
  file_mode=None, makedirs=False, clean=False, require=None, exclude_pat=None, follow_symlinks=False, force=False,
  backupname=None, allow_symlink=True, children_only=False, win_owner=None, win_perms=None, win_deny_perms=None,
  win_inheritance=True, win_perms_reset=False, **kwargs`;
const SIGNATURE = parseSignature(DIRECTORY_SIGNATURE);

/** `file.directory` for other states of files: arguments that are not given have their defaults. */
export function directory(context: StateContext, given: Args): Promise<FileReturn> {
  return manageDirectory(context, bindArguments("directory", SIGNATURE, [], new Map(Object.entries(given))));
}

/** What `recurse` may name. */
const RECURSED = ["user", "group", "mode", "ignore_files", "ignore_dirs", "silent"];

type Recursed = ReadonlySet<string>;

/** The words of `recurse`. @returns a complaint if it cannot be understood */
function recursed(value: unknown): Recursed | string {
  if (!truthy(value)) return new Set();
  if (!Array.isArray(value)) return '"recurse" must be formed as a list of strings';
  if (!value.every((word) => RECURSED.includes(word as string))) {
    return `Types for "recurse" limited to ${RECURSED.map((word) => `"${word}"`).join(", ")}.`;
  }
  const words = new Set(value);
  if (words.has("ignore_files") && words.has("ignore_dirs")) {
    return 'Must not specify "recurse" options "ignore_files" and "ignore_dirs" at the same time.';
  }
  return words;
}

interface Plan {
  context: StateContext;
  name: string;
  ret: FileReturn;
  args: Args;
  user: unknown;
  group: unknown;
  dirMode: string | null;
  fileMode: string | null;
  follow: boolean;
  /** What is in it, as far as the depth allows; empty unless it is looked into. */
  walked: Walked[];
  /** Where it was then, without links. */
  realName: string;
}

/** Walks a directory down to a depth: 0 is the directory itself. */
function limitedWalk(context: StateContext, name: string, depth: unknown): Walked[] {
  const most = depth === null || depth === undefined ? Infinity : wholeNumberOf(depth);
  const level = (path: string) => path.replace(/\/+$/, "").split("/").length;
  const found: Walked[] = [];
  for (const walked of walkPaths(context.runtime.fs, name)) {
    if (level(walked.path) - level(name) >= most) walked.directories.length = 0;
    else found.push({ ...walked, directories: [...walked.directories] });
  }
  return found;
}

/** `file.directory`: a directory with an owner and modes, and what is below it. */
export async function manageDirectory(context: StateContext, args: Args): Promise<FileReturn> {
  const given = pathOf(context, args.name);
  const ret = newRet(given);
  if (given === "") return failed(ret, "Must provide name to file.directory");
  const name = given.endsWith("/") && given !== "/" ? given.slice(0, -1) : given;
  if (args.max_depth !== null && truthy(args.clean)) return failed(ret, "Cannot specify both max_depth and clean");
  const kwargs = args.kwargs as Args;
  const dirMode = truthy(args.dir_mode) ? args.dir_mode : kwargs.mode ?? args.dir_mode;
  const complaint = modeComplaint(dirMode) ?? (truthy(args.recurse) ? modeComplaint(args.file_mode) : undefined);
  if (complaint !== undefined) return failed(ret, complaint);
  const [user, group] = [userOf(kwargs, args.user), args.group];
  const unknown = unknownOwner(context, user, group);
  if (unknown !== "") return failed(ret, unknown);
  if (!name.startsWith("/")) return failed(ret, `Specified file ${name} is not an absolute path`);
  const plan: Plan = {
    context,
    name,
    ret,
    args,
    user,
    group,
    dirMode: normalizeMode(dirMode),
    fileMode: normalizeMode(truthy(args.file_mode) ? args.file_mode : dirMode),
    follow: truthy(args.follow_symlinks),
    walked: [],
    realName: "",
  };
  if (makeWay(plan)) return ret;
  plan.realName = realPath(context.runtime, name);
  if (truthy(args.recurse) || truthy(args.clean)) plan.walked = limitedWalk(context, name, args.max_depth);
  const checked = await check(plan);
  Object.assign(ret.changes, checked.changes);
  if (context.test || Object.keys(ret.changes).length === 0) {
    return Object.assign(ret, { result: checked.result, comment: checked.comment });
  }
  return isDirectory(context.runtime.fs, name) ? await update(plan) : await create(plan);
}

/** Takes away what stands in the directory's place, if that is asked for. @returns true if the state ends here */
function makeWay({ context, name, ret, args }: Plan): boolean {
  const { fs } = context.runtime;
  const [file, link, force] = [isFile(fs, name), isLink(fs, name), truthy(args.force)];
  if (!file && !(link && (force || !truthy(args.allow_symlink)))) return false;
  if (args.backupname !== null) {
    const backup = pathOf(context, args.backupname);
    if (lookAt(fs, backup, { follow: false }) !== undefined) {
      if (!force) {
        failed(ret, `File exists where the backup target ${backup} should go`);
        return true;
      }
      if (context.test) ret.changes.forced = `Existing file at backup path ${backup} would be removed`;
      else remove(context, backup);
    }
    if (context.test) {
      ret.changes.backup = `${name} would be renamed to ${backup}`;
      ret.changes[name] = { directory: "new" };
      Object.assign(ret, {
        comment: `${name} would be backed up and replaced with a new directory`,
        result: null,
      });
      return true;
    }
    fs.rename(name, backup);
    return false;
  }
  if (!force) {
    failed(ret, `Specified location ${name} exists and is a ${file ? "file" : "symlink"}`);
    return true;
  }
  const kind = file ? "File" : "Symlink";
  ret.changes.forced = `${kind} ${context.test ? "would be" : "was"} forcibly replaced`;
  if (!context.test) fs.remove(name);
  return false;
}

/** What a path has otherwise than it is wanted. */
function apart(
  { context, follow }: Plan,
  path: string,
  wanted: { user: unknown; group: unknown; mode: string | null },
) {
  let current: ReturnType<typeof stats>;
  try {
    current = stats(context, path, null, follow);
  } catch (error) {
    if (failureText(error) === undefined) throw error;
    return { directory: "new" };
  }
  const changes: Args = {};
  const { user, group, mode } = wanted;
  const given = (value: unknown) => value !== null && value !== undefined;
  if (given(user) && user !== current.user && user !== current.uid) changes.user = user;
  if (given(group) && group !== current.group && group !== current.gid) changes.group = group;
  if (mode !== null && mode !== normalizeMode(current.mode) && (follow || current.type !== "link")) changes.mode = mode;
  return changes;
}

async function check(plan: Plan): Promise<Pick<FileReturn, "result" | "comment" | "changes">> {
  const { context, name, args, walked } = plan;
  const changes: Record<string, Args> = {};
  let { user, group, dirMode, fileMode } = plan;
  const note = (path: string, mode: string | null) => {
    const found = apart(plan, path, { user, group, mode });
    if (Object.keys(found).length > 0) changes[path] = found;
  };
  if (truthy(args.recurse)) {
    const words = recursed(args.recurse);
    if (typeof words === "string") return { result: false, comment: words, changes: {} };
    if (!words.has("user")) user = null;
    if (!words.has("group")) group = null;
    if (!words.has("mode")) dirMode = fileMode = null;
    for (const { path, directories, files } of walked) {
      if (!words.has("ignore_files")) { for (const file of files) note(join(path, file), fileMode); }
      if (!words.has("ignore_dirs")) { for (const below of directories) note(join(path, below), dirMode); }
    }
  }
  if (!truthy(args.children_only)) note(name, dirMode);
  if (truthy(args.clean)) {
    const keep = await keptFiles(context, name, args.require);
    const chosen = chosenBy(null, args.exclude_pat);
    for (const { path, directories, files } of walked) {
      for (const entry of [...files, ...directories]) {
        const full = join(path, entry);
        if (!keep.has(full) && chosen(relpath(full, name))) changes[full] = { removed: "Removed due to clean" };
      }
    }
  }
  if (!isDirectory(context.runtime.fs, name)) changes[name] = { directory: "new" };
  const lines = Object.entries(changes).flatMap(([path, of]) =>
    Object.entries(of).map(([key, value]) => `${path}: ${key} - ${str(value)}\n`)
  );
  if (lines.length === 0) {
    return { result: true, comment: `The directory ${name} is in the correct state`, changes };
  }
  return { result: null, comment: `The following files will be changed:\n${lines.join("")}`, changes };
}

async function create({ context, name, ret, args, user, group, dirMode }: Plan): Promise<FileReturn> {
  const { fs } = context.runtime;
  if (!isDirectory(fs, dirname(name))) {
    if (!truthy(args.makedirs)) return failed(ret, `No directory to create ${name} in`);
    await makedirs(context, { path: name, user, group, mode: dirMode });
  }
  await mkdir(context, { dir_path: name, user, group, mode: dirMode });
  if (!isDirectory(fs, name)) return failed(ret, `Failed to create directory ${name}`);
  ret.changes[name] = { directory: "new" };
  return ret;
}

/** Sets a path's owner and mode, and notes in `ret` what changed. */
async function setPerms({ context, ret, follow }: Plan, path: string, user: unknown, group: unknown, mode: unknown) {
  const [done] = await checkPerms(context, path, ret, { user, group, mode, follow });
  Object.assign(ret, { result: done.result, comment: done.comment, changes: done.changes });
}

async function update(plan: Plan): Promise<FileReturn> {
  const { context, name, ret, args, user, group, dirMode } = plan;
  const childrenOnly = truthy(args.children_only);
  if (!childrenOnly) await setPerms(plan, name, user, group, dirMode);
  const errors = truthy(args.recurse) ? await updateBelow(plan) : [];
  if (truthy(args.clean)) {
    const removed = cleanDirectory(context, name, await keptFiles(context, name, args.require), args.exclude_pat);
    if (removed.length > 0) {
      ret.changes.removed = removed;
      ret.comment = `Files cleaned from directory ${name}`;
    }
  }
  const changed = Object.keys(ret.changes).length > 0;
  if (ret.comment === "") {
    if (childrenOnly) ret.comment = `Directory ${name}/* updated`;
    else if (changed) ret.comment = `Directory ${name} updated`;
  }
  if (!changed && ret.result === true) {
    ret.comment = [`Directory ${name} is in the correct state`, ret.comment].filter((text) => text !== "").join("\n");
  }
  if (errors.length > 0) {
    ret.result = false;
    ret.comment += `\n\nThe following errors were encountered:\n${errors.map((error) => `\n- ${error}`).join("")}`;
  }
  return ret;
}

/** Sets owners and modes of what is below the directory. @returns what went wrong with single files */
async function updateBelow(plan: Plan): Promise<string[]> {
  const { context: { runtime }, name, ret, args, walked, realName } = plan;
  const words = recursed(args.recurse);
  if (typeof words === "string") {
    failed(ret, words);
    return [];
  }
  if (words.size === 0) return [];
  const user = words.has("user") ? knownUser(plan) : null;
  const group = words.has("group") ? knownGroup(plan) : null;
  const [fileMode, dirMode] = words.has("mode") ? [plan.fileMode, plan.dirMode] : [null, null];
  if (words.has("silent")) ret.changes = { recursion: "Changes silenced" };
  const errors: string[] = [];
  const set = async (directory: string, entry: string, mode: string | null) => {
    const path = join(directory, entry);
    if (!isStillThere(runtime, directory, name, realName)) {
      return void errors.push(`${directory} was replaced meanwhile`);
    }
    try {
      await setPerms(plan, path, user, group, mode);
    } catch (error) {
      const text = failureText(error, path);
      if (text === undefined) throw error;
      if (!text.startsWith("Path not found")) errors.push(text);
    }
  };
  for (const { path, directories, files } of walked) {
    if (!words.has("ignore_files")) { for (const file of files) await set(path, file, fileMode); }
    if (!words.has("ignore_dirs")) { for (const below of directories) await set(path, below, dirMode); }
  }
  return errors;
}

function knownUser({ context, ret, user }: Plan): unknown {
  if (!truthy(user) && !isInteger(user)) {
    failed(ret, "user not specified, but configured as a target for recursive ownership management");
  } else if (userToUid(context, user) === "") {
    failed(ret, `Failed to enforce ownership for user ${str(user)} (user does not exist)`);
  }
  return user;
}

function knownGroup({ context, ret, group }: Plan): unknown {
  if (!truthy(group) && !isInteger(group)) {
    failed(ret, "group not specified, but configured as a target for recursive ownership management");
  } else if (groupToGid(context, group) === "") {
    failed(ret, `Failed to enforce group ownership for group ${str(group)}`);
  }
  return group;
}
