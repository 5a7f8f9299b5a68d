import { CommandExecutionError } from "../../loader/family.ts";
import type { StateReturn } from "../../loader/states.ts";

/** What a state returns where nothing was changed. */
export function outcome(
  name: unknown,
  result: boolean | null,
  comment: string,
  changes: Record<string, unknown> = {},
): StateReturn {
  return { name, changes, result, comment };
}

/** The message of a `CommandExecutionError`; any other error is thrown again. */
export function commandError(error: unknown): string {
  if (error instanceof CommandExecutionError) return error.message;
  throw error;
}
