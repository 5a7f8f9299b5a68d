import { SaltError, SystemError } from "../../../base/errors.ts";
import { CommandExecutionError, type JobContext } from "../../../model/loader/family.ts";
import type { StateReturn } from "../../../model/loader/states.ts";
import { expandUser, lookAt } from "../../linux/paths.ts";
import { osErrorText } from "../../python_errors.ts";
import { pathOf } from "../../modules/file/stats.ts";

/** A `ret` that is being filled: its changes can be added to. */
export interface FileReturn extends StateReturn {
  comment: string;
  warnings?: string[];
}

export const newRet = (name: unknown, result: boolean | null = true): FileReturn => ({
  name,
  changes: {},
  result,
  comment: "",
});

/** The same with the comment before the result: returns are shown in their own order of keys. */
export const commentFirst = (name: unknown, comment = ""): FileReturn => ({ name, changes: {}, comment, result: true });

export const failed = (ret: FileReturn, comment: string): FileReturn => Object.assign(ret, { result: false, comment });

interface NamedPath {
  name: string;
  ret: FileReturn;
  /** The failed return if the name cannot be used. */
  refused?: FileReturn;
}

/** The path that a state is about. An empty one is refused; with `absolute` a relative one is, too. */
export function namedPath(
  context: JobContext,
  fun: string,
  given: unknown,
  options: { result?: boolean | null; absolute?: boolean } = {},
): NamedPath {
  const name = pathOf(context, given);
  const ret = newRet(name, options.result ?? (options.result === null ? null : true));
  if (name === "") return { name, ret, refused: failed(ret, `Must provide name to file.${fun}`) };
  if (options.absolute === true && !name.startsWith("/")) {
    return { name, ret, refused: failed(ret, `Specified file ${name} is not an absolute path`) };
  }
  return { name, ret };
}

/** Why a file cannot be edited; undefined if it can. */
export function unusableFile(context: JobContext, name: string): string | undefined {
  if (!name.startsWith("/")) return `Specified file ${name} is not an absolute path`;
  return lookAt(context.runtime.fs, name) === undefined ? `${name}: file not found` : undefined;
}

/** The text of an error as Python prints the exception; undefined for one that is neither a failed command nor the system's. */
export function failureText(error: unknown, path?: string): string | undefined {
  if (error instanceof SystemError) return osErrorText(error, ...(path === undefined ? [] : [path]));
  if (error instanceof CommandExecutionError) return error.message;
  if (error instanceof Error && !(error instanceof SaltError) && error.message.startsWith("[Errno ")) {
    return error.message;
  }
  return undefined;
}

/** Runs `work`. @returns the text of its failure, or undefined @throws what is no failure of a command or the system */
export async function failureOf(work: () => unknown, path?: string): Promise<string | undefined> {
  try {
    await work();
    return undefined;
  } catch (error) {
    const text = failureText(error, path);
    if (text === undefined) throw error;
    return text;
  }
}

export { expandUser };
