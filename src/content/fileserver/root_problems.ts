import { hasMagic } from "../../model/config/glob_paths.ts";
import { joinPath } from "../../base/paths.ts";
import { entriesOf, isMap } from "../../language/python/values.ts";
import { strangersLink } from "../../runtime/foreign_links.ts";
import type { FileStat } from "../../runtime/fs.ts";
import type { Runtime } from "../../runtime/runtime.ts";
import { ignoredBy } from "./walk.ts";

/** A configured directory from which nothing is served, or not everything. */
interface RootProblem {
  option: "file_roots" | "pillar_roots";
  path: string;
  problem: string;
  remedy: string;
  /** False if the operator may want it so. */
  severe: boolean;
}

/** Default directories: it is no problem if they are missing. */
const DEFAULTS: ReadonlySet<string> = new Set(["/srv/salt", "/srv/spm/salt", "/srv/pillar", "/srv/spm/pillar"]);

/** Names that the search for links looks at, at most. */
const MAX_NAMES = 20_000;

type Host = Pick<Runtime, "fs" | "process">;

function lookAt({ fs }: Host, path: string, options?: { follow?: boolean }): FileStat | undefined {
  try {
    return fs.stat(path, options);
  } catch {
    // An unreadable path serves nothing, like a missing one.
    return undefined;
  }
}

/** Why a configured directory serves nothing, and what to do; undefined if it is fine. */
function fault(runtime: Host, root: unknown): [problem: string, remedy: string, severe?: boolean] | undefined {
  if (typeof root !== "string" || root === "") return ["it is not a path", "name a directory"];
  if (root.startsWith("~")) return ["~ is not expanded", "write the whole path"];
  if (/\{\{|\{%|\$\{?\w/.test(root)) return ["neither templates nor variables are expanded", "write the whole path"];
  if (root.includes("__env__")) return undefined;
  if (hasMagic(root) && lookAt(runtime, root) === undefined) {
    return ["it matches no directory", "correct the path, or create the directory and restart"];
  }
  if (!root.startsWith("/")) {
    return ["it is a relative path, which depends on the daemon's working directory", "write the whole path"];
  }
  const stat = lookAt(runtime, root);
  if (stat === undefined) {
    return DEFAULTS.has(root) ? undefined : ["the directory does not exist", `run: mkdir -p ${root}`, false];
  }
  if (stat.kind !== "directory") return [`it is a ${stat.kind}, not a directory`, "name the directory above"];
  if (!runtime.fs.access(root, "read") || !runtime.fs.access(root, "execute")) {
    return ["it cannot be read", "let the user of the daemon read it"];
  }
  return undefined;
}

/** The links below a directory that are not followed, because another user than an operator may have created them. */
function strangersLinks(runtime: Host, root: string): { path: string; uid: number }[] {
  const { fs, process } = runtime;
  const found: { path: string; uid: number }[] = [];
  const pending = [root];
  for (let looked = 0; pending.length > 0 && looked < MAX_NAMES;) {
    const directory = pending.pop()!;
    let names: string[];
    try {
      names = fs.list(directory);
    } catch {
      // An unreadable directory does not stop the search.
      continue;
    }
    for (const name of names) {
      looked++;
      const path = joinPath(directory, name);
      const kind = lookAt(runtime, path, { follow: false })?.kind;
      if (kind === "directory") pending.push(path);
      if (kind !== "symlink" || lookAt(runtime, path) === undefined) continue;
      if (`${fs.realpath(path)}/`.startsWith(`${fs.realpath(root)}/`)) continue;
      const link = strangersLink(fs, path, process.uid() ?? 0);
      if (link !== undefined) found.push(link);
    }
  }
  return found;
}

/**
 * The problems of the directories in `file_roots` and `pillar_roots`.
 *
 * @param deep also search all subdirectories for links that are not followed
 */
export function rootProblems(runtime: Host, opts: Record<string, unknown>, deep: boolean): RootProblem[] {
  const problems: RootProblem[] = [];
  const list = (value: unknown) => Array.isArray(value) ? value : [];
  const ignored = ignoredBy({ regex: list(opts.file_ignore_regex), glob: list(opts.file_ignore_glob) });
  for (const option of ["file_roots", "pillar_roots"] as const) {
    const roots = isMap(opts[option]) ? entriesOf(opts[option]).flatMap(([, given]) => [given].flat()) : [];
    for (const root of new Set(roots)) {
      const found = (problem: string, remedy: string, severe = true, path = String(root)) =>
        void problems.push({ option, path, problem, remedy, severe });
      const wrong = fault(runtime, root);
      if (wrong !== undefined) {
        found(...wrong);
        continue;
      }
      if (typeof root !== "string" || lookAt(runtime, root) === undefined) continue;
      const names = runtime.fs.list(root);
      if (option === "pillar_roots") continue;
      if (names.length > 0 && names.every((name) => ignored(name) || ignored(joinPath(root, name)))) {
        found("file_ignore_regex and file_ignore_glob exclude all its files", "correct them");
      }
      for (
        const { path, uid } of deep && opts.fileserver_followsymlinks !== false ? strangersLinks(runtime, root) : []
      ) {
        found(
          `it is a link of user ${uid} that leads out of ${root}, and is not followed`,
          `run: chown -h root ${path}`,
          true,
          path,
        );
      }
    }
    const backends = list(opts.fileserver_backend);
    const own = roots.filter((root) => !DEFAULTS.has(String(root)));
    if (option === "file_roots" && backends.length > 0 && !backends.includes("roots") && own.length > 0) {
      const remedy = "add roots to fileserver_backend, or remove the directories";
      for (const root of own) {
        problems.push({
          option,
          path: String(root),
          problem: "fileserver_backend does not have roots",
          remedy,
          severe: false,
        });
      }
    }
  }
  return problems;
}
