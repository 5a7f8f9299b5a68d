import { joinPath } from "../../../base/paths.ts";
import type { JobContext } from "../../../model/loader/context.ts";
import { walk } from "../../linux/paths.ts";
import { packageFileDetails } from "../package_file.ts";

/** What is known of package files in a cache: name → version → the file. */
export type Downloaded = Record<string, Record<string, unknown>>;

/** The package files below a directory. */
export async function downloadedRpms(context: JobContext, directory: string): Promise<Downloaded> {
  const { fs } = context.runtime;
  const found: Downloaded = {};
  for (const { path, files } of walk(fs, directory)) {
    for (const file of files.filter((name) => name.endsWith(".rpm"))) {
      const full = joinPath(path, file);
      const info = await context.call("lowpkg.bin_pkg_info", [full]) as Record<string, string> | null;
      if (info === null) continue;
      (found[info.name!] ??= {})[info.version!] = packageFileDetails(fs, full);
    }
  }
  return found;
}
