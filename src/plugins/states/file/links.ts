import type { StateContext, StateReturn } from "../../../model/loader/states.ts";
import { basename, dirname, join, normpath } from "../../../language/python/posixpath.ts";
import { type Args, str, truthy } from "../../../language/python/values.ts";
import { exists, isDirectory, isFile, isLink, lookAt } from "../../linux/paths.ts";
import { normalizeMode } from "../../modules/file/stats.ts";
import {
  isHardlink,
  link as makeLink,
  makedirs,
  move,
  remove,
  symlink as makeSymlink,
} from "../../modules/file/tree.ts";
import { joinedErrors, linkOwner, missingOwners, ownerOr, ownsLink, takeLink, userOf } from "./owner.ts";
import { failed, failureOf, type FileReturn, namedPath } from "./ret.ts";

type Preview = Pick<FileReturn, "result" | "comment" | "changes">;

function sameInode(context: StateContext, name: string, target: string): boolean {
  const { fs } = context.runtime;
  const [one, other] = [name, target].map((path) => lookAt(fs, path, { follow: false }));
  return one !== undefined && other !== undefined && one.ino === other.ino && one.dev === other.dev;
}

function hardlinkPreview(context: StateContext, name: string, target: string, force: boolean): Preview {
  const { fs } = context.runtime;
  const refuse = (comment: string): Preview => ({ result: false, comment, changes: {} });
  if (!exists(fs, target)) return refuse(`Target ${target} for hard link does not exist`);
  if (isDirectory(fs, target)) return refuse(`Unable to hard link from directory ${target}`);
  if (isDirectory(fs, name)) return refuse(`Unable to hard link to directory ${name}`);
  if (!exists(fs, name)) {
    return { result: null, comment: `Hard link ${name} to ${target} is set for creation`, changes: { new: name } };
  }
  if (isHardlink(context, name) === true) {
    if (sameInode(context, name, target)) {
      return { result: true, comment: `The hard link ${name} is presently targetting ${target}`, changes: {} };
    }
    return {
      result: null,
      comment: `Link ${name} target is set to be changed to ${target}`,
      changes: { change: name },
    };
  }
  if (force) {
    const comment = `The file or directory ${name} is set for removal to make way for a new hard link targeting ` +
      target;
    return { result: null, comment, changes: {} };
  }
  return refuse(`File or directory exists where the hard link ${name} should be. Did you mean to use force?`);
}

/** `file.hardlink`: gives a file a second name. */
export async function hardlink(context: StateContext, args: Args): Promise<StateReturn> {
  const { fs } = context.runtime;
  const { name, ret, refused } = namedPath(context, "hardlink", args.name);
  if (refused !== undefined) return refused;
  const target = str(args.target);
  const { user, group } = ownerOr(context, userOf(args.kwargs, args.user), args.group);
  const errors = missingOwners(context, user, group);
  if (!name.startsWith("/")) errors.push(`Specified file ${name} is not an absolute path`);
  if (!target.startsWith("/")) errors.push(`Specified target ${target} is not an absolute path`);
  if (errors.length > 0) return failed(ret, joinedErrors(errors));
  if (context.test) return Object.assign(ret, hardlinkPreview(context, name, target, truthy(args.force)));
  for (const [direction, path] of [["to", name], ["from", target]] as const) {
    if (isDirectory(fs, path)) return failed(ret, `Unable to hard link ${direction} directory ${path}`);
  }
  if (!exists(fs, target)) return failed(ret, `Target ${target} for hard link does not exist`);
  if (!isDirectory(fs, dirname(name))) {
    if (!truthy(args.makedirs)) return failed(ret, `Directory ${dirname(name)} for hard link is not present`);
    await makedirs(context, { path: name, user, group, mode: normalizeMode(args.dir_mode) });
  }
  if (isFile(fs, name) && isHardlink(context, name) !== true) {
    if (!truthy(args.force)) return failed(ret, `File exists where the hard link ${name} should be`);
    fs.remove(name);
    ret.changes.forced = "File for hard link was forcibly replaced";
  }
  if (isHardlink(context, name) === true) {
    if (sameInode(context, name, target)) {
      ret.comment = `Target of hard link ${name} is already pointing to ${target}`;
      return ret;
    }
    fs.remove(name);
    const failure = await failureOf(() => makeLink(context, target, name));
    if (failure !== undefined) return failed(ret, `Unable to set target of hard link ${name} -> ${target}: ${failure}`);
    ret.comment = `Set target of hard link ${name} -> ${target}`;
    ret.changes.new = name;
  } else if (!exists(fs, name)) {
    const failure = await failureOf(() => makeLink(context, target, name));
    if (failure !== undefined) return failed(ret, `Unable to create new hard link ${name} -> ${target}: ${failure}`);
    ret.comment = `Created new hard link ${name} -> ${target}`;
    ret.changes.new = name;
  }
  return ret;
}

interface WantedLink {
  name: string;
  target: string;
  user: unknown;
  group: unknown;
  force: boolean;
  atomic: boolean;
}

function symlinkPreview(context: StateContext, wanted: WantedLink): Preview {
  const { fs } = context.runtime;
  const { name, target, user, group } = wanted;
  if (isLink(fs, name)) {
    if (fs.readlink(name) !== target) {
      const comment = `Link ${name} target is set to be changed to ${target}`;
      return { result: null, comment, changes: { change: name } };
    }
    const comment = `The symlink ${name} is present`;
    if (ownsLink(context, name, user, group)) return { result: true, comment, changes: {} };
    const now = linkOwner(context, name);
    const owner = `${str(now.user)}:${str(now.group)}`;
    const more = `, but the ownership of the symlink would be changed from ${owner} to ${str(user)}:${str(group)}`;
    return { result: null, comment: comment + more, changes: { ownership: owner } };
  }
  if (!exists(fs, name)) {
    return { result: null, comment: `Symlink ${name} to ${target} is set for creation`, changes: { new: name } };
  }
  if (wanted.force) {
    const comment =
      `The file or directory ${name} is set for removal to make way for a new symlink targeting ${target}`;
    return { result: null, comment, changes: {} };
  }
  const comment = `File or directory exists where the symlink ${name} should be. Did you mean to use force?`;
  return { result: false, comment, changes: {} };
}

/** The owner that the link is to have: the one that it has, with `inherit_user_and_group`. */
function wantedOwner(context: StateContext, name: string, args: Args) {
  let [user, group]: unknown[] = [userOf(args.kwargs, args.user) ?? null, args.group ?? null];
  const inherits = truthy(args.inherit_user_and_group) && (user === null || group === null);
  if (inherits && isLink(context.runtime.fs, name)) {
    const now = linkOwner(context, name);
    [user, group] = [user ?? now.user, group ?? now.group];
  }
  return ownerOr(context, user, group);
}

/** `file.symlink`: a link with a target and an owner. */
export async function symlink(context: StateContext, args: Args): Promise<StateReturn> {
  const { fs } = context.runtime;
  const { name, ret, refused } = namedPath(context, "symlink", args.name);
  if (refused !== undefined) return refused;
  const { user, group } = wantedOwner(context, name, args);
  const errors = missingOwners(context, user, group);
  if (!name.startsWith("/")) errors.push(`Specified file ${name} is not an absolute path`);
  if (errors.length > 0) return failed(ret, joinedErrors(errors));
  const wanted: WantedLink = {
    name,
    target: str(args.target),
    user,
    group,
    force: truthy(args.force),
    atomic: truthy(args.atomic),
  };
  const { backupname } = args;
  const isTaken = !isLink(fs, name) && exists(fs, name) && (backupname ?? null) !== null;
  if (isTaken && !str(backupname).startsWith("/") && str(backupname) !== basename(str(backupname))) {
    return failed(ret, `Backupname must be an absolute path or a file name: ${str(backupname)}`);
  }
  const preview = symlinkPreview(context, wanted);
  const directory = dirname(name);
  if (!isDirectory(fs, directory)) {
    const absent = `Directory ${directory} for symlink is not present`;
    if (context.test) {
      preview.comment += truthy(args.makedirs) ? `\n${directory} will be created` : `\n${absent}`;
    } else if (!truthy(args.makedirs)) return failed(ret, absent);
    else await makedirs(context, { path: name, user, group, mode: normalizeMode(args.mode) });
  }
  if (context.test) return Object.assign(ret, preview);
  if (isLink(fs, name)) {
    if (normpath(fs.readlink(name)) === normpath(wanted.target)) return presentLink(context, ret, wanted);
    // With `atomic` the new link takes the old one's place in one step.
    if (!wanted.atomic) remove(context, name);
  } else if (exists(fs, name)) {
    const comment = await makeWay(context, wanted, args);
    if (comment !== undefined) return failed(ret, comment);
  }
  return await createLink(context, ret, wanted);
}

function presentLink(context: StateContext, ret: FileReturn, { name, user, group }: WantedLink): FileReturn {
  const owner = `${str(user)}:${str(group)}`;
  if (ownsLink(context, name, user, group)) ret.comment = `Symlink ${name} is present and owned by ${owner}`;
  else if (takeLink(context, name, user, group)) {
    ret.comment = `Set ownership of symlink ${name} to ${owner}`;
    ret.changes.ownership = owner;
  } else return failed(ret, `Failed to set ownership of symlink ${name} to ${owner}`);
  return ret;
}

/** Moves what stands in the link's place to its backup. @returns why the link cannot be made */
async function makeWay(context: StateContext, wanted: WantedLink, args: Args): Promise<string | undefined> {
  const { fs } = context.runtime;
  const { name, target, force, atomic } = wanted;
  if (args.backupname === null || args.backupname === undefined) {
    if (force || atomic) return undefined;
    const kind = isFile(fs, name) ? "File" : isDirectory(fs, name) ? "Directory" : "File system entry";
    return `${kind} exists where the symlink ${name} should be`;
  }
  const given = str(args.backupname);
  const backup = given.startsWith("/") ? given : join(dirname(normpath(name)), given);
  if (lookAt(fs, backup, { follow: false }) !== undefined) {
    if (!force) {
      return `Symlink & backup dest exists and Force not set. ${name} -> ${target} - backup: ${backup}`;
    }
    remove(context, backup);
  }
  const failure = await failureOf(() =>
    move(context, { src: name, dst: backup, disallow_copy_and_unlink: args.disallow_copy_and_unlink })
  );
  return failure === undefined ? undefined : `Unable to rename ${name} to backup ${backup} -> : ${failure}`;
}

async function createLink(context: StateContext, ret: FileReturn, wanted: WantedLink): Promise<FileReturn> {
  const { name, target, force, atomic, user, group } = wanted;
  const failure = await failureOf(() => makeSymlink(context, { src: target, path: name, force, atomic }));
  if (failure !== undefined) return failed(ret, `Unable to create new symlink ${name} -> ${target}: ${failure}`);
  ret.comment = `Created new symlink ${name} -> ${target}`;
  ret.changes.new = name;
  if (!ownsLink(context, name, user, group) && !takeLink(context, name, user, group)) {
    ret.result = false;
    ret.comment += `, but was unable to set ownership to ${str(user)}:${str(group)}`;
  }
  return ret;
}
