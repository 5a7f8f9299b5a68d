import { ConfigError, messageOf } from "../base/errors.ts";

/**
 * Loads the npm package that connects to a database. The name is passed as a variable because bundlers and Deno look
 * ahead for packages, and would fetch one that most hosts never need.
 *
 * @param neededBy what the error names: `master_job_cache: redis`
 * @throws {ConfigError} if the package is not installed
 */
export async function loadDriver(name: string, neededBy: string): Promise<unknown> {
  try {
    return await import(name);
  } catch (cause) {
    throw new ConfigError(
      `Cannot load "${name}", which ${neededBy} needs (npm install ${name}): ${messageOf(cause)}`,
      { cause },
    );
  }
}
