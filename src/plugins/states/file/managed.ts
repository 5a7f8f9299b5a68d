import { messageOf } from "../../../base/errors.ts";
import type { StateContext } from "../../../model/loader/states.ts";
import { bindArguments, parseSignature } from "../../../model/loader/signature.ts";
import { type Args, isMap, str, truthy } from "../../../language/python/values.ts";
import { exists, isDirectory, isFile, lookAt } from "../../linux/paths.ts";
import { schemeOf } from "../../sources.ts";
import { checkManagedChanges } from "../../modules/file/check_managed.ts";
import { hashFile, sourceSum } from "../../modules/file/hash.ts";
import { manageFile } from "../../modules/file/manage.ts";
import { managedSource, sourceList } from "../../modules/file/managed_source.ts";
import { checkPerms } from "../../modules/file/perms.ts";
import { modeComplaint, normalizeMode, pathOf } from "../../modules/file/stats.ts";
import { accumulatorOf } from "./accumulated.ts";
import { checkedCopy } from "./check_cmd.ts";
import { contentsFor } from "./contents.ts";
import { encodingComplaint } from "./comment.ts";
import { unknownOwner, userOf } from "./owner.ts";
import type { Plan } from "./plan.ts";
import { failed, failureText, type FileReturn } from "./ret.ts";

export const MANAGED_SIGNATURE = `name, source=None, source_hash='', source_hash_name=None, keep_source=True, user=None,
  group=None, mode=None, attrs=None, template=None, makedirs=False, dir_mode=None, context=None, replace=True,
  defaults=None, backup='', show_changes=True, create=True, contents=None, tmp_dir='', tmp_ext='',
  contents_pillar=None, contents_grains=None, contents_newline=True, contents_delimiter=':', encoding=None,
  encoding_errors='strict', allow_empty=True, follow_symlinks=True, check_cmd=None, skip_verify=False, selinux=None,
  win_owner=None, win_perms=None, win_deny_perms=None, win_inheritance=True, win_perms_reset=False, verify_ssl=True,
  use_etag=False, **kwargs`;
const SIGNATURE = parseSignature(MANAGED_SIGNATURE);

/** `file.managed` for other states of files: arguments that are not given have their defaults. */
export function managed(context: StateContext, given: Args): Promise<FileReturn> {
  return manage(context, bindArguments("managed", SIGNATURE, [], new Map(Object.entries(given))));
}

const isGiven = (value: unknown) => value !== null && value !== undefined;

/** Complains of arguments that exclude each other. */
function conflict(args: Args, keepMode: boolean): string | undefined {
  const given = [args.contents, args.contents_pillar, args.contents_grains].filter(isGiven).length;
  const kinds = "'contents', 'contents_pillar', or 'contents_grains'";
  if (truthy(args.source) && given > 0) return `'source' cannot be used in combination with ${kinds}`;
  if (keepMode && given > 0) return `Mode preservation cannot be used in combination with ${kinds}`;
  if (given > 1) return "Only one of 'contents', 'contents_pillar', and 'contents_grains' is permitted";
  return undefined;
}

/** `file.managed`: a file with a content, an owner and a mode. */
export async function manage(context: StateContext, args: Args): Promise<FileReturn> {
  const name = pathOf(context, args.name);
  const ret: FileReturn = { changes: {}, comment: "", name, result: true };
  const planned = await plan(context, name, ret, args);
  if ("result" in planned) return planned;
  if (!truthy(planned.args.replace) && exists(context.runtime.fs, name)) return await permissionsOnly(planned);
  if (context.test) return await preview(planned);
  return await write(planned);
}

/** Checks and completes the arguments. @returns the return, if it ends here */
async function plan(context: StateContext, name: string, ret: FileReturn, given: Args): Promise<Plan | FileReturn> {
  const { fs } = context.runtime;
  // `env` is an old name of the environment, and nothing that a template gets.
  const { env: _env, ...kwargs } = given.kwargs as Args;
  if (name === "") return failed(ret, "Destination file name is required");
  const keepMode = typeof given.mode === "string" && given.mode.toLowerCase() === "keep";
  const clash = conflict(given, keepMode);
  if (clash !== undefined) return failed(ret, clash);
  if ("file_mode" in kwargs) {
    ret.warnings = [
      "The 'file_mode' argument will be ignored.  Please use 'mode' instead to set file permissions.",
    ];
  }
  const wrongMode = keepMode ? undefined : modeComplaint(given.mode);
  const found = contentsFor(context, given);
  if ("complaint" in found) return failed(ret, found.complaint);
  const args = given;
  args.name = name;
  args.kwargs = kwargs;
  args.contents = found.contents;
  args.mode = keepMode ? null : normalizeMode(given.mode);
  args.keep_mode = keepMode;
  args.user = userOf(kwargs, given.user);
  args.saltenv = context.saltenv;
  args.context = given.context ?? {};
  if (found.contents !== null && truthy(given.template)) {
    const rendered = await renderedContents(context, args);
    if (typeof rendered !== "string") return Object.assign(ret, rendered);
    args.contents = rendered;
  }
  // Without a source there is nothing to replace the content with.
  if (!truthy(given.source) && args.contents === null) args.replace = false;
  if (!truthy(args.create) && !isFile(fs, name)) {
    return Object.assign(ret, { comment: `File ${name} is not present and is not set for creation` });
  }
  const complaint = wrongMode ??
    (args.contents === null ? undefined : encodingComplaint(args.encoding));
  if (complaint !== undefined) return failed(ret, complaint);
  const unknown = unknownOwner(context, args.user, args.group);
  if (unknown !== "") return failed(ret, unknown);
  if (!name.startsWith("/")) return failed(ret, `Specified file ${name} is not an absolute path`);
  const seen = { found: lookAt(fs, name, { follow: false }) };
  if (seen.found?.kind === "directory" || seen.found?.kind === "symlink" && isDirectory(fs, name)) {
    return failed(ret, `Specified target ${name} is a directory`);
  }
  if (!isMap(args.context)) return failed(ret, "Context must be formed as a dict");
  if (truthy(args.defaults) && !isMap(args.defaults)) return failed(ret, "Defaults must be formed as a dict");
  const made: Plan = { context, name, ret, args, seen };
  if (mayBeRemote(args) && await hasTheHash(made)) args.replace = false;
  return made;
}

/** Contents as their template renders them, or what the return says instead. */
async function renderedContents(context: StateContext, args: Args): Promise<string | Partial<FileReturn>> {
  const rendered = await context.call("file.apply_template_on_contents", [
    args.contents,
    args.template,
    args.context,
    args.defaults,
    args.saltenv,
  ]);
  if (typeof rendered === "string") return rendered;
  const { result = false, comment = "Error while applying template on contents" } = rendered as Partial<FileReturn>;
  return { result, comment };
}

/** True for a source on the file server or on this host: its hash costs no download. */
function hasOwnHash(source: string): boolean {
  return ["salt", "file"].includes(schemeOf(source)) || source.startsWith("/");
}

/** True for a source whose hash may save a download. Each place of a list of sources may be remote. */
function mayBeRemote(args: Args): boolean {
  return args.contents === null && !truthy(args.template) && truthy(args.source) && !truthy(args.skip_verify) &&
    truthy(args.replace) && (Array.isArray(args.source) || !hasOwnHash(str(args.source)));
}

/** True if the file is there with the hash of its remote source: then it need not be fetched. */
async function hasTheHash({ context, name, args }: Plan): Promise<boolean> {
  if (!exists(context.runtime.fs, name)) return false;
  try {
    const [source, hash] = await sourceList(context, args);
    if (!truthy(source) || !truthy(hash) || hasOwnHash(str(source))) return false;
    const sum = await sourceSum(context, { ...args, file_name: name, source, source_hash: hash });
    return hashFile(context, name, sum.hash_type) === sum.hsum;
  } catch (error) {
    context.log.error("cannot compare a file with its source_hash", { path: name, error: messageOf(error) });
    return false;
  }
}

async function permissionsOnly({ context, name, ret, args }: Plan): Promise<FileReturn> {
  const { user, group, mode, attrs } = args;
  const follow = truthy(args.follow_symlinks);
  const [done, before] = await checkPerms(context, name, ret, { user, group, mode, attrs, follow });
  const checked = { ...done } as unknown as FileReturn;
  if (context.test) {
    checked.comment = isGiven(mode) && mode !== before.lmode
      ? `File ${name} will be updated with permissions ${str(mode)} from its current state of ${str(before.lmode)}`
      : `File ${name} not updated`;
  } else if (Object.keys(checked.changes).length === 0 && checked.result === true) {
    checked.comment = `File ${name} exists with proper permissions. No changes made.`;
  }
  return checked;
}

/** Texts that other states collected for this file are the variable `accumulator` of its template. */
function withAccumulator({ context, name, args }: Plan): void {
  const accumulator = accumulatorOf(context, name);
  if (accumulator === undefined) return;
  const variables = args.context as Args;
  args.context = variables instanceof Map
    ? new Map(variables).set("accumulator", accumulator)
    : { ...variables, accumulator };
}

const NOTE = "\nNote: No changes made, actual changes may\nbe different due to other states.";

async function preview(planned: Plan): Promise<FileReturn> {
  const { context, name, ret, args } = planned;
  withAccumulator(planned);
  let changes: unknown;
  try {
    changes = await checkManagedChanges(context, args);
  } catch (error) {
    const failure = failureText(error, name);
    if (failure === undefined) throw error;
    return failed(ret, `Unable to manage file: ${failure}`);
  }
  if (Array.isArray(changes)) return Object.assign(ret, { result: changes[0], comment: str(changes[1]) });
  ret.changes = changes as Args;
  if (!truthy(changes)) return Object.assign(ret, { comment: `The file ${name} is in the correct state` });
  if ("diff" in ret.changes && !truthy(args.show_changes)) ret.changes.diff = "<show_changes=False>";
  return Object.assign(ret, { result: null, comment: `The file ${name} is set to be changed${NOTE}` });
}

async function write(planned: Plan): Promise<FileReturn> {
  const { context, ret, args } = planned;
  withAccumulator(planned);
  const unable = (error: unknown) => {
    context.log.debug("cannot manage file", { path: planned.name, error: messageOf(error) });
    ret.changes = {};
    return failed(ret, `Unable to manage file: ${messageOf(error)}`);
  };
  try {
    if (Array.isArray(args.source)) [args.source, args.source_hash] = await sourceList(context, args);
    const { file, sum, comment, rendered } = await managedSource(context, args);
    args.sfn = file;
    args.source_sum = sum;
    args.rendered = rendered;
    let { seen } = planned;
    if (truthy(args.check_cmd)) {
      const refused = await checkedCopy(planned);
      if (refused !== undefined) return refused;
      // The command may have changed the file.
      seen = undefined;
    }
    if (comment !== "" && args.contents === null) return failed(ret, `Unable to manage file: ${comment}`);
    args.ret = ret;
    return await manageFile(context, args, seen) as unknown as FileReturn;
  } catch (error) {
    return unable(error);
  } finally {
    if (!truthy(args.keep_source)) await dropSource(planned);
  }
}

/** Has the cache forget the source, as it is asked to without `keep_source`. */
async function dropSource({ context, args }: Plan): Promise<void> {
  if (!["salt", "http", "https", "ftp"].includes(schemeOf(str(args.source)))) return;
  const cached = await context.call("cp.is_cached", [args.source, context.saltenv]);
  if (truthy(cached)) context.runtime.fs.remove(str(cached));
}
