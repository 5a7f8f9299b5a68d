import { globPaths } from "../../../model/config/glob_paths.ts";
import type { JobContext } from "../../../model/loader/family.ts";
import { sorted } from "../../../language/python/values.ts";
import { compareText } from "../../../language/python/text.ts";
import { basename, join, relpath } from "../../../language/python/posixpath.ts";
import type { FileStat } from "../../../runtime/fs.ts";
import { lookAt, walkPaths } from "../../linux/paths.ts";
import { pythonError } from "../../python_errors.ts";
import { FindError, type Search, type SearchedFile, searchOf } from "./find_search.ts";
import { pathOf } from "./stats.ts";

/** Finds the files below a glob that fit all options, and returns what the actions made of each, sorted. */
export async function find(context: JobContext, args: Record<string, unknown>): Promise<unknown> {
  const words = args.args as unknown[];
  const options = { ...args.kwargs as Record<string, unknown> };
  if (words.includes("delete")) options.delete = "f";
  else if (words.includes("print")) options.print = "path";
  let search: Search;
  try {
    search = searchOf(context, options);
  } catch (error) {
    if (error instanceof FindError) return `error: ${error.message}`;
    throw error;
  }
  const tests = Object.values(search.tests).flat();
  const results: unknown[] = [];
  for (const found of candidates(context, args.path, search)) {
    if (!tests.every((test) => test(found))) continue;
    for (const action of search.actions) {
      const result = await action(found);
      if (result !== undefined) results.push(result);
    }
  }
  return inOrder(results);
}

/** Every file below a glob within the depths of the search. */
function* candidates(context: JobContext, pattern: unknown, search: Search): Iterable<SearchedFile> {
  const { fs } = context.runtime;
  const { leastDepth, mostDepth } = search;
  for (const top of globPaths(fs, pathOf(context, pattern))) {
    if (leastDepth < 1) yield foundAt(context, top, basename(top));
    for (const walked of walkPaths(fs, top)) {
      const below = walked.path === top ? "." : relpath(walked.path, top);
      const depth = below === "." ? 1 : below.split("/").length + 1;
      if (depth >= leastDepth && (mostDepth === undefined || mostDepth >= depth)) {
        for (const name of [...walked.directories, ...walked.files]) {
          yield foundAt(context, join(walked.path, name), name);
        }
      }
      if (mostDepth !== undefined && depth > mostDepth) walked.directories.length = 0;
    }
  }
}

function foundAt({ runtime: { fs } }: JobContext, path: string, name: string): SearchedFile {
  let stat: FileStat | undefined;
  return {
    path,
    name,
    stat() {
      stat ??= lookAt(fs, path) ?? lookAt(fs, path, { follow: false });
      if (stat === undefined) {
        throw pythonError("FileNotFoundError", `[Errno 2] No such file or directory: '${path}'`);
      }
      return stat;
    },
  };
}

/** Sorts texts and numbers as such, lists by their first member that differs. */
function inOrder(results: unknown[]): unknown[] {
  if (!results.every((result) => Array.isArray(result))) return sorted(results) ?? results;
  return results.sort((one: unknown[], other: unknown[]) => {
    for (const [at, value] of one.entries()) {
      if (value === other[at]) continue;
      if (typeof value === "string" && typeof other[at] === "string") return compareText(value, other[at]);
      return Number(value) - Number(other[at]);
    }
    return 0;
  });
}
