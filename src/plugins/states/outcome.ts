import { CommandExecutionError, SaltInvocationError } from "../../model/loader/family.ts";
import type { StateReturn } from "../../model/loader/states.ts";
import { isMap } from "../../language/python/containers.ts";
import { nested } from "../outputters/nested.ts";

/** What a state returns where nothing was changed. */
export function outcome(
  name: unknown,
  result: boolean | null,
  comment: string,
  changes: Record<string, unknown> = {},
): StateReturn {
  return { name, changes, result, comment };
}

/** Values as a comment shows them. */
export const nestedText = (value: unknown): string => nested(value, {}).trimEnd();

function withInfo(message: string, info: unknown): string {
  const sentence = message === "" || /[.!?]$/.test(message) ? message : `${message}.`;
  return `${sentence}${sentence === "" ? "" : " "}Additional info follows:\n\n${nestedText(info)}`;
}

const isEmpty = (info: unknown): boolean =>
  info === undefined || info === null || (isMap(info) && Object.keys(info).length === 0);

/** The text of a `CommandExecutionError`, with what is known beside it; any other error is thrown again. */
export function commandError(error: unknown): string {
  if (error instanceof CommandExecutionError) {
    return isEmpty(error.info) ? error.message : withInfo(error.message, error.info);
  }
  throw error;
}

/** The same of a `SaltInvocationError` too. */
export const callError = (error: unknown): string =>
  error instanceof SaltInvocationError ? error.message : commandError(error);

/** The return for a `CommandExecutionError` that knows what was changed before it; `doing` is said of any other. */
export function failedChange(name: unknown, error: unknown, doing: string): StateReturn {
  const text = commandError(error);
  const { info, message } = error as CommandExecutionError;
  if (isEmpty(info)) return outcome(name, false, `An error was encountered while ${doing}: ${text}`);
  const { changes = {}, ...others } = info as Record<string, unknown>;
  const comment = isEmpty(others) ? message : withInfo(message, others);
  return { name, result: false, changes: changes as Record<string, unknown>, comment };
}
