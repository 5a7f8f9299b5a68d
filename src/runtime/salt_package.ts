/** Finds Salt's package among those of Python by looking at files. */
import { joinPath } from "../base/paths.ts";
import type { FileSystem } from "./fs.ts";

/** True for a directory that may be read. */
export const isDirectory = (fs: FileSystem, path: string) => {
  try {
    return fs.stat(path)?.kind === "directory";
  } catch {
    return false;
  }
};

/** Directories that may be Salt's package, below `/usr` or the like: installed ones, and those of an editable installation. */
export function* saltPackages(fs: FileSystem, prefix: string): Generator<string> {
  for (const library of ["lib", "lib64", "local/lib"].map((name) => joinPath(prefix, name))) {
    if (!isDirectory(fs, library)) continue;
    for (const version of fs.list(library).filter((name) => /^python3(?:\.\d+)?$/.test(name)).sort().reverse()) {
      for (const kind of ["site-packages", "dist-packages"]) {
        const packages = joinPath(library, version, kind);
        if (!isDirectory(fs, packages)) continue;
        yield joinPath(packages, "salt");
        yield* editable(fs, packages);
      }
    }
  }
}

/** Where an editable installation says that Salt's package is: in a line of its own, or in the map of a finder. */
function* editable(fs: FileSystem, packages: string): Generator<string> {
  for (const name of fs.list(packages)) {
    if (!/^__editable__.*salt.*(?:\.pth|_finder\.py)$/.test(name)) continue;
    const text = fs.readText(joinPath(packages, name));
    const [, mapped] = /'salt': '(\/[^'\\]+)'/.exec(text) ?? [];
    if (mapped !== undefined) yield mapped;
    for (const line of text.split("\n")) if (line.startsWith("/")) yield joinPath(line.trim(), "salt");
  }
}
