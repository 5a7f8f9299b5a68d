/** Files of packages: those that callers name, and those in the cache of a package manager. */
import { joinPath } from "../../base/paths.ts";
import { CommandExecutionError, type JobContext, SaltInvocationError } from "../../model/loader/family.ts";
import { truthy } from "../../language/python/values.ts";
import { lookAt, walkPaths } from "../linux/paths.ts";

/** The path on this host of a package that is named by an address or a path. */
export async function packageFile(
  context: Pick<JobContext, "call" | "runtime">,
  path: string,
  saltenv: unknown,
): Promise<string> {
  if (truthy(await context.call("config.valid_fileproto", [path]))) {
    const cached = await context.call("cp.cache_file", [path, saltenv]);
    if (truthy(cached)) return String(cached);
    throw new CommandExecutionError(`Unable to retrieve ${path} from saltenv '${saltenv}'`);
  }
  if (lookAt(context.runtime.fs, path) === undefined) {
    throw new CommandExecutionError(`${path} does not exist on minion`);
  }
  if (!path.startsWith("/")) throw new SaltInvocationError(`${path} does not exist on minion`);
  return path;
}

/** What is known of package files in a cache: name → version → the file. */
export type Downloaded = Record<string, Record<string, unknown>>;

/** The package files below a directory. @param infoOf name and version of one; null for what cannot be read */
export async function downloadedPackages(
  context: JobContext,
  directory: string,
  ending: ".deb" | ".rpm",
  infoOf: (path: string) => Promise<{ name: string; version: string } | null>,
): Promise<Downloaded> {
  const { fs } = context.runtime;
  const found: Downloaded = {};
  for (const { path: folder, files } of walkPaths(fs, directory)) {
    for (const file of files.filter((name) => name.endsWith(ending))) {
      const path = joinPath(folder, file);
      const info = await infoOf(path);
      if (info === null) continue;
      const { size, ctimeMs } = fs.stat(path)!;
      const seconds = Math.floor(ctimeMs / 1000);
      const creation_date_time = new Date(seconds * 1000).toISOString().slice(0, 19);
      (found[info.name] ??= {})[info.version] = { path, size, creation_date_time_t: seconds, creation_date_time };
    }
  }
  return found;
}
