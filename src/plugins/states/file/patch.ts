import { messageOf } from "../../../base/errors.ts";
import { CommandExecutionError } from "../../../model/loader/family.ts";
import type { StateContext, StateReturn } from "../../../model/loader/states.ts";
import { dirname } from "../../../language/python/posixpath.ts";
import { type Args, str, truthy } from "../../../language/python/values.ts";
import { programPath } from "../../commands.ts";
import { exists, expandUser, isDirectory } from "../../linux/paths.ts";
import { sourceList } from "../../modules/file/managed_source.ts";
import { redacted } from "../../modules/file/hash.ts";
import { nested } from "../../outputters/nested.ts";
import { shellWords } from "../../linux/words.ts";
import { temporaryFile } from "../../host_files.ts";
import { managed } from "./managed.ts";
import { servedPath } from "./recurse_files.ts";
import { failed, type FileReturn, newRet } from "./ret.ts";

/** How the program patch ended. */
interface Patched {
  retcode: number;
  stdout: string;
  stderr: string;
}

/** Options of the program that the state sets itself. */
const OWN_OPTIONS = ["-N", "--forward", "-r", "--reject-file", "-o", "--output"];

/** Options for the program, and how many leading parts of paths it strips. @returns a complaint */
function optionsFor(given: unknown, strip: unknown): { options: string[]; strip: unknown } | string {
  const bad = (option: string) =>
    `Invalid format for '${option}' CLI option. Consider using the 'strip' option for this state.`;
  const whole = (text: string | undefined) => text !== undefined && /^-?\d+$/.test(text.trim());
  const [options, refused]: [string[], string[]] = [[], []];
  const words = shellWords(str(given ?? ""));
  let level = strip;
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at]!;
    if (OWN_OPTIONS.some((own) => word.startsWith(own))) refused.push(word);
    if (word.startsWith("-p")) {
      if (!whole(word.slice(2))) return bad("-p");
      level = Number(word.slice(2));
    } else if (word.startsWith("--strip")) {
      const value = word.includes("=") ? word.slice(word.lastIndexOf("=") + 1) : words[at += 1];
      if (!whole(value)) return bad("-strip");
      level = Number(value);
    } else options.push(word);
  }
  if (refused.length > 0) return `The following CLI options are not allowed: ${refused.join(", ")}`;
  return { options, strip: level };
}

/** Why nothing can be patched; undefined if it can. */
function unpatchable(context: StateContext, name: string, rejects: unknown): string | undefined {
  const { fs } = context.runtime;
  if (name === "") return "A file/directory to be patched is required";
  if (!name.startsWith("/")) return `${name} is not an absolute path`;
  if (!exists(fs, name)) return `${name} does not exist`;
  if (rejects === null) return undefined;
  const directory = dirname(str(rejects));
  if (!directory.startsWith("/")) return `'${str(rejects)}' is not an absolute path`;
  if (isDirectory(fs, directory)) return undefined;
  return `Parent directory for reject_file '${str(rejects)}' either does not exist, or is not a directory`;
}

/** The address of the patch, in the environment that the state names. */
async function sourceOf(context: StateContext, ret: FileReturn, args: Args): Promise<string> {
  const [found] = await sourceList(context, { ...args, saltenv: context.saltenv });
  const source = str(found);
  if (args.saltenv === null || !source.startsWith("salt://")) return source;
  const { saltenv } = servedPath(source);
  if (saltenv === undefined) return `${source}?saltenv=${str(args.saltenv)}`;
  if (saltenv !== args.saltenv) {
    ret.warnings = [
      ...ret.warnings ?? [],
      "Ignoring 'saltenv' option in favor of saltenv included in the source URL.",
    ];
  }
  return source;
}

/** `file.patch`: a file or directory with a patch applied. */
export async function patch(context: StateContext, args: Args): Promise<StateReturn> {
  const name = str(args.name ?? "");
  const ret = newRet(name, false);
  if (programPath(context, "patch") === undefined) return failed(ret, "patch executable not found on minion");
  const path = expandUser(context.runtime, name);
  const complaint = unpatchable(context, path, args.reject_file);
  if (complaint !== undefined) return failed(ret, complaint);
  for (const argument of ["hash", "dry_run_first"]) {
    if (!(argument in (args.kwargs as Args))) continue;
    const warning = `The '${argument}' argument is no longer used and has been ignored.`;
    ret.warnings = [...ret.warnings ?? [], warning];
  }
  const chosen = optionsFor(args.options, args.strip);
  if (typeof chosen === "string") return failed(ret, chosen);
  let source: string;
  try {
    source = await sourceOf(context, ret, args);
  } catch (error) {
    if (!(error instanceof CommandExecutionError)) throw error;
    return failed(ret, error.message);
  }
  const { fs } = context.runtime;
  const temporary = [0, 1, 2].map(() => temporaryFile(context.runtime, ""));
  try {
    const [file = "", rejects = "", output = ""] = temporary;
    const fetched = await fetchPatch(context, file, source, args);
    if (typeof fetched === "string") return failed(ret, fetched);
    if (!context.test && fetched.result === false) return fetched;
    return await applied(context, { ret, path, file, rejects, output, args, ...chosen });
  } finally {
    for (const file of temporary) fs.remove(file);
  }
}

/** Fetches and renders the patch, also in a dry run. @returns what `file.managed` says of it, or why it failed */
async function fetchPatch(context: StateContext, file: string, source: string, args: Args) {
  const { source_hash, source_hash_name, skip_verify, template, context: variables, defaults } = args;
  const real: StateContext = Object.assign(Object.create(context), {
    test: false,
    opts: { ...context.opts, test: false },
  });
  try {
    return await managed(real, {
      name: file,
      source,
      source_hash,
      source_hash_name,
      skip_verify,
      template,
      context: variables,
      defaults,
    });
  } catch (error) {
    return `Failed to cache patch file ${redacted(source)}: ${messageOf(error)}`;
  }
}

interface Application {
  ret: FileReturn;
  path: string;
  /** The patch; where what cannot be applied goes; and where a trial writes. */
  file: string;
  rejects: string;
  output: string;
  args: Args;
  options: string[];
  strip: unknown;
}

async function applied(context: StateContext, application: Application): Promise<StateReturn> {
  const { ret, path, file, output, args, options, strip } = application;
  const rejects = args.reject_file === null ? application.rejects : str(args.reject_file);
  const stripping = isDirectory(context.runtime.fs, path) && strip !== null ? [`-p${str(strip)}`] : [];
  const run = async (patchFile: string, more: string[], dryRun = false): Promise<Patched> => {
    const words = { options: [...options, ...more], dry_run: dryRun };
    return await context.call("file.patch", [path, patchFile], words) as Patched;
  };
  const trial = await run(file, ["-N", "-r", rejects, "-o", output, ...stripping]);
  if (trial.retcode !== 0) {
    const back = await run(rejects, ["-R", "-f"], true);
    if (trial.retcode === 2 && truthy(trial.stderr)) return failed(ret, trial.stderr);
    if (back.retcode === 0) return Object.assign(ret, { comment: "Patch was already applied", result: true });
    const hint = args.reject_file === null
      ? " Run state again using the reject_file option to save rejects to a persistent file."
      : "";
    const shown = nested(trial, { color: false, nested_indent: 14 });
    return failed(
      ret,
      `Patch would not apply cleanly, no changes made. Results of dry-run are below.${hint}\n\n${shown}`,
    );
  }
  if (context.test) {
    return Object.assign(ret, { result: null, comment: "The patch would be applied", changes: { ...trial } });
  }
  const done = await run(file, stripping);
  ret.changes = { ...done };
  if (done.retcode !== 0) return failed(ret, "Failed to apply patch");
  return Object.assign(ret, { result: true, comment: "Patch successfully applied" });
}
