import { ConfigError, messageOf } from "../base/errors.ts";

/** Drivers that are inside of the one file of all programs, by their packages: each is a file there that is loaded when it is asked for. */
export const INSIDE: Readonly<Record<string, string>> = {
  "@nats-io/jetstream": "nats_jetstream",
  "@nats-io/transport-node": "nats_transport",
  postgres: "postgres",
};

const isOneFile = import.meta.url.startsWith("file:///$bunfs/");

/** The remedy for packages that cannot be loaded. Nothing can be installed into the one file of all programs. */
export const packageRemedy = (names: readonly string[], oneFile = isOneFile): string =>
  oneFile ? "install Brine from npm: docs/install-npm.md" : `npm install ${names.join(" ")}`;

function importedBy(name: string): string {
  return isOneFile && Object.hasOwn(INSIDE, name)
    ? new URL(`./drivers/${INSIDE[name]}.js`, import.meta.url).href
    : name;
}

/**
 * Loads the npm package that connects to a database. The name is passed as a variable because bundlers and Deno look
 * ahead for packages, and would fetch one that most hosts never need.
 *
 * @param neededBy what the error names: `master_job_cache: redis`
 * @throws {ConfigError} if the package is not installed
 */
export async function loadDriver(name: string, neededBy: string): Promise<unknown> {
  try {
    return await import(importedBy(name));
  } catch (cause) {
    throw new ConfigError(
      `Cannot load "${name}", which ${neededBy} needs (${packageRemedy([name])}): ${messageOf(cause)}`,
      { cause },
    );
  }
}
