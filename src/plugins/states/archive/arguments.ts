import { fails, messageFor } from "../outcome.ts";
import { CommandExecutionError, SaltInvocationError } from "../../../model/loader/family.ts";
import { end, fail, hasFunction, type StateContext } from "../../../model/loader/states.ts";
import { type Args, type KeywordArgs, repr, str, truthy } from "../../../language/python/values.ts";
import { relpath } from "../../../language/python/posixpath.ts";
import { exists, expandUser, isFile, realPath } from "../../linux/paths.ts";
import { redacted } from "../../modules/file/hash.ts";
import { localPath, schemeOf } from "../../sources.ts";

type ArchiveFormat = "tar" | "rar" | "zip";
const FORMATS: readonly ArchiveFormat[] = ["tar", "rar", "zip"];

const ENDINGS: [RegExp, ArchiveFormat][] = [
  [/\.(?:tar|tar\.gz|tgz|tar\.bz2|tbz2|tbz|tar\.xz|txz|tar\.lzma|tlz)$/i, "tar"],
  [/\.zip$/i, "zip"],
  [/\.rar$/i, "rar"],
];

export interface Extraction {
  /** The directory, with a slash at the end. */
  name: string;
  source: string;
  isLocal: boolean;
  format: ArchiveFormat;
  options: string | undefined;
  /** Of zip: by the program unzip. */
  useProgram: boolean;
  /** How many names are shown; false for all. */
  trim: number | false;
  user: unknown;
  group: unknown;
  /** -1: not to be changed. */
  uid: number;
  gid: number;
  warnings: string[];
}

const isAbsolute = (path: unknown) => path === null || (typeof path === "string" && path.startsWith("/"));

function checkPaths(context: StateContext, args: Args): string {
  const { fs } = context.runtime;
  const { if_missing: missing, enforce_ownership_on: owned } = args;
  const given = str(args.name);
  if (!given.startsWith("/")) fail(`${given} is not an absolute path`);
  const name = given.replace(/\/+$/, "");
  if (isFile(fs, name)) fail(`${name} exists and is not a directory`);
  if (!isAbsolute(missing)) fail("Value for 'if_missing' is not an absolute path");
  if (!isAbsolute(owned)) fail("Value for 'enforce_ownership_on' is not an absolute path");
  if (owned !== null && relpath(str(owned), `${name}/`).startsWith("../")) {
    fail(`Value for 'enforce_ownership_on' must be within ${name}/`);
  }
  if (missing !== null && exists(fs, str(missing))) end(true, `Path ${str(missing)} exists`);
  return `${name}/`;
}

async function numberOf(context: StateContext, kind: "user" | "group", name: unknown): Promise<number> {
  if (!truthy(name)) return -1;
  const id = await context.call(kind === "user" ? "file.user_to_uid" : "file.group_to_gid", [name]);
  if (id !== "") return Number(id);
  fail(`${kind === "user" ? "User" : "Group"} ${str(name)} does not exist`);
}

async function sourceOf(context: StateContext, args: Args): Promise<{ source: string; isLocal: boolean }> {
  const asked = [args.source, args.source_hash ?? "", context.saltenv];
  const [found] = await context.call("file.source_list", asked).catch(
    fails("", messageFor(CommandExecutionError, SaltInvocationError)),
  ) as unknown[];
  if (!truthy(found)) fail(`Invalid source "${str(args.source)}"`);
  const source = str(found);
  if (!["", "file"].includes(schemeOf(source))) return { source, isLocal: false };
  const path = realPath(context.runtime, expandUser(context.runtime, localPath(source)));
  if (!isFile(context.runtime.fs, path)) fail(`Source file '${redacted(path)}' does not exist`);
  return { source: path, isLocal: true };
}

function formatOf(source: string, given: unknown): ArchiveFormat {
  if (!truthy(given)) {
    const path = source.replace(/[?#].*$/, "").replace(/\/+$/, "");
    const guessed = ENDINGS.find(([ending]) => ending.test(path))?.[1];
    if (guessed !== undefined) return guessed;
    fail(
      "Could not guess archive_format from the value of the 'source' argument. Please set this archive_format to one " +
        `of the following: ${FORMATS.join(", ")}`,
    );
  }
  const name = str(given).toLowerCase();
  const format = FORMATS.find((one) => one === name);
  if (format !== undefined) return format;
  fail(
    `Invalid archive_format '${name}'. Either set it to a supported value (${FORMATS.join(", ")}) or remove this ` +
      "argument and the archive format will be guessed based on file extension.",
  );
}

/** How a zip file is unpacked. */
async function zipWay(context: StateContext, args: Args, warnings: string[]): Promise<boolean> {
  const { options, password, use_cmd_unzip: wanted } = args;
  if (truthy(options)) {
    if (wanted !== null && !truthy(wanted)) {
      fail(
        "'use_cmd_unzip' cannot be set to False if CLI options are being specified (via the 'options' argument). " +
          "Either remove 'use_cmd_unzip', or set it to True.",
      );
    }
    if (!await hasFunction(context, "archive.cmd_unzip")) {
      fail("archive.cmd_unzip function not available, unzip might not be installed on minion");
    }
  }
  const program = truthy(wanted) || truthy(options);
  if (truthy(password) && program) {
    warnings.push(
      "Using a password in combination with setting 'use_cmd_unzip' to True is considered insecure. It is recommended " +
        "to remove the 'use_cmd_unzip' argument (or set it to False) and allow Salt to extract the archive using " +
        "Python's built-in ZIP file support.",
    );
  }
  return program;
}

function trimOf(value: unknown): number | false {
  if (!truthy(value)) return false;
  if (value === true) return 100;
  const count = Number(value);
  if (Number.isInteger(count)) return count;
  fail(`Invalid value for trim_output, must be True/False or an integer, not ${repr(value)}`);
}

/** Reads the arguments of `archive.extracted`. @throws {StateEnd} */
export async function readArguments(context: StateContext, args: KeywordArgs): Promise<Extraction> {
  const { user, group, password, options: given } = args;
  if (truthy(args.skip_files_list_verify) && truthy(args.skip_verify)) {
    fail('Only one of "skip_files_list_verify" and "skip_verify" can be set to True');
  }
  const warnings: string[] = [];
  if ("keep_source" in args.kwargs && "keep" in args.kwargs) {
    warnings.push(
      "Both 'keep_source' and 'keep' were used. Since these both do the same thing, 'keep' was ignored.",
    );
  }
  const name = checkPaths(context, args);
  const uid = await numberOf(context, "user", user);
  const gid = await numberOf(context, "group", group);
  if (truthy(args.source_hash_update) && !truthy(args.source_hash)) {
    warnings.push("The 'source_hash_update' argument is ignored when 'source_hash' is not also specified.");
  }
  const { source, isLocal } = await sourceOf(context, args);
  const format = formatOf(source, args.archive_format);
  const useProgram = format === "zip" && await zipWay(context, args, warnings);
  if (format !== "zip" && truthy(password)) {
    fail("The 'password' argument is only supported for zip archives");
  }
  if (format === "rar" && !await hasFunction(context, "archive.unrar")) {
    fail("archive.unrar function not available, rar/unrar might not be installed on minion");
  }
  if (format === "rar" && truthy(given)) {
    fail("The 'options' argument is only compatible with the following archive formats: tar, zip");
  }
  const options = given === null ? undefined : str(given);
  const trim = trimOf(args.trim_output);
  return { name, source, isLocal, format, options, useProgram, trim, user, group, uid, gid, warnings };
}
