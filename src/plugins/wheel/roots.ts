import { joinPath } from "../../base/paths.ts";
import { type WheelContext, type WheelFunction, wheelFunctions } from "../../model/loader/wheel.ts";
import { isMap, repr, str } from "../../language/python/values.ts";
import type { FileSystem } from "../../runtime/fs.ts";

/** Bytes of a file that a caller may read. */
const MAX_BYTES = 16 * 1024 * 1024;

function rootsOf({ opts }: WheelContext, option: string, saltenv: unknown): string[] | undefined {
  const all = opts[option];
  if (!isMap(all) || typeof saltenv !== "string" || !Object.hasOwn(all, saltenv)) return undefined;
  return [(all as Record<string, unknown>)[saltenv]].flat().map(String);
}

/** Resolves a path below a root; undefined if dots or links lead out of it. */
function below(fs: FileSystem, root: string, path: unknown): string | undefined {
  if (typeof path !== "string" || path === "" || path.includes("\0") || path.startsWith("/")) return undefined;
  if (path.split(/[\\/]/).includes("..")) return undefined;
  const full = joinPath(root, path);
  const real = fs.realpath(root);
  // For a file that does not exist yet, the existing part of its path counts.
  let known = full;
  while (fs.stat(known, { follow: false }) === undefined && known.length > root.length) {
    known = known.slice(0, known.lastIndexOf("/"));
  }
  const found = fs.realpath(known);
  return found === real || found.startsWith(`${real}/`) ? full : undefined;
}

function isText(bytes: Uint8Array): boolean {
  try {
    return !new TextDecoder("utf-8", { fatal: true }).decode(bytes).includes("\0");
  } catch {
    return false;
  }
}

/** `{path: "txt" | "bin"}` of a file in each of the roots that has it. */
function find(context: WheelContext, option: string, path: unknown, saltenv: unknown): Record<string, string>[] {
  const { fs } = context.runtime;
  return (rootsOf(context, option, saltenv) ?? []).flatMap((root) => {
    if (fs.stat(root)?.kind !== "directory") return [];
    const full = below(fs, root, path);
    if (full === undefined || fs.stat(full)?.kind !== "file") return [];
    return [{ [full]: isText(fs.readAt(full, 0, 512)) ? "txt" : "bin" }];
  });
}

/** The content of a directory: files → `f`, directories → their content. Links are not followed. */
function tree(fs: FileSystem, directory: string): Record<string, unknown> {
  const entries = fs.list(directory).sort().map((name): [string, unknown] => {
    const path = joinPath(directory, name);
    return [name, fs.stat(path, { follow: false })?.kind === "directory" ? tree(fs, path) : "f"];
  });
  return Object.fromEntries(entries);
}

function listEnv(context: WheelContext, option: string, saltenv: unknown): Record<string, unknown> {
  const { fs } = context.runtime;
  const roots = rootsOf(context, option, saltenv) ?? [];
  return Object.fromEntries(roots.map((root) => [root, fs.stat(root)?.kind === "directory" ? tree(fs, root) : {}]));
}

function write(
  context: WheelContext,
  option: string,
  { data, path, saltenv, index }: Record<string, unknown>,
): string {
  const roots = rootsOf(context, option, saltenv);
  if (roots === undefined) return `Named environment ${str(saltenv)} is not present`;
  const root = Number.isInteger(index) ? roots[index as number] : undefined;
  if (root === undefined) return `Specified index ${str(index)} in environment ${str(saltenv)} is not present`;
  if (typeof path === "string" && path.startsWith("/")) {
    return `The path passed in ${path} is not relative to the environment ${str(saltenv)}`;
  }
  if (typeof data !== "string") return `data is ${repr(data)}: expected the text of the file`;
  const { fs } = context.runtime;
  fs.mkdir(root, 0o755);
  const full = below(fs, root, path);
  if (full === undefined || fs.stat(full)?.kind === "directory") return `Invalid path: ${str(path)}`;
  fs.mkdir(full.slice(0, full.lastIndexOf("/")), 0o755);
  fs.write(full, data, { mode: 0o644 });
  return `Wrote data to file ${full}`;
}

/** The functions over the directories of an option: of `file_roots`, and the same of `pillar_roots`. */
export function rootFunctions(option: "file_roots" | "pillar_roots"): Record<string, WheelFunction> {
  return wheelFunctions({
    "find(path, saltenv='base')": {
      doc: "Finds a file in the directories of an environment; reports whether it is text or binary.",
      run: (context, { path, saltenv }) => find(context, option, path, saltenv),
    },
    "list_env(saltenv='base')": {
      doc: "The files in the directories of an environment.",
      run: (context, { saltenv }) => listEnv(context, option, saltenv),
    },
    "list_roots()": {
      doc: "The files in the directories of every environment.",
      run: (context) => {
        const all = context.opts[option];
        const names = isMap(all) ? Object.keys(all) : [];
        return Object.fromEntries(names.map((name) => [name, [listEnv(context, option, name)]]));
      },
    },
    "read(path, saltenv='base')": {
      doc: "The text of a file, from each directory that contains it.",
      run(context, { path, saltenv }) {
        const { fs } = context.runtime;
        return find(context, option, path, saltenv).flatMap((found) => {
          const [[full, kind] = ["", ""]] = Object.entries(found);
          if (kind !== "txt") return [];
          if (fs.stat(full)!.size > MAX_BYTES) throw new RangeError(`${full} is larger than ${MAX_BYTES} bytes`);
          return [{ [full]: fs.readText(full) }];
        });
      },
    },
    "write(data, path, saltenv='base', index=0)": {
      doc: "Writes a text to a file in one of the directories of an environment.",
      run: (context, args) => write(context, option, args),
    },
  });
}
