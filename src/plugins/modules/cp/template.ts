import { dirName, joinPath } from "../../../base/paths.ts";
import type { JobContext } from "../../../model/loader/family.ts";
import { type Args, str, truthy } from "../../../language/python/values.ts";
import { normpath } from "../../../language/python/posixpath.ts";
import { isDirectory } from "../../linux/paths.ts";
import { renderedOrLogged } from "../../templates.ts";

/** Where a rendered file is kept whose place was not given: never over its source, which may be a file of this host. */
function ownPath({ files, opts }: JobContext, url: string, saltenv: string | undefined): string {
  const [, local] = /^(?:file:\/\/)?(\/.*)/s.exec(url) ?? [];
  const [, path = local === undefined ? undefined : normpath(local).replace(/^\/+/, "")] =
    /^salt:\/\/\|?([^?]*)/.exec(url) ?? [];
  if (path === undefined) return files.cachePath(url, saltenv);
  return joinPath(
    str(opts.cachedir),
    "extrn_files",
    saltenv ?? (truthy(opts.saltenv) ? str(opts.saltenv) : "base"),
    path,
  );
}

/**
 * The function `cp.get_template`: fetches a file, renders it with the keywords of the call as names, and puts it down.
 *
 * @returns the path; empty text if the file is not there, or the directory is missing
 */
export async function getTemplate(context: JobContext, args: Args): Promise<string> {
  const { files, runtime: { fs } } = context;
  const [url, dest] = [str(args.path), str(args.dest ?? "")];
  const saltenv = truthy(args.saltenv) ? str(args.saltenv) : undefined;
  const makedirs = truthy(args.makedirs);
  if (!truthy(args.template)) return await files.fetch(url, dest, { saltenv, makedirs }) ?? "";
  const source = await files.fetchUrl(url, "", { saltenv });
  if (source === undefined) return "";
  // `env` is an old name of the environment, and nothing that a template gets.
  const { context: over, env: _env, ...names } = args.kwargs as Args;
  // What a call gives as `pillar` or `salt` stands in the place of the minion's.
  const template = { engine: str(args.template), saltenv, names, defaults: names, context: over };
  const content = await renderedOrLogged(context, source, template);
  if (content === undefined) return "";
  const target = dest === "" ? ownPath(context, url, saltenv) : dest;
  const directory = dirName(target);
  if (!isDirectory(fs, directory)) {
    if (!makedirs && dest !== "") return "";
    fs.mkdir(directory);
  }
  fs.write(target, content, { how: "replace", mode: 0o600 });
  return target;
}
