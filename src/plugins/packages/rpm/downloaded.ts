import type { JobContext } from "../../../model/loader/family.ts";
import { type Downloaded, downloadedPackages } from "../package_file.ts";

/** The package files below a directory. */
export const downloadedRpms = (context: JobContext, directory: string): Promise<Downloaded> =>
  downloadedPackages(
    context,
    directory,
    ".rpm",
    async (path) => await context.call("lowpkg.bin_pkg_info", [path]) as { name: string; version: string } | null,
  );
