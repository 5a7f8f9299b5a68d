import { messageOf, SystemError } from "../../../errors.ts";
import type { JobContext } from "../../../loader/context.ts";
import { CommandExecutionError, SaltInvocationError } from "../../../loader/family.ts";
import { entriesOf, isMap } from "../../../python/containers.ts";
import { unifiedDiff } from "../../../python/difflib.ts";
import { dirname } from "../../../python/posixpath.ts";
import { str } from "../../../python/repr.ts";
import { truthy } from "../../../python/truth.ts";
import { exists, isDirectory, isFile, isLink, realPath } from "../../linux/paths.ts";
import { withOsErrors } from "../../python_errors.ts";
import { cachedSource, localPath, schemeOf } from "../../sources.ts";
import { compareAttributes } from "./attributes.ts";
import { keepBackup } from "./backup.ts";
import { diffLines, isText, touch } from "./content.ts";
import { hashFile, redacted, type SourceSum, sourceSum, sumOf } from "./hash.ts";
import { checkPerms, type Ret, retOf } from "./perms.ts";
import { normalizeMode, pathOf, stats } from "./stats.ts";
import { makedirs } from "./tree.ts";

type Args = Record<string, unknown>;

const REMOTE = ["salt", "http", "https", "ftp", "swift", "s3"];

/** Why two files have no text to compare, or an empty text. */
function binaryChange(context: JobContext, from: string, to: string): string {
  const { fs } = context.runtime;
  const [before, after] = [!isText(fs, from), !isText(fs, to)];
  if (before && after) return "Replace binary file";
  if (before) return "Replace binary file with text file";
  return after ? "Replace text file with binary file" : "";
}

const obfuscated = (context: JobContext) => truthy(context.opts.obfuscate_templates);

/** The changes from one file to another, or the words that stand for them. */
function difference(context: JobContext, from: string, to: string, options: Args): string {
  const { fs } = context.runtime;
  const [before, after] = [from, to].map((path) => withOsErrors(path, () => fs.read(path)));
  if (before!.length === after!.length && before!.every((byte, at) => byte === after![at])) return "";
  if (truthy(options.template) && obfuscated(context)) return "<Obfuscated Template>";
  if (!truthy(options.show_changes ?? true)) return "<show_changes=False>";
  const binary = binaryChange(context, from, to);
  if (binary !== "") return binary;
  const names = truthy(options.show_filenames) ? { from, to } : {};
  return unifiedDiff(diffLines(before!), diffLines(after!), names).join("");
}

export async function getDiff(context: JobContext, args: Args): Promise<string> {
  const paths: string[] = [];
  const errors: string[] = [];
  for (const [file, hash] of [[args.file1, args.source_hash_file1], [args.file2, args.source_hash_file2]]) {
    const path = await cachedSource(context, str(file), { saltenv: args.saltenv, source_hash: hash });
    if (path === undefined) errors.push(`File ${str(file)} not found`);
    else paths.push(path);
  }
  if (errors.length > 0) throw new CommandExecutionError("Failed to cache one or more files", { info: errors });
  for (const path of paths) {
    if (isDirectory(context.runtime.fs, path)) {
      throw new CommandExecutionError(`Failed to read ${path}: Is a directory`);
    }
  }
  return difference(context, paths[0]!, paths[1]!, args);
}

/** The first of some sources that is there, with its hash. */
export async function sourceList(context: JobContext, args: Args): Promise<[unknown, unknown]> {
  const { source, source_hash: hash } = args;
  if (!Array.isArray(source)) return [source, hash];
  for (const item of source) {
    const [name, own] = isMap(item) ? entriesOf(item)[0] ?? ["", hash] : [item, hash];
    const url = str(name);
    if (await isThere(context, url, args)) return [name, truthy(own) ? own : hash];
  }
  throw new CommandExecutionError("none of the specified sources were found");
}

async function isThere(context: JobContext, url: string, args: Args): Promise<boolean> {
  const scheme = schemeOf(url);
  if (scheme === "salt") return truthy(await context.call("cp.hash_file", [url, args.saltenv ?? "base"]));
  if (scheme.startsWith("http")) {
    const answer = await context.call("http.query", [url], { method: "HEAD", decode_body: false });
    return isMap(answer) && !("error" in answer);
  }
  return localPath(url).startsWith("/") && exists(context.runtime.fs, localPath(url));
}

/**
 * Where the content of a managed file is: a file on this minion, its hash, and what went wrong. A template is not
 * rendered here.
 */
export async function getManaged(context: JobContext, args: Args): Promise<[string, Partial<SourceSum>, string]> {
  const { name, source, source_hash: hash, template, saltenv } = args;
  if (!truthy(source)) return ["", {}, ""];
  const url = str(source);
  const scheme = schemeOf(url);
  const failed = (message: string): [string, Partial<SourceSum>, string] => ["", {}, message];
  const remote = REMOTE.includes(scheme);
  let sum: Partial<SourceSum> = {};
  let file = "";
  if (!remote) {
    file = localPath(url);
    if (!exists(context.runtime.fs, file)) return failed(`Local file source ${file} does not exist`);
  }
  if (scheme === "salt") {
    sum = sumOf(await context.call("cp.hash_file", [url, saltenv]));
    if (!truthy(sum)) return failed(`Source file ${url} not found in saltenv '${str(saltenv)}'`);
  } else if (!remote && !truthy(hash)) sum = { hsum: hashFile(context, file, "sha256"), hash_type: "sha256" };
  else if (truthy(hash) && !truthy(args.skip_verify)) {
    try {
      sum = await sourceSum(context, { ...args, file_name: name });
    } catch (error) {
      if (error instanceof CommandExecutionError) return failed(error.message);
      throw error;
    }
  } else if (!truthy(args.skip_verify) && !truthy(args.use_etag)) {
    return failed(
      `Unable to verify upstream hash of source file ${
        redacted(url)
      }, please set source_hash or set skip_verify to True`,
    );
  }
  // What the master serves is fetched when the file is written, unless it is to be rendered before.
  if (remote && (scheme !== "salt" || truthy(template))) {
    let copy: string | undefined;
    try {
      copy = await cachedSource(context, url, { ...args, source_hash: sum.hsum ?? null });
    } catch (error) {
      return failed(`Failed to cache ${redacted(url)}: ${messageOf(error)}`);
    }
    if (copy === undefined) return failed(`Source file '${redacted(url)}' not found`);
    file = copy;
    if (truthy(args.skip_verify)) sum = { hsum: hashFile(context, file, "sha256"), hash_type: "sha256" };
  }
  if (file === name && (remote || truthy(template))) {
    throw new SaltInvocationError("Source file cannot be the same as destination");
  }
  if (truthy(template)) return [file, {}, `Specified template format ${str(template)} is not supported`];
  return [file, sum, ""];
}

/** Replaces a file by a copy of another, in one step; a copy of what it was is kept if that is wanted. */
async function commitCopy(
  context: JobContext,
  content: Uint8Array,
  to: string,
  backup: unknown,
  newMode = 0o666 & ~context.runtime.process.umask(),
): Promise<void> {
  const { fs } = context.runtime;
  const before = exists(fs, to) ? fs.stat(to) : undefined;
  const mode = str(await context.call("config.backup_mode", [backup ?? ""]));
  if ((mode === "minion" || mode === "both") && before !== undefined) keepBackup(context, to);
  fs.write(to, content, { mode: before?.mode ?? newMode });
  if (before !== undefined) {
    fs.chown(to, before.uid, before.gid);
    fs.chmod(to, before.mode);
  }
}

const failedRet = (ret: Ret, comment: string): Ret => ({ ...ret, result: false, comment });

/** A mode of directories that whoever may read the file may pass. */
function directoryMode(mode: unknown): unknown {
  if (mode === null || mode === undefined) return null;
  return [...str(mode)].slice(-3).map((digit) => digit === "0" ? "0" : String(Number(digit) | 1)).join("");
}

/** The bytes that a file is to have, if they are given rather than a source. */
function contentsOf(contents: unknown): Uint8Array | undefined {
  if (contents === null || contents === undefined) return undefined;
  return contents instanceof Uint8Array ? contents : new TextEncoder().encode(str(contents));
}

/** Gives a file its content, owner and mode, and tells what changed; the work of a state. */
export async function manageFile(context: JobContext, args: Args): Promise<Ret> {
  const { fs } = context.runtime;
  const name = pathOf(context, args.name);
  const ret = retOf(args.ret, name);
  const sum = { ...sumOf(args.source_sum) };
  if (sum.hsum !== undefined) sum.hsum = sum.hsum.toLowerCase();
  const follow = truthy(args.follow_symlinks);
  let mode = args.mode;
  let file = str(args.sfn ?? "");
  const source = truthy(args.source) ? str(args.source) : undefined;
  if (source !== undefined && file === "") {
    const copy = await cachedSource(context, source, args);
    if (copy === undefined) return failedRet(ret, `Source file '${source}' not found`);
    file = copy;
    const type = sum.hash_type ?? str(context.opts.hash_type ?? "sha256");
    Object.assign(sum, { hash_type: type, hsum: hashFile(context, file, type) });
  }
  if (source !== undefined && truthy(args.keep_mode) && ["", "file"].includes(schemeOf(source))) {
    mode = stats(context, localPath(source)).mode;
  }
  const wrongSum = () => {
    if (source === undefined || schemeOf(source) === "salt" || truthy(args.skip_verify) || truthy(args.use_etag)) {
      return undefined;
    }
    const actual = hashFile(context, file, str(sum.hash_type));
    return actual === sum.hsum ? undefined : actual;
  };
  const there = isFile(fs, name) || isLink(fs, name);
  const contents = contentsOf(args.contents);
  if (!there) {
    if (source !== undefined) {
      const actual = wrongSum();
      if (actual !== undefined) {
        return failedRet(
          ret,
          `Specified ${sum.hash_type} checksum for ${name} (${sum.hsum}) does not match actual checksum (${actual})`,
        );
      }
      ret.changes.diff = "New file";
    }
    if (!isDirectory(fs, dirname(name))) {
      if (!truthy(args.makedirs)) {
        delete ret.changes.diff;
        return failedRet(ret, "Parent directory not present");
      }
      const dirMode = args.dir_mode ?? directoryMode(mode);
      await makedirs(context, { path: name, user: args.user, group: args.group, mode: dirMode });
    }
    if (source === undefined && !truthy(context.opts.test)) {
      // With a mode to come, nobody else may look in before it is set.
      if (truthy(mode)) withOsErrors(name, () => fs.append(name, "", 0o600));
      else touch(context, { name, atime: null, mtime: null });
      if (contents === undefined) {
        ret.changes.new = `file ${name} created`;
        ret.comment = "Empty file";
      } else ret.changes.diff = "New file";
    }
    const content = contents ?? (file === "" ? undefined : fs.read(file));
    if (content !== undefined && !truthy(context.opts.test)) {
      await commitCopy(context, content, name, args.backup, truthy(mode) ? 0o600 : undefined);
    }
    mode ??= (0o666 & ~context.runtime.process.umask()).toString(8).padStart(4, "0");
    const [done] = await checkPerms(context, name, ret, {
      user: args.user,
      group: args.group,
      mode,
      attrs: args.attrs,
    });
    if (!truthy(done.comment)) done.comment = `File ${name} updated`;
    if (truthy(context.opts.test)) done.comment = `File ${name} not updated`;
    else if (Object.keys(done.changes).length === 0 && done.result) {
      done.comment = `File ${name} is in the correct state`;
    }
    return done;
  }
  const real = isLink(fs, name) && follow ? realPath(context.runtime, name) : name;
  try {
    if (source !== undefined && !(isLink(fs, real) && !follow)) {
      if (hashFile(context, real, str(sum.hash_type ?? "sha256")) !== sum.hsum) {
        const actual = wrongSum();
        if (actual !== undefined) {
          return failedRet(
            ret,
            `Specified ${sum.hash_type} checksum for ${source} (${sum.hsum}) does not match actual checksum (${actual}). ` +
              "If the 'source_hash' value refers to a remote file with multiple possible matches, then it may be " +
              "necessary to set 'source_hash_name'.",
          );
        }
        const changes = obfuscated(context) ? "<Obfuscated Template>" : difference(context, real, file, args);
        if (changes !== "") ret.changes.diff = changes;
        await commitCopy(context, fs.read(file), real, args.backup);
      }
    }
    if (contents !== undefined) {
      const changes = changesTo(context, real, contents, { ...args, template: true });
      if (changes !== "") {
        ret.changes.diff = changes;
        await commitCopy(context, contents, real, args.backup);
      }
    }
    if (isLink(fs, name) && !follow && source !== undefined) {
      fs.remove(name);
      await commitCopy(context, fs.read(file), name, args.backup);
      ret.changes.diff = "Replace symbolic link with regular file";
    }
  } catch (error) {
    if (error instanceof SystemError) return failedRet(ret, `Failed to commit change: ${error.message}`);
    throw error;
  }
  const wanted = { user: args.user, group: args.group, mode, attrs: args.attrs, follow };
  const [done] = await checkPerms(context, name, ret, wanted);
  if (Object.keys(done.changes).length > 0) done.comment = `File ${name} updated`;
  else if (done.result) done.comment = `File ${name} is in the correct state`;
  return done;
}

/** The changes from a file to bytes that are to become it. */
function changesTo(context: JobContext, path: string, contents: Uint8Array, options: Args): string {
  const { fs, crypto, process } = context.runtime;
  const random = Array.from(crypto.randomBytes(8), (byte) => byte.toString(16).padStart(2, "0")).join("");
  const temporary = `${process.env("TMPDIR") ?? "/tmp"}/__salt.tmp.${random}`;
  fs.write(temporary, contents);
  try {
    return difference(context, path, temporary, { ...options, show_filenames: false });
  } finally {
    fs.remove(temporary);
  }
}

/** What would change of a file if it were managed so. */
export async function checkFileMeta(context: JobContext, args: Args): Promise<Record<string, unknown>> {
  const name = pathOf(context, args.name);
  const sum = sumOf(args.source_sum);
  let current: ReturnType<typeof stats>;
  try {
    current = stats(context, name, sum.hash_type ?? null, args.follow_symlinks);
  } catch (error) {
    if (error instanceof CommandExecutionError) return { newfile: name };
    throw error;
  }
  const changes: Record<string, unknown> = {};
  if (sum.hsum !== undefined && sum.hsum !== current.sum) {
    const source = truthy(args.source) ? str(args.source) : undefined;
    const file = truthy(args.sfn)
      ? str(args.sfn)
      : source === undefined
      ? undefined
      : await cachedSource(context, source, { ...args, source_hash: sum.hsum });
    if (file === undefined) changes.sum = "Checksum differs";
    else changes.diff = difference(context, name, file, { template: true });
  }
  const contents = contentsOf(args.contents);
  if (contents !== undefined) {
    const text = changesTo(context, name, contents, {});
    if (text !== "") changes.diff = obfuscated(context) ? "<Obfuscated Template>" : text;
  }
  const { user, group } = args;
  if (user !== null && user !== current.user && user !== current.uid) changes.user = user;
  if (group !== null && group !== current.group && group !== current.gid) changes.group = group;
  const mode = normalizeMode(args.mode);
  if (mode !== null && mode !== current.mode) changes.mode = mode;
  if (truthy(args.attrs)) {
    const apart = await compareAttributes(context, name, str(args.attrs));
    if (apart !== undefined && (apart.added !== "" || apart.removed !== "")) changes.attrs = args.attrs;
  }
  return changes;
}

/** The changes that managing a file would make, or why they cannot be told. */
export async function checkManagedChanges(context: JobContext, args: Args): Promise<unknown> {
  const [source, hash] = await sourceList(context, args);
  let [file, sum]: [string, Partial<SourceSum>] = ["", {}];
  let mode = args.mode;
  if (args.contents === null) {
    const managed = await getManaged(context, { ...args, source, source_hash: hash });
    [file, sum] = managed;
    if (managed[2] !== "") return [false, managed[2]];
    if (file !== "" && truthy(args.keep_mode) && ["", "file"].includes(schemeOf(str(source)))) {
      mode = stats(context, file).mode;
    }
  }
  return await checkFileMeta(context, { ...args, source, mode, sfn: file, source_sum: sum });
}

/** Whether managing a file would change it, in words. */
export async function checkManaged(context: JobContext, args: Args): Promise<unknown> {
  const changes = await checkManagedChanges(context, args);
  if (!isMap(changes)) return changes;
  const name = str(args.name);
  const shown = entriesOf(changes).filter(([key]) =>
    !(name.startsWith(context.runtime.process.env("TMPDIR") ?? "/tmp") && ["user", "group", "mode"].includes(str(key)))
  );
  if (shown.length === 0) return [true, `The file ${name} is in the correct state`];
  const lines = shown.map(([key, value]) => `${str(key)}: ${str(value)}\n`).join("");
  return [null, `The following values are set to be changed:\n${lines}`];
}
