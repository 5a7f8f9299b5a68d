import type { JobContext } from "../../model/loader/context.ts";
import { CommandExecutionError, SaltInvocationError } from "../../model/loader/family.ts";
import { truthy } from "../../language/python/truth.ts";
import { lookAt } from "../linux/paths.ts";

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

/** A package file in a cache, as `pkg.list_downloaded` shows it. */
export function packageFileDetails(fs: JobContext["runtime"]["fs"], path: string): Record<string, unknown> {
  const { size, ctimeMs } = fs.stat(path)!;
  const seconds = Math.floor(ctimeMs / 1000);
  const creation_date_time = new Date(seconds * 1000).toISOString().slice(0, 19);
  return { path, size, creation_date_time_t: seconds, creation_date_time };
}
