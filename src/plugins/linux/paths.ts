import { dirname, join, normpath, relpath } from "../../language/python/posixpath.ts";
import { str, truthy } from "../../language/python/values.ts";
import type { FileStat, FileSystem } from "../../runtime/fs.ts";
import type { Runtime } from "../../runtime/runtime.ts";
import { withOsErrors } from "../python_errors.ts";
import { findAccount } from "../../runtime/accounts.ts";

/** Links that are followed before a path is taken as it is. */
const MOST_LINKS = 40;

/** Expands `~` or `~user` at the start of a path; unknown users stay as they are. */
export function expandUser(runtime: Pick<Runtime, "clock" | "fs" | "process" | "host">, path: string): string {
  if (!path.startsWith("~")) return path;
  const match = /^~([^/]*)/.exec(path)!;
  const name = match[1]!;
  const home = name === "" ? runtime.process.env("HOME") ?? runtime.host.user().home : findAccount(runtime, name)?.home;
  if (home === undefined) return path;
  return home.replace(/\/+$/, "") + path.slice(match[0].length) || "/";
}

/** Expands `$name` and `${name}` in a path if the variables are set. */
export function expandVariables(runtime: Pick<Runtime, "process">, path: string): string {
  return path.replace(
    /\$(?:(\w+)|\{([^}]*)\})/g,
    (whole, bare, braced) => runtime.process.env(bare ?? braced) ?? whole,
  );
}

/** The status of a file; undefined if it is missing or may not be read. */
export function lookAt(fs: FileSystem, path: string, options?: { follow?: boolean }): FileStat | undefined {
  try {
    return path === "" ? undefined : fs.stat(path, options);
  } catch {
    // Python's tests of paths answer no in this case too.
    return undefined;
  }
}

export const exists = (fs: FileSystem, path: string): boolean => lookAt(fs, path) !== undefined;
export const isFile = (fs: FileSystem, path: string): boolean => lookAt(fs, path)?.kind === "file";
export const isDirectory = (fs: FileSystem, path: string): boolean => lookAt(fs, path)?.kind === "directory";
export const isLink = (fs: FileSystem, path: string): boolean =>
  lookAt(fs, path, { follow: false })?.kind === "symlink";

/** A path with its links resolved as far as it exists; unlike realpath(3) it may end at a missing file. */
export function realPath(runtime: Pick<Runtime, "fs" | "process">, path: string): string {
  const { fs } = runtime;
  let pending = fromRoot(runtime, path).split("/");
  let here = "/";
  let links = 0;
  for (let part = pending.shift(); part !== undefined; part = pending.shift()) {
    if (part === "" || part === ".") continue;
    if (part === "..") {
      here = dirname(here);
      continue;
    }
    const next = join(here, part);
    const target = links < MOST_LINKS ? targetOf(fs, next) : undefined;
    if (target === undefined) here = next;
    else {
      links += 1;
      if (target.startsWith("/")) here = "/";
      pending = [...target.split("/"), ...pending];
    }
  }
  return here;
}

/** The path to change, with its links resolved. @throws {CommandExecutionError} if a user's link leads to a file of others */
export function pathToChange({ fs }: Pick<Runtime, "fs">, path: string): string {
  return withOsErrors(path, () => fs.placeOf(path));
}

/**
 * Refuses to have a program change what a user's link leads to. The program opens the path by itself: a link that is put there
 * meanwhile it may follow.
 *
 * @param options how the program is run: as another user it can do no more than that user
 * @throws {CommandExecutionError} naming the link
 */
export function checkProgramPath(
  { runtime }: { runtime: Pick<Runtime, "fs"> },
  path: string,
  { cwd, runas }: { cwd?: unknown; runas?: unknown } = {},
): void {
  if (!truthy(runas)) pathToChange(runtime, truthy(cwd) ? join(str(cwd), path) : path);
}

/**
 * Whether a directory that was found below another is still there itself: who owns one above it may have put a link in its place,
 * and what is done by the path would be done elsewhere.
 *
 * @param root the outer directory, as it was given
 * @param realRoot {@link realPath} of it, from before the search
 */
export function isStillThere(
  runtime: Pick<Runtime, "fs" | "process">,
  directory: string,
  root: string,
  realRoot: string,
): boolean {
  return realPath(runtime, directory) === normpath(join(realRoot, relpath(directory, root)));
}

/** The target of a link; undefined if it is not a link or may not be read, as for the program of a kernel thread. */
function targetOf(fs: FileSystem, path: string): string | undefined {
  if (!isLink(fs, path)) return undefined;
  try {
    return fs.readlink(path);
  } catch {
    return undefined;
  }
}

/** A directory and its content: names of directories (links to them included), and names of everything else. */
export interface Walked {
  path: string;
  directories: string[];
  files: string[];
}

/** Walks a directory top-down; links are not followed. A caller may remove names from `directories` to skip them. */
export function* walkPaths(fs: FileSystem, path: string): Generator<Walked> {
  let names: string[];
  try {
    names = fs.list(path);
  } catch {
    // Missing, not a directory, or not readable: nothing to walk.
    return;
  }
  const directories = names.filter((name) => isDirectory(fs, join(path, name)));
  const known = new Set(directories);
  const walked = { path, directories, files: names.filter((name) => !known.has(name)) };
  yield walked;
  for (const name of walked.directories) {
    const below = join(path, name);
    if (!isLink(fs, below)) yield* walkPaths(fs, below);
  }
}

/** The normal form of a path, below the working directory if it is relative. */
export function absolutePath(runtime: Pick<Runtime, "process">, path: string): string {
  return normpath(fromRoot(runtime, path));
}

/** A path from the root on. Only a relative one needs the working directory, which may have been removed. */
function fromRoot({ process }: Pick<Runtime, "process">, path: string): string {
  return path.startsWith("/") ? path : join(process.cwd(), path);
}
