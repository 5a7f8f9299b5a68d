import { messageOf } from "../../base/errors.ts";
import { isMap, lookup } from "../../language/python/values.ts";
import { CommandExecutionError, CommandNotFoundError, InvalidArgumentsError, SaltInvocationError } from "./family.ts";

/** Errors that hosts distinguish, by name, because custom code cannot import their classes. */
const KINDS: Record<string, (message: string, cause: unknown) => Error> = {
  CommandExecutionError: (message, cause) => {
    const info = isMap(cause) ? lookup(cause, "info") : (cause as { info?: unknown }).info;
    return new CommandExecutionError(message, { cause, ...(info === undefined ? {} : { info }) });
  },
  SaltInvocationError: (message) => new SaltInvocationError(message),
  CommandNotFoundError: (message) => new CommandNotFoundError(message),
  TypeError: (message) => new InvalidArgumentsError(message),
};

/**
 * Converts an error of a custom module to the host's error of the same name; an error of any other name is returned unchanged.
 *
 * @param message text of the new error. @default the message of `cause`
 */
export function knownError(kind: unknown, cause: unknown, message = messageOf(cause)): unknown {
  const make = typeof kind === "string" && Object.hasOwn(KINDS, kind) ? KINDS[kind] : undefined;
  if (make === undefined) return cause;
  const error = make(message, cause);
  // Keep the stack: the module's author needs the place of the error.
  if (cause instanceof Error && cause.stack !== undefined) error.stack = cause.stack;
  return error;
}
