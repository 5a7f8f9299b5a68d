/** Loads the npm packages for metrics and traces, when these are configured. */
import { ConfigError, messageOf } from "../../../src/base/errors.ts";
import { packageRemedy } from "../../../src/plugins/driver.ts";

/**
 * Loads packages. Their names are passed as variables, because bundlers and Deno would find literal names and fetch packages
 * that most hosts never need.
 *
 * @param neededBy the option for the error message: `metrics.listen`
 * @throws {ConfigError} with the command that installs the packages
 */
export async function loadPackages<T extends unknown[]>(names: readonly string[], neededBy: string): Promise<T> {
  try {
    return await Promise.all(names.map((name) => import(name))) as T;
  } catch (cause) {
    throw new ConfigError(
      `Cannot load what ${neededBy} needs (${packageRemedy(names)}): ${messageOf(cause)}`,
      { cause },
    );
  }
}
