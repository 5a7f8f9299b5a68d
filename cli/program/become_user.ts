import { runAs } from "../daemon/run_as.ts";
import type { ProgramContext } from "./context.ts";

/**
 * Handles `--user` of a program that is not a daemon: it becomes that user permanently.
 *
 * @throws {Exit} 67 without such an account
 */
export async function becomeUser({ runtime, options, explicit }: ProgramContext): Promise<void> {
  const { user } = options;
  await runAs(runtime, { opts: { user }, given: explicit.has("user"), directories: [], files: [] });
}
