import type { Args } from "../../../model/loader/signature.ts";
import type { JobContext } from "../../../model/loader/family.ts";
import { directoryOf, git, type RunOptions } from "./run.ts";

/** Runs a command in the directory of its function. @returns its output */
export async function output(
  context: JobContext,
  args: Args,
  words: string[],
  options: RunOptions = {},
): Promise<string> {
  return (await git(context, words, args, { cwd: directoryOf(context, args), ...options })).stdout;
}
