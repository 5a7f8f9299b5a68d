import { messageOf, SaltError } from "../../errors.ts";

/**
 * Loads the package of npm that speaks to a database. Through a variable, since runtimes that look ahead for packages
 * would fetch one that most hosts never need.
 *
 * @throws {SaltError} `NO_DRIVER` when the package is not installed
 */
export async function loadDriver(name: string, returner: string): Promise<unknown> {
  try {
    return await import(name);
  } catch (cause) {
    throw new SaltError(
      "NO_DRIVER",
      `Cannot load "${name}", which the returner ${returner} needs (npm install ${name}): ${messageOf(cause)}`,
      { cause },
    );
  }
}
