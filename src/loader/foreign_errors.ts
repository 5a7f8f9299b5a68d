import { messageOf } from "../errors.ts";
import { isMap, lookup } from "../python/containers.ts";
import { CommandExecutionError, CommandNotFoundError, InvalidArgumentsError, SaltInvocationError } from "./family.ts";

/** Errors that hosts tell apart, by the names that code from elsewhere gives them: it has no way to our classes. */
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
 * The error of ours that an error of a custom module stands for; the error itself if its name says nothing to us.
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
