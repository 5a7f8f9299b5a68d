/** The npm packages that metrics and traces need, loaded when they are switched on. */
import { ConfigError, messageOf } from "../../../src/base/errors.ts";

/**
 * Loads packages. Their names are passed as variables because bundlers and Deno look ahead for packages, and would fetch what
 * most hosts never need.
 *
 * @param neededBy what the error names: `metrics.listen`
 * @throws {ConfigError} with the command that installs them
 */
export async function loadPackages<T extends unknown[]>(names: readonly string[], neededBy: string): Promise<T> {
  try {
    return await Promise.all(names.map((name) => import(name))) as T;
  } catch (cause) {
    throw new ConfigError(
      `Cannot load what ${neededBy} needs (npm install ${names.join(" ")}): ${messageOf(cause)}`,
      { cause },
    );
  }
}
