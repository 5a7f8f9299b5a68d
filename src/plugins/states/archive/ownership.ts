import { isWithin, joinPath } from "../../../base/paths.ts";
import { SystemError } from "../../../base/errors.ts";
import type { StateContext, StateReturn } from "../../../model/loader/states.ts";
import { truthy } from "../../../language/python/values.ts";
import { isDirectory, lookAt } from "../../linux/paths.ts";
import type { Extraction } from "./arguments.ts";
import type { ArchiveContents } from "./contents.ts";

/** Paths whose owner could not be set. */
export interface OwnershipProblems {
  missing: string[];
  failed: string[];
}

/** Gives what stands at the top of the archive, or one path below it, to user and group. */
export async function enforceOwnership(
  context: StateContext,
  extraction: Extraction,
  contents: ArchiveContents,
  only: string | null,
  ret: StateReturn,
): Promise<OwnershipProblems> {
  const { fs } = context.runtime;
  const { name, user, group, uid, gid } = extraction;
  const problems: OwnershipProblems = { missing: [], failed: [] };
  if (!truthy(user) && !truthy(group)) return problems;
  const whole = only !== null && isDirectory(fs, only);
  const dirs = only === null ? contents.top_level_dirs : whole ? [only] : [];
  const others = only === null ? [...contents.top_level_files, ...contents.top_level_links] : whole ? [] : [only];
  const recurse = [...(truthy(user) ? ["user"] : []), ...(truthy(group) ? ["group"] : [])];
  const at = (path: string) => path.startsWith("/") ? path : joinPath(name, path);
  // Names are the archive's: it may have called a member `/` or `../x`, or have put a link where it has a directory, too.
  const isOurs = (path: string) => only !== null || isWithin(name, path);
  for (const path of dirs.map(at)) {
    const kind = lookAt(fs, path.replace(/\/+$/, ""), { follow: only !== null })?.kind;
    if (!isOurs(path) || kind === "symlink") {
      problems.failed.push(path);
      continue;
    }
    if (kind !== "directory") {
      if (!context.test) problems.missing.push(path);
      continue;
    }
    const done = await context.callState("file.directory", { name: path, user, group, recurse });
    if (truthy(done.changes)) ret.changes["updated ownership"] = true;
    // A dry run answers None, which counts as a failure in no other run.
    if (done.result === false) problems.failed.push(path);
  }
  for (const path of others.map(at)) {
    const stat = lookAt(fs, path, { follow: false });
    if (!isOurs(path)) {
      problems.failed.push(path);
      continue;
    }
    if (stat === undefined) {
      if (!context.test) problems.missing.push(path), problems.failed.push(path);
      continue;
    }
    if ((uid === -1 || uid === stat.uid) && (gid === -1 || gid === stat.gid)) continue;
    try {
      if (!context.test) fs.chown(path, uid, gid, { follow: false });
      ret.changes["updated ownership"] = true;
    } catch (error) {
      if (!(error instanceof SystemError)) throw error;
      problems.failed.push(path);
    }
  }
  return problems;
}
