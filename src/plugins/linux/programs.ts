import { joinPath } from "../../base/paths.ts";
import type { FileSystem } from "../../runtime/fs.ts";

/** Where programs are looked for when `PATH` leaves these out, as it does for many daemons. */
const COMMON = ["/bin", "/sbin", "/usr/bin", "/usr/sbin", "/usr/local/bin"];

/** True for a file that any user may execute. */
export function isProgram(fs: FileSystem, path: string): boolean {
  const stat = statOrNothing(fs, path);
  return stat?.kind === "file" && (stat.mode & 0o111) !== 0;
}

function statOrNothing(fs: FileSystem, path: string) {
  try {
    return fs.stat(path);
  } catch {
    // A part of the path that may not be searched, or is not a directory, holds no program.
    return undefined;
  }
}

/** The directories of a `PATH`; an empty one means the current directory and is left out. */
export function searchPath(path: string | undefined): string[] {
  return (path ?? "").split(":").filter((directory) => directory !== "");
}

/** The full path of a program, or undefined. A name with a slash is taken as it is. */
export function which(fs: FileSystem, name: string, path: string | undefined): string | undefined {
  if (name === "") return undefined;
  if (name.includes("/")) return isProgram(fs, name) ? name : undefined;
  return [...searchPath(path), ...COMMON].map((directory) => joinPath(directory, name))
    .find((candidate) => isProgram(fs, candidate));
}

/** The error that `exec` would fail with, or undefined if the program can be started. */
export function programProblem(
  fs: FileSystem,
  name: string,
  path: string | undefined,
  cwd: string,
): "ENOENT" | "EACCES" | undefined {
  const candidates = name.includes("/")
    ? [joinPath(cwd, name)]
    : searchPath(path ?? "/bin:/usr/bin").map((directory) => joinPath(cwd, directory, name));
  let problem: "ENOENT" | "EACCES" = "ENOENT";
  for (const candidate of candidates) {
    if (isProgram(fs, candidate)) return undefined;
    if (statOrNothing(fs, candidate) !== undefined) problem = "EACCES";
  }
  return problem;
}
