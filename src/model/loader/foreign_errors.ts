import { messageOf } from "../../base/errors.ts";
import { isMap, lookup } from "../../language/python/containers.ts";
import { CommandExecutionError, CommandNotFoundError, InvalidArgumentsError, SaltInvocationError } from "./family.ts";

/** Errors that hosts distinguish, by name: custom code cannot import their classes. */
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
 * Converts an error of a custom module to the error that hosts know by its name; returns it unchanged for any other name.
 *
 * @param message @default the error's own
 */
export function knownError(kind: unknown, cause: unknown, message = messageOf(cause)): unknown {
  const make = typeof kind === "string" && Object.hasOwn(KINDS, kind) ? KINDS[kind] : undefined;
  if (make === undefined) return cause;
  const error = make(message, cause);
  // Where it was thrown is what its author wants to know.
  if (cause instanceof Error && cause.stack !== undefined) error.stack = cause.stack;
  return error;
}
