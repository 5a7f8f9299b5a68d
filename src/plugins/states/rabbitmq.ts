/** What the states of RabbitMQ share. */
import { messageOf } from "../../base/errors.ts";
import { isMap, lookup, str } from "../../language/python/values.ts";
import { CommandExecutionError, type Context } from "../../model/loader/family.ts";
import { programPath } from "../commands.ts";
import { fail } from "../../model/loader/states.ts";

/** Why the states are not there; true where they are. */
export const rabbitmqHere = (context: Pick<Context, "runtime">): true | { unavailable: string } =>
  programPath(context, "rabbitmqctl") !== undefined || { unavailable: "Command not found: rabbitmqctl" };

/** What a function of the module says that it did; empty if it says nothing. */
export function said(value: unknown, key: string): string {
  const text = isMap(value) ? lookup(value, key) : undefined;
  return text === undefined ? "" : str(text);
}

/** Ends the state with what rabbitmqctl refuses. */
export const refused = (error: unknown): never => fail(rabbitFailure(error));

/** The comment of a command that failed. @throws {Error} any other error */
export function rabbitFailure(error: unknown): string {
  if (!(error instanceof CommandExecutionError)) throw error;
  return `Error: ${messageOf(error)}`;
}
