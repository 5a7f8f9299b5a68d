import { joinPath } from "../../../base/paths.ts";
import type { JobContext } from "../../../model/loader/context.ts";
import { type Downloaded, downloadedRpms } from "../../packages/rpm/downloaded.ts";
import { needYum } from "./program.ts";

/** `pkg.list_downloaded`: name → version → the file. */
export const downloaded = (context: JobContext): Promise<Downloaded> =>
  downloadedRpms(context, joinPath("/var/cache", needYum(context)));
