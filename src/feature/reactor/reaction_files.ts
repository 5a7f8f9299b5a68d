import { joinPath } from "../../base/paths.ts";
import { codeOf } from "../../base/errors.ts";
import type { Files } from "../../model/loader/context.ts";
import { compileGlob } from "../../language/python/glob.ts";
import type { FileSystem } from "../../runtime/fs.ts";

const IS_GLOB = /[*?[]/;

/**
 * The files that a reference of the option `reactor` means: `salt://…`, which is fetched, or a path or glob of this host.
 *
 * @returns empty if there is none
 */
export async function reactionFiles(reference: string, files: Pick<Files, "fetch">, fs: FileSystem): Promise<string[]> {
  if (!reference.startsWith("salt://")) return globbed(fs, reference);
  const path = await files.fetch(reference, "", {});
  return path === undefined || fs.stat(path)?.kind !== "file" ? [] : [path];
}

/** What a shell pattern matches, part by part; names that begin with a dot only where the pattern has one. */
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
    // No directory, or one that cannot be read: nothing in it matches.
    if (codeOf(error) === undefined) throw error;
    return [];
  }
}
