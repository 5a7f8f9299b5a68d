import { joinPath } from "../../base/paths.ts";
import { codeOf } from "../../base/errors.ts";
import type { Files } from "../../model/loader/family.ts";
import { compileGlob } from "../../language/python/glob.ts";
import type { FileSystem } from "../../runtime/fs.ts";

const IS_GLOB = /[*?[]/;

/**
 * The files of a reference in the option `reactor`: `salt://…`, which is fetched, or a path or glob of this host.
 *
 * @returns an empty list if there is no such file
 */
export async function reactionFiles(reference: string, files: Pick<Files, "fetch">, fs: FileSystem): Promise<string[]> {
  if (!reference.startsWith("salt://")) return globbed(fs, reference);
  const path = await files.fetch(reference, "", {});
  return path === undefined || fs.stat(path)?.kind !== "file" ? [] : [path];
}

/** The paths that a shell pattern matches; a name that begins with a dot matches only a pattern that begins with a dot. */
function globbed(fs: FileSystem, pattern: string): string[] {
  if (!IS_GLOB.test(pattern)) return fs.stat(pattern)?.kind === "file" ? [pattern] : [];
  let found = [pattern.startsWith("/") ? "/" : "."];
  for (const part of pattern.split("/").filter((one) => one !== "")) {
    if (!IS_GLOB.test(part)) {
      found = found.map((path) => joinPath(path, part)).filter((path) => fs.stat(path) !== undefined);
      continue;
    }
    const matches = compileGlob(part);
    found = found.flatMap((path) =>
      namesIn(fs, path).filter((name) => (part.startsWith(".") || !name.startsWith(".")) && matches(name))
        .map((name) => joinPath(path, name))
    );
  }
  return found.filter((path) => fs.stat(path)?.kind === "file");
}

function namesIn(fs: FileSystem, path: string): string[] {
  try {
    return fs.list(path);
  } catch (error) {
    // The directory is missing or cannot be read: nothing in it matches.
    if (codeOf(error) === undefined) throw error;
    return [];
  }
}
