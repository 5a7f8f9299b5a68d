import { compileGlob } from "../../language/python/glob.ts";
import type { FileStat, FileSystem } from "../../runtime/fs.ts";
import { dirName, joinPath } from "../../base/paths.ts";

/** True if a path is a shell pattern. */
export const hasMagic = (path: string): boolean => /[*?[]/.test(path);

function lookAt(fs: FileSystem, path: string, options?: { follow?: boolean }): FileStat | undefined {
  try {
    return path === "" ? undefined : fs.stat(path, options);
  } catch {
    // A path that must not be read counts as missing.
    return undefined;
  }
}

const isDirectory = (fs: FileSystem, path: string) => lookAt(fs, path)?.kind === "directory";

/** The paths that match a shell pattern, sorted; hidden names only if the pattern begins with a dot. */
export function globPaths(fs: FileSystem, pattern: string): string[] {
  if (!hasMagic(pattern)) return lookAt(fs, pattern, { follow: false }) === undefined ? [] : [pattern];
  const parts = pattern.split("/");
  let found = [pattern.startsWith("/") ? "/" : ""];
  parts.forEach((part, at) => {
    const last = at === parts.length - 1;
    if (part === "" && !last) return;
    if (part === "") found = found.filter((path) => isDirectory(fs, path)).map((path) => `${path.replace(/\/$/, "")}/`);
    else if (!hasMagic(part)) {
      found = found.map((path) => joinPath(path, part)).filter((path) =>
        lookAt(fs, path, { follow: false }) !== undefined
      );
    } else {
      const matches = compileGlob(part);
      found = found.flatMap((path) => {
        let names: string[];
        try {
          names = fs.list(path === "" ? "." : path);
        } catch {
          return [];
        }
        return names.filter((name) => (part.startsWith(".") || !name.startsWith(".")) && matches(name))
          .map((name) => joinPath(path, name));
      });
    }
  });
  return found;
}

/**
 * The path of a file next to those that a minion's configuration includes by default, such as `_schedule.conf`. Undefined for a
 * minion without configuration files.
 *
 * @param opts `conf_file`, `default_include`
 */
export function includedFile(opts: Readonly<Record<string, unknown>>, name: string): string | undefined {
  const { conf_file, default_include = "minion.d/*.conf" } = opts;
  if (typeof conf_file !== "string" || conf_file === "") return undefined;
  return joinPath(joinPath(dirName(conf_file), dirName(String(default_include))), name);
}

/** The file in which a minion keeps its schedule for the next start. */
export const savedSchedulePath = (opts: Readonly<Record<string, unknown>>): string | undefined =>
  includedFile(opts, "_schedule.conf");
