/** Reads a Saltfile: options that a person does not want to type each time, by program. */
import { joinPath } from "../../src/base/paths.ts";
import { messageOf } from "../../src/base/errors.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";
import type { Program } from "../options/request.ts";

/** A program's options in a Saltfile, by destination; or the reason why it cannot be used. */
type SaltfileOptions = { values: Record<string, unknown> } | { error: string };

/** True if no other user can have written the file: a Saltfile chooses the configuration, and thereby the code that runs. */
function isTrusted({ fs, host }: Runtime, path: string): boolean {
  const stat = fs.stat(path)!;
  return (stat.uid === 0 || stat.uid === host.user().uid) && (stat.mode & 0o002) === 0;
}

/** The default Saltfile: in the current directory, or the user's own. */
function foundFile(runtime: Runtime, complain: (text: string) => void): string | undefined {
  const { fs, host, process } = runtime;
  const directories = [() => process.cwd(), () => joinPath(host.user().home, ".salt")];
  for (const directory of directories) {
    let path: string;
    try {
      path = joinPath(directory(), "Saltfile");
      if (fs.stat(path)?.kind !== "file") continue;
    } catch {
      // A directory that is missing or unreadable has no Saltfile.
      continue;
    }
    if (isTrusted(runtime, path)) return path;
    complain(`WARNING: ${path} is ignored: other users may write it. To use it anyway: --saltfile=${path}`);
  }
  return undefined;
}

/**
 * Reads the Saltfile that is named by `--saltfile` or `SALT_SALTFILE`, or else the default one.
 *
 * @param given value of the option, if it was given
 */
export async function readSaltfile(
  runtime: Runtime,
  program: Program,
  given: string | undefined,
  complain: (text: string) => void,
): Promise<SaltfileOptions> {
  const { fs } = runtime;
  const path = given ?? runtime.process.env("SALT_SALTFILE") ?? foundFile(runtime, complain);
  if (path === undefined || path === "") return { values: {} };
  if (fs.stat(path)?.kind !== "file") return { error: `'${path}' file does not exist.\n` };
  const { parseYaml } = await import("../../src/language/yaml/document.ts");
  try {
    const all = (parseYaml(fs.readText(path)).value ?? {}) as Record<string, unknown>;
    const values = Object.hasOwn(all, program) ? all[program] : {};
    if (typeof values !== "object" || values === null || Array.isArray(values)) {
      return {
        error: `Cannot read the options of ${program} in ${path}: expected a map, as in "${program}: {timeout: 10}"`,
      };
    }
    return { values: values as Record<string, unknown> };
  } catch (error) {
    return { error: `Error parsing configuration file: ${path} - ${messageOf(error)}` };
  }
}
