import { SystemError } from "../../../base/errors.ts";
import type { JobContext } from "../../../model/loader/family.ts";
import type { FileStat } from "../../../runtime/fs.ts";
import { dirname } from "../../../language/python/posixpath.ts";
import { type Args, str, truthy } from "../../../language/python/values.ts";
import { isDirectory, lookAt, pathToChange } from "../../linux/paths.ts";
import { withOsErrors } from "../../python_errors.ts";
import { cachedSource, schemeOf } from "../../sources.ts";
import { restoreLabel } from "./attributes.ts";
import { keepBackup } from "./backup.ts";
import { contentsOf } from "./content.ts";
import { difference, obfuscated } from "./difference.ts";
import { hashFile, type SourceSum, sumOf } from "./hash.ts";
import { sourceMode } from "./managed_source.ts";
import { checkPerms, type Ret, retOf } from "./perms.ts";
import { pathOf } from "./stats.ts";
import { makedirs } from "./tree.ts";
import { removeTemporary } from "../../host_files.ts";

/** A file that is being managed: what it is to become, and `ret`, which collects what changed. */
interface Managed {
  context: JobContext;
  args: Args;
  name: string;
  ret: Ret;
  /** The URL that the content comes from, and its copy on this minion, `""` if there is none. */
  source: string | undefined;
  copy: string;
  rendered: Uint8Array | undefined;
  sum: Partial<SourceSum>;
  /** The content itself, where the caller passed it. */
  contents: Uint8Array | undefined;
  mode: unknown;
  follow: boolean;
}

/** What a caller has seen under the name just now, without following a link; `found` is undefined if nothing is there. */
export interface Seen {
  found: FileStat | undefined;
}

/** Writes the content of a file, sets its owner and mode, and reports what changed; the work of the state `file.managed`. */
export async function manageFile(context: JobContext, args: Args, seen?: Seen): Promise<Ret> {
  try {
    return await manage(context, args, seen);
  } finally {
    removeTemporary(context.runtime, str(args.sfn ?? ""));
  }
}

async function manage(context: JobContext, args: Args, seen: Seen | undefined): Promise<Ret> {
  const managed = await prepared(context, args);
  if ("result" in managed) return managed;
  const { found } = seen ?? { found: lookAt(context.runtime.fs, managed.name, { follow: false }) };
  return found?.kind === "file" || found?.kind === "symlink"
    ? await updateFile(managed, found)
    : await createFile(managed);
}

const failedRet = (ret: Ret, comment: string): Ret => ({ ...ret, result: false, comment });

/** What the arguments mean. Without a hash to compare with, the source is fetched. @returns a failed `ret` if it cannot be found */
async function prepared(context: JobContext, args: Args): Promise<Managed | Ret> {
  const name = pathOf(context, args.name);
  const ret = retOf(args.ret, name);
  const sum = { ...sumOf(args.source_sum) };
  if (sum.hsum !== undefined) sum.hsum = sum.hsum.toLowerCase();
  const source = truthy(args.source) ? str(args.source) : undefined;
  const copy = str(args.sfn ?? "");
  const kept = source !== undefined && truthy(args.keep_mode) ? await sourceMode(context, source, args) : undefined;
  const follow = truthy(args.follow_symlinks);
  const rendered = args.rendered instanceof Uint8Array ? args.rendered : undefined;
  const contents = contentsOf(args.contents, args);
  const managed: Managed = {
    context,
    args,
    name,
    ret,
    source,
    copy,
    rendered,
    sum,
    contents,
    mode: kept ?? args.mode,
    follow,
  };
  const missing = sum.hsum === undefined ? await fetchSource(managed) : undefined;
  return missing === undefined ? managed : failedRet(ret, missing);
}

/** Fetches the source, unless there is none or the caller did. @returns the comment if it cannot be found */
async function fetchSource(managed: Managed): Promise<string | undefined> {
  const { context, args, source, sum } = managed;
  if (source === undefined || managed.copy !== "") return undefined;
  const fetched = await cachedSource(context, source, args);
  if (fetched === undefined) return `Source file '${source}' not found`;
  managed.copy = fetched;
  const type = sum.hash_type ?? str(context.opts.hash_type ?? "sha256");
  Object.assign(sum, { hash_type: type, hsum: hashFile(context, fetched, type) });
  return undefined;
}

/** The hash of the copy if it is not the one that was asked for. */
function wrongSum({ context, args, source, copy, rendered, sum }: Managed): string | undefined {
  if (source === undefined || schemeOf(source) === "salt" || truthy(args.skip_verify) || truthy(args.use_etag)) {
    return undefined;
  }
  const actual = rendered === undefined ? hashFile(context, copy, str(sum.hash_type)) : sum.hsum;
  return actual === sum.hsum ? undefined : actual;
}

const wrongSumText = (of: string, { sum }: Managed, actual: string): string =>
  `Specified ${sum.hash_type} checksum for ${of} (${sum.hsum}) does not match actual checksum (${actual})`;

/** The content that the source gives; undefined without one. */
function contentOf({ context, copy, rendered }: Managed): Uint8Array | undefined {
  return rendered ?? (copy === "" ? undefined : context.runtime.fs.read(copy));
}

/** What writing the content of the source into a file changes, as text. */
function sourceChanges({ context, args, copy, rendered }: Managed, path: string): string {
  if (obfuscated(context)) return "<Obfuscated Template>";
  return difference(context, path, rendered ?? copy, args);
}

async function createFile(managed: Managed): Promise<Ret> {
  const { context, args, name, ret, source, contents } = managed;
  const { fs } = context.runtime;
  const test = truthy(context.opts.test);
  const missing = await fetchSource(managed);
  if (missing !== undefined) return failedRet(ret, missing);
  if (source !== undefined) {
    const actual = wrongSum(managed);
    if (actual !== undefined) return failedRet(ret, wrongSumText(name, managed, actual));
    ret.changes.diff = "New file";
  }
  if (!isDirectory(fs, dirname(name))) {
    if (!truthy(args.makedirs)) {
      delete ret.changes.diff;
      return failedRet(ret, "Parent directory not present");
    }
    const mode = args.dir_mode ?? directoryMode(managed.mode);
    await makedirs(context, { path: name, user: args.user, group: args.group, mode });
  }
  if (source === undefined && !test) {
    if (contents === undefined) {
      createEmpty(managed);
      await restoreLabel(context, name);
      ret.changes.new = `file ${name} created`;
      ret.comment = "Empty file";
    } else ret.changes.diff = "New file";
  }
  const content = contents ?? contentOf(managed);
  if (content !== undefined && !test) {
    // Nobody else may read it before it has its owner and mode. Of a new file from a source the mode counts as a change.
    const closed = source !== undefined || truthy(managed.mode);
    await commitCopy(context, content, name, args.backup, closed ? 0o600 : usualMode(context));
  }
  const mode = managed.mode ?? usualMode(context).toString(8).padStart(4, "0");
  const wanted = { user: args.user, group: args.group, mode, attrs: args.attrs };
  const [done] = await checkPerms(context, name, ret, wanted);
  if (!truthy(done.comment)) done.comment = `File ${name} updated`;
  if (test) done.comment = `File ${name} not updated`;
  else if (Object.keys(done.changes).length === 0 && done.result) done.comment = `File ${name} is in the correct state`;
  return done;
}

/** The mode of a new file that nobody named one for. */
const usualMode = (context: JobContext) => 0o666 & ~context.runtime.process.umask();

function createEmpty({ context, name, mode }: Managed): void {
  // If a mode is set later, no other user may read the file before that.
  const first = truthy(mode) ? 0o600 : usualMode(context);
  withOsErrors(name, () => context.runtime.fs.write(name, "", { how: "create", mode: first }));
}

/** @param found what stands under the name */
async function updateFile(managed: Managed, found: FileStat): Promise<Ret> {
  const { context, args, name, ret, mode, follow } = managed;
  const isLink = found.kind === "symlink";
  const path = follow && isLink ? pathToChange(context.runtime, name) : name;
  try {
    const failure = await updateContent(managed, isLink && !follow);
    if (failure !== undefined) return failedRet(ret, failure);
  } catch (error) {
    if (error instanceof SystemError) return failedRet(ret, `Failed to commit change: ${error.message}`);
    throw error;
  }
  // Of the file that was looked at: a link that stands there by now is not followed.
  const known = isLink || "diff" in ret.changes ? undefined : found;
  const wanted = { user: args.user, group: args.group, mode, attrs: args.attrs, follow: false, known };
  const [done] = await checkPerms(context, path, ret, wanted);
  if (Object.keys(done.changes).length > 0) done.comment = `File ${name} updated`;
  else if (done.result) done.comment = `File ${name} is in the correct state`;
  return done;
}

/**
 * Replaces what differs.
 *
 * @param isUnfollowedLink whether a link stands there, which is to become a file
 * @returns the comment of the failed `ret` if the source is not found, or has the wrong hash
 */
async function updateContent(managed: Managed, isUnfollowedLink: boolean): Promise<string | undefined> {
  const { context, args, name, ret, source, sum, contents, follow } = managed;
  const { fs } = context.runtime;
  // The file itself, where the name is a link that is followed. Nearly always nothing differs, and it is not needed.
  const realName = () => follow ? pathToChange(context.runtime, name) : name;
  if (source !== undefined && !isUnfollowedLink) {
    if (hashFile(context, name, str(sum.hash_type ?? "sha256")) !== sum.hsum) {
      const real = realName();
      const missing = await fetchSource(managed);
      if (missing !== undefined) return missing;
      const actual = wrongSum(managed);
      if (actual !== undefined) {
        return `${wrongSumText(source, managed, actual)}. ` +
          "If the 'source_hash' value refers to a remote file with multiple possible matches, then it may be " +
          "necessary to set 'source_hash_name'.";
      }
      const changes = sourceChanges(managed, real);
      if (changes !== "") ret.changes.diff = changes;
      await commitCopy(context, contentOf(managed)!, real, args.backup, usualMode(context));
    }
  }
  if (contents !== undefined) {
    const changes = difference(context, name, contents, { template: true, show_changes: args.show_changes });
    if (changes !== "") {
      ret.changes.diff = changes;
      await commitCopy(context, contents, realName(), args.backup, usualMode(context));
    }
  }
  if (isUnfollowedLink && source !== undefined) {
    const missing = await fetchSource(managed);
    if (missing !== undefined) return missing;
    fs.remove(name);
    await commitCopy(context, contentOf(managed)!, name, args.backup, usualMode(context));
    ret.changes.diff = "Replace symbolic link with regular file";
  }
  return undefined;
}

/** The mode for new directories: every user who may use the file may also enter them. */
export function directoryMode(mode: unknown): string | null {
  if (mode === null || mode === undefined) return null;
  return [...str(mode)].slice(-3).map((digit) => digit === "0" ? "0" : String(Number(digit) | 1)).join("");
}

/**
 * Replaces the content of a file in one step, with its owner and mode; keeps a backup if the configuration or the caller asks for
 * one. A link that somebody puts in the file's place meanwhile is replaced, not followed.
 */
async function commitCopy(
  context: JobContext,
  content: Uint8Array,
  to: string,
  backup: unknown,
  newMode: number,
): Promise<void> {
  const { fs } = context.runtime;
  const found = lookAt(fs, to, { follow: false });
  const before = found?.kind === "file" ? found : undefined;
  const mode = str(await context.call("config.backup_mode", [backup ?? ""]));
  if ((mode === "minion" || mode === "both") && before !== undefined) keepBackup(context, to);
  const kept = before === undefined ? {} : { owner: { uid: before.uid, gid: before.gid }, like: to };
  fs.write(to, content, { mode: before?.mode ?? newMode, ...kept, sync: true });
  if (before === undefined) await restoreLabel(context, to);
}
