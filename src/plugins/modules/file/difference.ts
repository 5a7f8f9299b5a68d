import { CommandExecutionError, type JobContext } from "../../../model/loader/family.ts";
import { unifiedDiff } from "../../../language/python/difflib.ts";
import { type Args, str, truthy } from "../../../language/python/values.ts";
import { isDirectory } from "../../linux/paths.ts";
import { withOsErrors } from "../../python_errors.ts";
import { cachedSource } from "../../sources.ts";
import { sameBytes } from "../../../runtime/bytes.ts";
import { areText, diffLines } from "./content.ts";

/** Says that two files have no text to compare; empty if both have. */
function binaryChange(before: Uint8Array, after: Uint8Array): string {
  if (areText(before)) return areText(after) ? "" : "Replace text file with binary file";
  return areText(after) ? "Replace binary file with text file" : "Replace binary file";
}

/** True if changes made by a template must not be shown. */
export const obfuscated = (context: JobContext): boolean => truthy(context.opts.obfuscate_templates);

/**
 * The changes from one file to another as a unified diff, or a text that stands for them; empty if there are none.
 *
 * @param to the path of the other file, or the bytes that the first is to have
 */
export function difference(context: JobContext, from: string, to: string | Uint8Array, options: Args): string {
  const contentOf = (path: string) => withOsErrors(path, () => context.runtime.fs.read(path));
  const before = contentOf(from);
  const after = typeof to === "string" ? contentOf(to) : to;
  if (sameBytes(before, after)) return "";
  if (truthy(options.template) && obfuscated(context)) return "<Obfuscated Template>";
  if (!truthy(options.show_changes ?? true)) return "<show_changes=False>";
  const binary = binaryChange(before, after);
  if (binary !== "") return binary;
  const names = truthy(options.show_filenames) && typeof to === "string" ? { from, to } : {};
  return unifiedDiff(diffLines(before), diffLines(after), names).join("");
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
