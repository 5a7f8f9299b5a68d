import type { StateContext } from "../../../model/loader/states.ts";
import { isMap, lookup } from "../../../language/python/values.ts";
import { dirname, join, normpath, relpath } from "../../../language/python/posixpath.ts";
import { absolutePath, isDirectory, isStillThere, realPath, walkPaths } from "../../linux/paths.ts";
import { remove } from "../../modules/file/tree.ts";
import { chosenBy } from "./patterns.ts";
import { recurseFiles } from "./recurse_files.ts";

function* below(context: StateContext, path: string): Generator<string> {
  yield path;
  for (const walked of walkPaths(context.runtime.fs, path)) {
    for (const name of [...walked.files, ...walked.directories]) yield join(walked.path, name);
  }
}

/** The paths that states which a state requires manage: cleaning spares them. @param name the directory that is cleaned */
export async function keptFiles(context: StateContext, name: string, require: unknown): Promise<Set<string>> {
  const keep = new Set<string>();
  if (!Array.isArray(require)) return keep;
  const inside = (path: string) =>
    !relpath(absolutePath(context.runtime, path), absolutePath(context.runtime, name)).startsWith("..");
  for (const required of require) {
    const wanted = isMap(required) ? lookup(required, "file") : undefined;
    if (wanted === undefined) continue;
    for (const low of context.lowstate) {
      if (low.name !== wanted && low.__id__ !== wanted) continue;
      const path = low.name;
      if (typeof path !== "string") continue;
      if (!isDirectory(context.runtime.fs, path)) keep.add(path);
      else if (inside(path)) {
        const kept = low.fun === "recurse" ? (await recurseFiles(context, low)).keep : below(context, path);
        for (const one of kept) keep.add(one);
      }
    }
  }
  return keep;
}

/** Removes what is below a directory and is neither kept nor excluded; in a dry run only lists it. @returns what is removed */
export function cleanDirectory(
  context: StateContext,
  root: string,
  keep: Iterable<string>,
  exclude: unknown,
): string[] {
  const { fs } = context.runtime;
  const spared = new Set([root]);
  for (const path of keep) {
    if (!path.startsWith("/")) continue;
    for (let here = normpath(path); !spared.has(here); here = dirname(here)) spared.add(here);
  }
  const chosen = chosenBy(null, exclude);
  const removed: string[] = [];
  const realRoot = realPath(context.runtime, root);
  for (const walked of walkPaths(fs, root)) {
    for (const name of [...walked.directories, ...walked.files]) {
      const path = join(walked.path, name);
      if (spared.has(path) || !chosen(relpath(path, root))) continue;
      if (!context.test && !isStillThere(context.runtime, walked.path, root, realRoot)) break;
      removed.push(path);
      if (!context.test) remove(context, path);
    }
  }
  return removed;
}
