import type { Args } from "../../../model/loader/signature.ts";
import type { JobContext } from "../../../model/loader/context.ts";
import { CommandExecutionError } from "../../../model/loader/family.ts";
import { unifiedDiff } from "../../../language/python/difflib.ts";
import { str } from "../../../language/python/repr.ts";
import { truthy } from "../../../language/python/truth.ts";
import { isDirectory } from "../../linux/paths.ts";
import { withOsErrors } from "../../python_errors.ts";
import { cachedSource } from "../../sources.ts";
import { diffLines, isText } from "./content.ts";
import { temporaryFile } from "../../temporary.ts";

/** Says that two files have no text to compare; empty if both have. */
function binaryChange(context: JobContext, from: string, to: string): string {
  const { fs } = context.runtime;
  const [before, after] = [!isText(fs, from), !isText(fs, to)];
  if (before && after) return "Replace binary file";
  if (before) return "Replace binary file with text file";
  return after ? "Replace text file with binary file" : "";
}

/** True if changes made by a template must not be shown. */
export const obfuscated = (context: JobContext): boolean => truthy(context.opts.obfuscate_templates);

/** The changes from one file to another as a unified diff, or a text that stands for them; empty if there are none. */
export function difference(context: JobContext, from: string, to: string, options: Args): string {
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

/** {@link difference} from a file to the bytes that it is to have. */
export function changesTo(context: JobContext, path: string, contents: Uint8Array, options: Args): string {
  const { fs } = context.runtime;
  const temporary = temporaryFile(context.runtime, contents);
  try {
    return difference(context, path, temporary, { ...options, show_filenames: false });
  } finally {
    fs.remove(temporary);
  }
}

/** The function `file.get_diff`. */
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
