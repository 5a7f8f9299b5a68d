import { messageOf } from "../../base/errors.ts";
import { CommandExecutionError, SaltInvocationError } from "../../model/loader/family.ts";
import { fail, type StateReturn } from "../../model/loader/states.ts";
import { isMap } from "../../language/python/values.ts";
import { nested } from "../outputters/nested.ts";

/**
 * For `.catch()` of a step: ends the state as failed, with these words and the text of the error.
 *
 * @param textOf throws on an error that is not a failure of the step
 */
export const fails =
  (words = "", textOf: (error: unknown) => string = commandError, more: Partial<StateReturn> = {}) =>
  (error: unknown): never => fail(`${words}${textOf(error)}`, more);

/** The text of an error of these kinds; any other error is thrown again. */
export const messageFor = (...kinds: (new (...args: never[]) => Error)[]) => (error: unknown): string => {
  if (kinds.some((kind) => error instanceof kind)) return messageOf(error);
  throw error;
};

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

/** As {@link fails} for a `CommandExecutionError` that knows what was changed before it; `doing` is said of any other. */
export const failsChange = (doing: string) => (error: unknown): never => {
  const text = commandError(error);
  const { info, message } = error as CommandExecutionError;
  if (isEmpty(info)) fail(`An error was encountered while ${doing}: ${text}`);
  const { changes = {}, ...others } = info as Record<string, unknown>;
  fail(isEmpty(others) ? message : withInfo(message, others), { changes: changes as Record<string, unknown> });
};
