import type { StateContext } from "../../../model/loader/states.ts";
import { type Args, entriesOf, isMap, str, truthy } from "../../../language/python/values.ts";
import { dirname, join, normpath, relpath } from "../../../language/python/posixpath.ts";
import { wholeNumberOf } from "../../modules/file/stats.ts";
import { chosenBy } from "./patterns.ts";

/** What a tree of the file server becomes on this host. */
interface RecurseFiles {
  /** Path here → source, which names its environment, also `base`: files tell by their template where they come from. */
  files: Map<string, string>;
  directories: Set<string>;
  /** Path here → target. */
  links: Map<string, string>;
  /** All that is managed; cleaning spares it. */
  keep: Set<string>;
}

/** Path and environment of a `salt://` address: the environment may be named in it (`?saltenv=`). */
export function servedPath(source: string): { path: string; saltenv: string | undefined } {
  const [path = "", query = ""] = source.replace(/^salt:\/\/\|?/, "").split("?", 2);
  return { path, saltenv: /(?:^|&)saltenv=([^&]*)/.exec(query)?.[1] };
}

/** Lists what `file.recurse` manages. @param args its arguments, or the chunk of such a state */
export async function recurseFiles(context: StateContext, args: Args): Promise<RecurseFiles> {
  const { path, saltenv = context.saltenv } = servedPath(str([args.source].flat()[0]).replace(/\/+$/, ""));
  const name = str(args.name);
  const root = `${path}/`;
  const chosen = chosenBy(args.include_pat, args.exclude_pat);
  const depth = args.maxdepth === null || args.maxdepth === undefined ? undefined : wholeNumberOf(args.maxdepth);
  /** The path below the source; undefined for one that is not managed. */
  const below = (served: string): string | undefined => {
    const relative = relpath(`/${served}`, `/${path}`);
    if (`/${relative}/`.includes("/../")) return undefined;
    if (depth !== undefined && relative.split("/").length - 1 > depth) return undefined;
    return chosen(relative) ? relative : undefined;
  };
  const here = (relative: string) => join(name, normpath(relative));
  const made: RecurseFiles = { files: new Map(), directories: new Set(), links: new Map(), keep: new Set() };
  const listed = async (fun: string) => await context.call(fun, [saltenv, root]);
  let served = (await listed("cp.list_master") as unknown[]).map(str);
  const links = truthy(args.keep_symlinks) ? await listed("cp.list_master_symlinks") : {};
  for (const [link, target] of isMap(links) ? entriesOf(links) : []) {
    const relative = below(str(link));
    if (relative === undefined) continue;
    // The link itself is listed as a file, too: last, so that it is written through the link.
    const itself = served.filter((file) => file === str(link));
    served = [...served.filter((file) => !file.startsWith(`${str(link)}/`) && file !== str(link)), ...itself];
    made.links.set(here(relative), str(target));
    made.keep.add(here(relative));
  }
  for (const file of served) {
    const relative = file.trim() === "" ? undefined : below(file);
    if (relative === undefined) continue;
    const destination = here(relative);
    made.keep.add(destination);
    made.directories.add(dirname(destination));
    made.files.set(destination, `salt://${file}?saltenv=${saltenv}`);
  }
  if (truthy(args.include_empty)) {
    for (const directory of (await listed("cp.list_master_dirs") as unknown[]).map(str)) {
      const relative = below(directory);
      const linked = isMap(links) && entriesOf(links).some(([link]) => directory.startsWith(`${str(link)}/`));
      if (relative === undefined || linked) continue;
      made.directories.add(here(relative));
      made.keep.add(here(relative));
    }
  }
  return made;
}
