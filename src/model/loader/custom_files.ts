/** Finds the files of custom modules, and the form of each. */
import { joinPath } from "../../base/paths.ts";
import type { FileStat, FileSystem } from "../../runtime/fs.ts";
import type { Runtime } from "../../runtime/runtime.ts";
import { strangerIn } from "../../runtime/own_directory.ts";
import { findPython } from "./python/interpreter.ts";

/** Families of custom modules, named after their folders. */
export type CustomKind =
  | "modules"
  | "grains"
  | "returners"
  | "runners"
  | "output"
  | "states"
  | "renderers"
  | "beacons"
  | "tops"
  | "engines"
  | "utils"
  | "pillar"
  | "wheel"
  | "executors"
  | "serializers"
  | "sdb"
  | "auth"
  | "matchers";

/** Family → option with additional directories for this family. */
const OPTIONS: Record<CustomKind, string> = {
  modules: "module_dirs",
  grains: "grains_dirs",
  returners: "returner_dirs",
  runners: "runner_dirs",
  output: "outputter_dirs",
  states: "states_dirs",
  renderers: "render_dirs",
  beacons: "beacons_dirs",
  tops: "top_dirs",
  engines: "engines_dirs",
  utils: "utils_dirs",
  pillar: "pillar_dirs",
  wheel: "wheel_dirs",
  executors: "executors_dirs",
  serializers: "serializers_dirs",
  sdb: "sdb_dirs",
  auth: "auth_dirs",
  matchers: "matchers_dirs",
};

/** Kinds of custom modules. Each is the name of its folder, with an underscore, and may be of Python. */
export const CUSTOM_KINDS = Object.keys(OPTIONS) as CustomKind[];

export interface CustomFile {
  /** Name of the module: the file name up to its first dot. */
  name: string;
  path: string;
  version: string;
  /** `foreign` means that the file cannot be loaded: usually a Python module for real Salt, on a host without Python. */
  form: "code" | "program" | "python" | "foreign";
  /** True for a file of Salt's own package. */
  lent?: boolean;
}

const listed = (value: unknown): string[] =>
  Array.isArray(value) ? value.map(String) : typeof value === "string" && value !== "" ? [value] : [];

const isDirectory = (fs: FileSystem, path: string) => {
  try {
    return fs.stat(path)?.kind === "directory";
  } catch {
    // A directory that must not be read counts as missing.
    return false;
  }
};

type Host = Pick<Runtime, "fs" | "process">;

/** The reason why code in a directory must not be run, because other users may write there; undefined if it may be run. */
export function strangersCode({ fs, process }: Host, directory: string): string | undefined {
  const uid = process.uid();
  if (uid === undefined) return undefined;
  const look = (path: string) => {
    const stat = fs.stat(path, { follow: false });
    return stat && { uid: stat.uid, mode: stat.mode, target: stat.kind === "symlink" ? fs.readlink(path) : undefined };
  };
  return strangerIn(look, directory, uid, false);
}

const syncedIn = ({ extension_modules, cachedir }: Record<string, unknown>, kind: CustomKind): string[] =>
  typeof extension_modules === "string" && extension_modules !== ""
    ? [joinPath(extension_modules, kind)]
    : typeof cachedir === "string" && cachedir !== ""
    ? [joinPath(cachedir, "extmods", kind)]
    : [];

const belowModuleDirs = ({ module_dirs }: Record<string, unknown>, kind: CustomKind): string[][] =>
  listed(module_dirs).map((directory) => [joinPath(directory, kind), joinPath(directory, `_${kind}`)]);

/**
 * The existing directories in the order of search: below `module_dirs`, then the synced modules, then the family's own option.
 * Synced modules count only if no other user can write to their directory.
 *
 * @see salt/loader/__init__.py _module_dirs
 */
export function customDirectories(runtime: Host, opts: Record<string, unknown>, kind: CustomKind): string[] {
  const { fs } = runtime;
  const given = belowModuleDirs(opts, kind).flatMap((paths) => paths.find((path) => isDirectory(fs, path)) ?? [])
    .reverse();
  const ours = syncedIn(opts, kind)
    .filter((path) => isDirectory(fs, path) && strangersCode(runtime, path) === undefined);
  return [...new Set([...given, ...ours, ...listed(opts[OPTIONS[kind]])])].filter((path) => isDirectory(fs, path));
}

/** A text that changes when a file is added to the directories of a family, or is replaced there: by a few looks, and none at files. */
export function directoriesStamp({ fs }: Host, opts: Record<string, unknown>, kind: CustomKind): string {
  const places = [...belowModuleDirs(opts, kind).flat(), ...syncedIn(opts, kind), ...listed(opts[OPTIONS[kind]])];
  return places.map((path) => {
    try {
      const stat = fs.stat(path);
      return `${stat?.ino} ${stat?.mtimeMs}`;
    } catch {
      return "";
    }
  }).join();
}

const CODE = /\.(?:ts|mts|js|mjs)$/;
const PYTHON = /\.py$/;
const FORMS: CustomFile["form"][] = ["code", "program", "python", "foreign"];

const versionOf = ({ mtimeMs, size, ino }: FileStat) => `${mtimeMs}-${size}-${ino}`;

/** True if a file begins with `#!`. */
export function beginsAsProgram(fs: FileSystem, path: string): boolean {
  try {
    const [first, second] = fs.readAt(path, 0, 2);
    return first === 0x23 && second === 0x21;
  } catch {
    // The file was removed, or must not be read.
    return false;
  }
}

/** True for a Python program that answers `describe`. Any other file is a module of Salt, even if its first line names Python. */
function answersDescribe(fs: FileSystem, path: string): boolean {
  try {
    return /["']describe["']/.test(fs.readText(path));
  } catch {
    return true;
  }
}

/** The form of a file that is not JavaScript or TypeScript. */
function formOf(fs: FileSystem, path: string, entry: string, hasPython: () => boolean): CustomFile["form"] {
  const program = beginsAsProgram(fs, path);
  if (PYTHON.test(entry) && hasPython() && !(program && answersDescribe(fs, path))) return "python";
  return program ? "program" : "foreign";
}

function customFile(
  fs: FileSystem,
  directory: string,
  entry: string,
  hasPython: () => boolean,
): CustomFile | undefined {
  const [, name] = /^([A-Za-z0-9][A-Za-z0-9_]*)(?:\.|$)/.exec(entry) ?? [];
  if (name === undefined || entry.endsWith(".d.ts") || entry.endsWith("~")) return undefined;
  const path = joinPath(directory, entry);
  const stat = fs.stat(path);
  if (stat?.kind === "directory" && name === entry) {
    const init = fs.stat(joinPath(path, "__init__.py"));
    if (init?.kind !== "file" || !hasPython()) return undefined;
    return { name, path, version: versionOf(init), form: "python" };
  }
  if (stat?.kind !== "file") return undefined;
  const form = CODE.test(entry) ? "code" : formOf(fs, path, entry, hasPython);
  return { name, path, version: versionOf(stat), form };
}

/**
 * The files of a family by module name. In one directory, code precedes programs, these precede Python modules, and foreign
 * files come last: a module may stand next to one of the same name for minions of real Salt.
 */
export function customFiles(
  runtime: Host,
  opts: Record<string, unknown>,
  kind: CustomKind,
): Map<string, CustomFile> {
  const { fs } = runtime;
  const found = new Map<string, CustomFile>();
  let python: boolean | undefined;
  // Called only if there is a file that Python could run.
  const hasPython = () => python ??= findPython(runtime, opts) !== undefined;
  for (const directory of customDirectories(runtime, opts, kind)) {
    const here = fs.list(directory).flatMap((entry) => customFile(fs, directory, entry, hasPython) ?? []);
    for (const form of FORMS) {
      for (const file of here) {
        const before = found.get(file.name);
        if (file.form === form && (before === undefined || before.form === "foreign" && form !== "foreign")) {
          found.set(file.name, file);
        }
      }
    }
  }
  return new Map([...found].sort(([a], [b]) => a < b ? -1 : 1));
}

/** A text that changes when a file of the family changes; empty without files. */
export function customStamp(runtime: Host, opts: Record<string, unknown>, kind: CustomKind): string {
  return [...customFiles(runtime, opts, kind).values()].map(({ path, version }) => `${path} ${version}`).join("\n");
}
