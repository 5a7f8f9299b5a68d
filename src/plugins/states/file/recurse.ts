import type { StateContext, StateReturn } from "../../../model/loader/states.ts";
import { CommandExecutionError } from "../../../model/loader/family.ts";
import { basename } from "../../../language/python/posixpath.ts";
import { type Args, str, truthy } from "../../../language/python/values.ts";
import { exists, isDirectory } from "../../linux/paths.ts";
import { sourceList } from "../../modules/file/managed_source.ts";
import { modeComplaint, normalizeMode, pathOf } from "../../modules/file/stats.ts";
import { makeDirectory, remove } from "../../modules/file/tree.ts";
import { cleanDirectory, keptFiles } from "./clean.ts";
import { directory } from "./directory.ts";
import { symlink } from "./links.ts";
import { managed } from "./managed.ts";
import { unknownOwner, userOf } from "./owner.ts";
import { recurseFiles, servedPath } from "./recurse_files.ts";
import { failed, type FileReturn, newRet } from "./ret.ts";
import { textList } from "./texts.ts";

/** A tree that is being copied, and what is to be said of its paths. */
interface Plan {
  context: StateContext;
  name: string;
  args: Args;
  ret: FileReturn;
  /** Path → comments. */
  comments: Map<string, string[]>;
}

/** `file.recurse`: a tree of the file server, copied. */
export async function recurse(context: StateContext, given: Args): Promise<StateReturn> {
  const { fs } = context.runtime;
  const name = pathOf(context, given.name);
  const ret = newRet(name);
  const kwargs = given.kwargs as Args;
  if ("mode" in kwargs) {
    return failed(ret, "'mode' is not allowed in 'file.recurse'. Please use 'file_mode' and 'dir_mode'.");
  }
  const isKept = typeof given.file_mode === "string" && given.file_mode.toLowerCase() === "keep";
  const complaint = modeComplaint(given.dir_mode) ?? (isKept ? undefined : modeComplaint(given.file_mode));
  if (complaint !== undefined) return failed(ret, complaint);
  const user = userOf(kwargs, given.user);
  const unknown = unknownOwner(context, user, given.group);
  if (unknown !== "") return failed(ret, unknown);
  if (!name.startsWith("/")) return failed(ret, `Specified file ${name} is not an absolute path`);
  const sources = textList(given.source).map((source) => source.replace(/\/+$/, ""));
  const foreign = sources.find((source) => !source.startsWith("salt://"));
  if (foreign !== undefined) return failed(ret, `Invalid source '${foreign}' (must be a salt:// URI)`);
  const source = await existing(context, sources);
  if (source instanceof CommandExecutionError) return failed(ret, `Recurse failed: ${source.message}`);
  const { path, saltenv = context.saltenv } = servedPath(source);
  const directories = await context.call("cp.list_master_dirs", [], { saltenv, prefix: `${path}/` }) as unknown[];
  if (!directories.includes(path)) {
    return failed(ret, `The directory '${path}' does not exist on the salt fileserver in saltenv '${saltenv}'`);
  }
  const args: Args = { ...given, name, source, user, dir_mode: normalizeMode(given.dir_mode) };
  if (!isDirectory(fs, name)) {
    if (exists(fs, name)) return failed(ret, `The path ${name} exists and is not a directory`);
    if (!context.test) await makeDirectory(context, name, { user, group: args.group, mode: args.dir_mode });
  }
  return await manageTree({ context, name, args, ret, comments: new Map() });
}

/** The source that exists. @returns the failure if none does */
async function existing(context: StateContext, sources: string[]): Promise<string | CommandExecutionError> {
  for (const source of sources) {
    const { path, saltenv = context.saltenv } = servedPath(source);
    const listed = await context.call("cp.list_master_dirs", [], { saltenv, prefix: `${path}/` }) as unknown[];
    if (listed.includes(path)) return source;
  }
  try {
    return str((await sourceList(context, { source: sources, source_hash: "", saltenv: context.saltenv }))[0]);
  } catch (error) {
    if (error instanceof CommandExecutionError) return error;
    throw error;
  }
}

async function manageTree(plan: Plan): Promise<StateReturn> {
  const { context, name, args, ret, comments } = plan;
  const tree = await recurseFiles(context, args);
  for (const [path, target] of tree.links) await manageLink(plan, path, target);
  for (const path of tree.directories) await manageDirectory(plan, path);
  for (const [path, source] of tree.files) await manageFile(plan, path, source);
  if (truthy(args.clean)) {
    for (const path of await keptFiles(context, name, args.require)) tree.keep.add(path);
    const removed = cleanDirectory(context, name, tree.keep, args.exclude_pat);
    if (removed.length > 0 && context.test) {
      if (ret.result === true) ret.result = null;
      comments.set("removed", [...comments.get("removed") ?? [], ...removed]);
    } else if (removed.length > 0) ret.changes.removed = removed;
  }
  ret.comment = [...comments].map(([path, lines]) => `\n#### ${path} ####\n${lines.join("\n")}`).join("\n").trim();
  if (ret.comment === "") ret.comment = `Recursively updated ${name}`;
  if (Object.keys(ret.changes).length === 0 && ret.result === true) {
    ret.comment = `The directory ${name} is in the correct state`;
  }
  return ret;
}

function merge({ ret, comments }: Plan, path: string, one: Pick<StateReturn, "result" | "comment" | "changes">): void {
  if (one.result === false || ret.result === true) ret.result = one.result;
  if (one.result !== true && truthy(one.comment)) {
    comments.set(path, [...comments.get(path) ?? [], ...[one.comment].flat()]);
  }
  if (Object.keys(one.changes).length > 0) ret.changes[path] = one.changes;
}

async function manageLink(plan: Plan, path: string, target: string): Promise<void> {
  const { context, args: { user, group, sym_mode: mode, force_symlinks: force } } = plan;
  const wanted = { name: path, target, makedirs: true, force, user, group, mode, kwargs: {} };
  merge(plan, path, await symlink(context, wanted));
}

/** With `clean` a path of the wrong kind makes way. @returns true if this is a dry run */
function replacePath(plan: Plan, path: string, inTest: string, done: string): boolean {
  if (plan.context.test) {
    merge(plan, path, { changes: {}, result: null, comment: inTest });
    return true;
  }
  remove(plan.context, path);
  merge(plan, path, { changes: { diff: done }, result: true, comment: "" });
  return false;
}

async function manageDirectory(plan: Plan, path: string): Promise<void> {
  const { context, args: { user, group, dir_mode: mode, clean } } = plan;
  const { fs } = context.runtime;
  if (basename(path) === "..") return;
  if (truthy(clean) && exists(fs, path) && !isDirectory(fs, path)) {
    if (replacePath(plan, path, `Replacing ${path} with a directory`, "Replaced file with a directory")) return;
  }
  merge(plan, path, await directory(context, { name: path, user, group, recurse: [], dir_mode: mode, makedirs: true }));
}

async function manageFile(plan: Plan, path: string, source: string): Promise<void> {
  const { context, args } = plan;
  if (truthy(args.clean) && isDirectory(context.runtime.fs, path) && truthy(args.replace)) {
    const [inTest, done] = [`Replacing directory ${path} with a file`, "Replaced directory with a new file"];
    if (replacePath(plan, path, inTest, done)) return;
  }
  const { makedirs: _makedirs, name: _name, ...kwargs } = args.kwargs as Args;
  const { keep_source, user, group, file_mode: mode, template, replace, context: variables, defaults, backup } = args;
  merge(
    plan,
    path,
    await managed(context, {
      ...kwargs,
      name: path,
      source,
      keep_source,
      user,
      group,
      mode,
      template,
      makedirs: true,
      replace,
      context: variables,
      defaults,
      backup,
    }),
  );
}
