/** Finds Python on this host, and Salt's package for it, by looking at files. Nothing is started. */
import { dirName, joinPath } from "../../../base/paths.ts";
import type { FileSystem } from "../../../runtime/fs.ts";
import type { Runtime } from "../../../runtime/runtime.ts";
import { isDirectory, saltPackages } from "../../../runtime/salt_package.ts";

type Host = Pick<Runtime, "fs" | "process">;

/** The Python in Salt's own packages. */
const ONEDIR = "/opt/saltstack/salt/bin/python3";
/** Names to search in the PATH; the first match counts. */
const NAMES = [
  "python3",
  "python3.14",
  "python3.13",
  "python3.12",
  "python3.11",
  "python3.10",
  "python3.9",
  "python3.8",
];

const isProgram = (fs: FileSystem, path: string) => {
  try {
    return fs.stat(path)?.kind === "file" && fs.access(path, "execute");
  } catch {
    // A directory in the PATH that must not be read.
    return false;
  }
};

/**
 * The interpreter that the option `python` names. `auto` means the Python of Salt's packages, of a virtual environment, or
 * `python3` in the PATH; False means none; any other text is the interpreter's path.
 *
 * @returns undefined if there is no interpreter
 */
export function findPython({ fs, process }: Host, opts: Record<string, unknown>): string | undefined {
  const { python = "auto" } = opts;
  if (typeof python === "string" && python.startsWith("/")) return isProgram(fs, python) ? python : undefined;
  if (python !== "auto" && python !== true) return undefined;
  const environment = process.env("VIRTUAL_ENV") ?? "";
  const places = [ONEDIR, ...environment.startsWith("/") ? [joinPath(environment, "bin/python3")] : []];
  const path = (process.env("PATH") ?? "").split(":").filter((directory) => directory.startsWith("/"));
  for (const name of NAMES) places.push(...path.map((directory) => joinPath(directory, name)));
  return places.find((place) => isProgram(fs, place));
}

/**
 * The directory of Salt's package that the interpreter finds, if the option `python_salt` allows its use.
 *
 * @returns undefined if there is no package
 */
export function findSalt(host: Host, opts: Record<string, unknown>): string | undefined {
  if (opts.python_salt === false) return undefined;
  const python = findPython(host, opts);
  if (python === undefined) return undefined;
  for (const found of saltPackages(host.fs, dirName(dirName(python)))) {
    if (isDirectory(host.fs, joinPath(found, "modules"))) return found;
  }
  return undefined;
}
