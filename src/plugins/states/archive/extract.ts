import { fails, messageFor } from "../outcome.ts";
import { isWithin, joinPath } from "../../../base/paths.ts";
import { CommandExecutionError, CommandNotFoundError } from "../../../model/loader/family.ts";
import { fail, type StateContext, type StateReturn } from "../../../model/loader/states.ts";
import { splitLines } from "../../../language/python/text.ts";
import { basename, dirname, normpath } from "../../../language/python/posixpath.ts";
import { type Args, truthy } from "../../../language/python/values.ts";
import { programPath, runAll } from "../../commands.ts";
import { checkProgramPath, isDirectory, lookAt, realPath } from "../../linux/paths.ts";
import { shellWords } from "../../linux/words.ts";
import type { Extraction } from "./arguments.ts";
import type { ArchiveContents } from "./contents.ts";

/** @throws {StateEnd} if a path of the archive leads out of the destination. @returns the whole path */
export function refuseOutside(context: StateContext, name: string, path: string): string {
  const full = joinPath(name, path).replace(/\/+$/, "");
  // A member may be called `../x`, or stand below a link: nothing outside the destination is removed for it.
  const real = joinPath(realPath(context.runtime, dirname(full)), basename(full));
  const isBelow = (directory: string, one: string) => one !== directory && isWithin(directory, one);
  if (!isBelow(normpath(name), normpath(full)) || !isBelow(realPath(context.runtime, name), real)) {
    fail(`Cannot remove "${full}" for the archive: it is not below ${name}`);
  }
  return full;
}

/** Removes a path below the destination, whatever it is. @returns false if there was nothing */
export function removePath(context: StateContext, name: string, path: string): boolean {
  const { fs } = context.runtime;
  const full = refuseOutside(context, name, path);
  if (lookAt(fs, full, { follow: false }) === undefined) return false;
  fs.remove(full, { recursive: true });
  return true;
}

/** Removes what stands at the top of the archive. */
export function clean(context: StateContext, { name }: Extraction, contents: ArchiveContents, ret: StateReturn): void {
  const removed = [...contents.top_level_dirs, ...contents.top_level_files]
    .filter((path) => removePath(context, name, path)).map((path) =>
      joinPath(name, path) + (path.endsWith("/") ? "/" : "")
    );
  if (removed.length > 0) ret.changes.removed = removed.map((path) => path.replace(/\/+$/, "/"));
}

/** Options as people write them for tar: the first word may be letters without a hyphen. */
function tarWords(options: string, archive: string): string[] {
  const words = shellWords(options).filter((word) => !["v", "-v", "--verbose"].includes(word));
  const [first = "", ...more] = words;
  const letters = first.startsWith("-") ? "" : first.replace(/[xf]/g, "");
  const long = first === "" ? [] : first.startsWith("-") ? [first, ...more] : more;
  return ["tar", `xv${letters}`, ...long, "-f", archive];
}

async function unpackTar(context: StateContext, { name, options }: Extraction, archive: string): Promise<string[]> {
  if (programPath(context, "tar") === undefined) {
    fail("tar command not available, it might not be installed on minion");
  }
  const words = options === undefined
    ? ["tar", "xvpf", archive, "--quoting-style=literal"]
    : tarWords(options, archive);
  const outcome = await runAll(context, words, { cwd: name });
  if (outcome.retcode !== 0) throw new FailedProgram(outcome as unknown as Record<string, unknown>);
  const files = splitLines(outcome.stdout);
  return options === undefined ? files.map((file) => file.replace(/\/$/, "")) : files;
}

/** A program failed: what it printed stands among the changes. */
export class FailedProgram extends Error {
  readonly outcome: Record<string, unknown>;

  constructor(outcome: Record<string, unknown>) {
    super("");
    this.outcome = outcome;
  }
}

async function unpackOther(
  context: StateContext,
  args: Args,
  extraction: Extraction,
  archive: string,
): Promise<string[]> {
  const { name, format, options, useProgram, trim } = extraction;
  const { keep, keep_source, ...kwargs } = args.kwargs as Record<string, unknown>;
  void keep, keep_source;
  const more = { trim_output: trim, ...kwargs };
  const zip = { options: options ?? null, password: args.password, ...more };
  const [fun, keyword] = format === "rar"
    ? ["archive.unrar", more]
    : useProgram
    ? ["archive.cmd_unzip", zip]
    : ["archive.unzip", { extract_perms: args.extract_perms, ...zip }];
  return await context.call(fun, [archive, name], keyword).catch(
    fails("", messageFor(CommandExecutionError, CommandNotFoundError)),
  ) as string[];
}

/** Unpacks the archive. @returns the names, and whether the destination was made for it */
export async function unpackArchive(
  context: StateContext,
  args: Args,
  extraction: Extraction,
  archive: string,
): Promise<{ files: string[] | string; created: boolean }> {
  const { name, format, trim, user } = extraction;
  const created = !isDirectory(context.runtime.fs, name);
  try {
    checkProgramPath(context, name);
  } catch (error) {
    fails("", messageFor(CommandExecutionError))(error);
  }
  if (created) await context.callState("file.directory", { name, user, makedirs: true });
  if (format !== "tar") return { files: await unpackOther(context, args, extraction, archive), created };
  const files = await unpackTar(context, extraction, archive);
  if (files.length === 0 && extraction.options !== undefined) return { files: "no tar output so far", created };
  return { files: truthy(trim) ? files.slice(0, trim as number) : files, created };
}
