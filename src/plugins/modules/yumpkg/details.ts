/** Files of packages in the cache, and details of those that are installed. */
import { joinPath } from "../../../config/paths.ts";
import type { JobContext } from "../../../loader/context.ts";
import { entriesOf, isMap } from "../../../python/containers.ts";
import { truthy } from "../../../python/truth.ts";
import { walk } from "../../linux/paths.ts";
import { type Args, needYum } from "./program.ts";

/** `pkg.list_downloaded`: name → version → the file. */
export async function downloaded(context: JobContext): Promise<Record<string, Record<string, unknown>>> {
  const { fs } = context.runtime;
  const found: Record<string, Record<string, unknown>> = {};
  for (const { path, files } of walk(fs, joinPath("/var/cache", needYum(context)))) {
    for (const file of files.filter((name) => name.endsWith(".rpm"))) {
      const full = joinPath(path, file);
      const info = await context.call("lowpkg.bin_pkg_info", [full]) as Record<string, string> | null;
      if (info === null) continue;
      const { size, ctimeMs } = fs.stat(full)!;
      const seconds = Math.floor(ctimeMs / 1000);
      (found[info.name!] ??= {})[info.version!] = {
        path: full,
        size,
        creation_date_time_t: seconds,
        creation_date_time: new Date(seconds * 1000).toISOString().slice(0, 19),
      };
    }
  }
  return found;
}

/** `pkg.info_installed` */
export async function infoInstalled(
  context: JobContext,
  names: string[],
  kwargs: Args,
): Promise<Record<string, unknown>> {
  const found = await context.call("lowpkg.info", names, kwargs) as Record<string, unknown>;
  const renamed = (one: unknown) =>
    isMap(one)
      ? Object.fromEntries(entriesOf(one).map(([key, value]) => [key === "source_rpm" ? "source" : key, value]))
      : one;
  return Object.fromEntries(
    Object.entries(found).map(([name, of]) => [
      name,
      truthy(kwargs.all_versions) ? (of as unknown[]).map(renamed) : renamed(of),
    ]),
  );
}
