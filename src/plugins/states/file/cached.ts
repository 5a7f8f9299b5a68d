import { messageOf } from "../../../base/errors.ts";
import type { StateContext, StateReturn } from "../../../model/loader/states.ts";
import { CommandExecutionError } from "../../../model/loader/family.ts";
import { type Args, str, truthy } from "../../../language/python/values.ts";
import { exists, expandUser, realPath } from "../../linux/paths.ts";
import { localPath, schemeOf } from "../../sources.ts";
import { hashFile, redacted, type SourceSum, sourceSum } from "../../modules/file/hash.ts";
import { failed, failureText, type FileReturn } from "./ret.ts";

const REMOTE = ["http", "https", "ftp", "swift", "s3"];
const LOCAL = ["", "file"];

const localFile = (context: StateContext, name: string) =>
  realPath(context.runtime, expandUser(context.runtime, localPath(name)));

interface Wanted {
  context: StateContext;
  name: string;
  ret: FileReturn;
  args: Args;
  /** The hash that it must have. */
  sum: Partial<SourceSum>;
  hash(path: string): string;
}

/** `file.cached`: the minion's cache has a file. */
export async function cached(context: StateContext, args: Args): Promise<StateReturn> {
  const name = str(args.name);
  const ret: FileReturn = { changes: {}, comment: "", name, result: false };
  const unverified = !truthy(args.skip_verify) && !truthy(args.source_hash) && !truthy(args.use_etag);
  if (unverified && REMOTE.includes(schemeOf(name))) {
    const shown = redacted(name);
    ret.comment =
      `Unable to verify upstream hash of source file ${shown}, please set source_hash or set skip_verify or ` +
      "use_etag to True";
    return ret;
  }
  let sum: Partial<SourceSum> = {};
  if (truthy(args.source_hash)) {
    try {
      sum = await sourceSum(context, { ...args, source: name, file_name: "" });
    } catch (error) {
      if (!(error instanceof CommandExecutionError)) throw error;
      return failed(ret, error.message);
    }
  }
  const type = sum.hash_type ?? str(context.opts.hash_type ?? "sha256");
  const wanted: Wanted = { context, name, ret, args, sum, hash: (path) => hashFile(context, path, type) };
  const isLocal = LOCAL.includes(schemeOf(name));
  if (!context.test) return isLocal ? present(wanted) : await fetched(wanted);
  const here = isLocal ? present({ ...wanted, ret: { ...ret } }) : undefined;
  // What is missing may come in the same run.
  return here?.result === true ? here : await preview(wanted);
}

const cachedCopy = async ({ context, name, args }: Wanted): Promise<string | undefined> => {
  const path = await context.call("cp.is_cached", [name], { saltenv: args.saltenv });
  return truthy(path) ? str(path) : undefined;
};

async function preview(wanted: Wanted): Promise<FileReturn> {
  const { name, ret, sum, hash } = wanted;
  const copy = await cachedCopy(wanted);
  const will = `File will be cached: ${name}`;
  if (copy === undefined) ret.comment = will;
  else if (sum.hsum === undefined) ret.comment = `No hash found. ${will}`;
  else {
    const isRight = hash(copy) === sum.hsum;
    ret.comment = isRight ? `File already cached: ${name}` : `Hashes don't match.\n${will}`;
    if (isRight) return Object.assign(ret, { result: true });
  }
  return Object.assign(ret, { result: null });
}

/** A file of this host is its own copy. */
function present({ context, name, ret, args, sum, hash }: Wanted): FileReturn {
  const path = localFile(context, name);
  if (!exists(context.runtime.fs, path)) return failed(ret, `File ${path} is not present on the minion`);
  const here = `File ${path} is present on the minion`;
  if (truthy(args.skip_verify) || sum.hsum === undefined) return Object.assign(ret, { result: true, comment: here });
  const actual = hash(path);
  if (actual === sum.hsum) return Object.assign(ret, { result: true, comment: `${here} and has hash ${actual}` });
  return failed(ret, `${here}, but the hash (${actual}) does not match the specified hash (${sum.hsum})`);
}

async function fetched(wanted: Wanted): Promise<FileReturn> {
  const { context, name, ret, args, sum, hash } = wanted;
  const old = await cachedCopy(wanted);
  const before = old === undefined ? null : hash(old);
  let path: unknown;
  try {
    path = await context.call("cp.cache_file", [name], {
      saltenv: args.saltenv,
      source_hash: sum.hsum ?? null,
      use_etag: args.use_etag,
    });
  } catch (error) {
    return failed(ret, redacted(messageOf(error)));
  }
  if (!truthy(path)) return failed(ret, `Failed to cache ${redacted(name)}, check minion log for more information`);
  const after = hash(str(path));
  if (before !== after) ret.changes.hash = { old: before, new: after };
  if (truthy(args.skip_verify) || sum.hsum === undefined) {
    return Object.assign(ret, { result: true, comment: `File is cached to ${str(path)}` });
  }
  if (after === sum.hsum) {
    return Object.assign(ret, { result: true, comment: `File is already cached to ${str(path)} with hash ${after}` });
  }
  const comment = `File is cached to ${
    str(path)
  }, but the hash (${after}) does not match the specified hash (${sum.hsum})`;
  return failed(ret, comment);
}

/** `file.not_cached`: the minion's cache does not have a file. */
export async function notCached(context: StateContext, args: Args): Promise<StateReturn> {
  const name = str(args.name);
  const ret: FileReturn = { changes: {}, comment: "", name, result: true };
  if (LOCAL.includes(schemeOf(name))) {
    return Object.assign(ret, { comment: `File ${localFile(context, name)} is a local path, no action taken` });
  }
  const path = await context.call("cp.is_cached", [name], { saltenv: args.saltenv });
  if (!truthy(path)) return Object.assign(ret, { comment: `${name} is not cached` });
  try {
    context.runtime.fs.remove(str(path));
  } catch (error) {
    return failed(ret, `Failed to delete ${str(path)}: ${failureText(error, str(path)) ?? messageOf(error)}`);
  }
  return Object.assign(ret, { comment: `${str(path)} was deleted`, changes: { deleted: true } });
}
