/** The repositories of dnf and yum: sections of files that end in `.repo`. */
import { joinPath } from "../../../base/paths.ts";
import { CommandExecutionError, type JobContext, SaltInvocationError } from "../../../model/loader/family.ts";
import { type Args, repr, str, truthy } from "../../../language/python/values.ts";
import { isDirectory, isFile } from "../../linux/paths.ts";
import { formatRepoFile, parseRepoFile, type RepoFile, type RepoSection } from "../../packages/rpm/repo_file.ts";
import { callYum } from "./program.ts";
import { replaceContent } from "../../host_files.ts";

const CONFIGS = ["/etc/yum/yum.conf", "/etc/yum.conf", "/etc/dnf/dnf.conf", "/etc/tdnf/tdnf.conf"];
const DIRECTORIES = ["/etc/yum/repos.d", "/etc/yum.repos.d"];

/** Where the files are: as the caller says, else as the configuration does. */
function directoriesOf({ runtime: { fs } }: JobContext, basedir: unknown): string[] {
  const list = Array.isArray(basedir) ? basedir.map(str) : truthy(basedir) ? str(basedir).split(",") : [];
  if (list.length > 0) return list.map((one) => one.trim());
  const config = CONFIGS.find((path) => isFile(fs, path));
  if (config === undefined) {
    throw new CommandExecutionError(
      `No suitable yum config file found in: (${CONFIGS.map((p) => `'${p}'`).join(", ")})`,
    );
  }
  const { reposdir } = parseRepoFile(fs.readText(config)).sections.get("main") ?? {};
  return truthy(reposdir) ? str(reposdir).split(",").map((one) => one.trim()) : DIRECTORIES;
}

/** The name of a repository of a person, `copr:user/project`, in the files. */
function fileName(repo: string): string {
  const [, user, project] = /^copr:([^/]+)\/(.+)$/.exec(repo) ?? [];
  return user === undefined ? repo : `copr:copr.fedorainfracloud.org:${user}:${project}`;
}

/** `pkg.list_repos`: name → its values, with the path of its file. */
export function yumListRepos(context: JobContext, { basedir = null }: Args): Record<string, RepoSection> {
  const { fs } = context.runtime;
  const found: Record<string, RepoSection> = {};
  for (const directory of directoriesOf(context, basedir).filter((path) => isDirectory(fs, path))) {
    for (const name of fs.list(directory).filter((one) => one.endsWith(".repo"))) {
      const file = joinPath(directory, name);
      for (const [repo, section] of parseRepoFile(fs.readText(file)).sections) found[repo] = { ...section, file };
    }
  }
  return found;
}

/** `pkg.get_repo`: its values, or an empty map. */
export function yumGetRepo(context: JobContext, repo: string, options: Args): RepoSection {
  const { file: _, ...values } = yumListRepos(context, options)[fileName(repo)] ?? {};
  return values;
}

export function yumDelRepo(context: JobContext, name: string, options: Args): string {
  const { fs } = context.runtime;
  const repo = fileName(name);
  const there = yumListRepos(context, options)[repo];
  if (there === undefined) {
    return `Error: the ${repo} repo does not exist in ${repr(directoriesOf(context, options.basedir))}`;
  }
  const file = str(there.file);
  const content = parseRepoFile(fs.readText(file));
  content.sections.delete(repo);
  if (content.sections.size === 0) {
    fs.remove(file);
    return `File ${file} containing repo ${repo} has been removed`;
  }
  replaceContent({ fs }, file, formatRepoFile(content));
  return `Repo ${repo} has been removed from ${file}`;
}

/** What a new repository lacks; undefined if nothing. */
function lacking(values: Args): string | undefined {
  const created = "The repo does not exist and needs to be created, but";
  if (!("name" in values)) return `${created} a name was not given`;
  return "baseurl" in values || "mirrorlist" in values || "metalink" in values
    ? undefined
    : `${created} either a baseurl or a mirrorlist needs to be given`;
}

/** The file that a repository is in, or will be. */
async function placeOf(context: JobContext, repo: string, asked: string, values: Args, basedir: unknown) {
  const { fs } = context.runtime;
  const there = () => yumListRepos(context, { basedir })[repo];
  if (there() === undefined && asked.startsWith("copr:")) {
    const { retcode, stderr } = await callYum(context, ["copr", "enable", asked.slice(5), "-y"]);
    if (retcode !== 0) {
      throw new CommandExecutionError(
        `Unable to add COPR '${asked.slice(5)}'. It exited with status ${retcode}: '${stderr}' `,
      );
    }
  }
  const found = there();
  if (found !== undefined) return { path: str(found.file), content: parseRepoFile(fs.readText(str(found.file))) };
  const directories = directoriesOf(context, basedir);
  const directory = directories.find((path) => isDirectory(fs, path));
  if (directory === undefined) {
    throw new SaltInvocationError(
      "The repo does not exist and needs to be created, but none of the following basedir directories exist: " +
        repr(directories),
    );
  }
  const lack = lacking(values);
  if (lack !== undefined) throw new SaltInvocationError(lack);
  const content: RepoFile = { header: "", sections: new Map([[repo, {}]]) };
  return { path: joinPath(directory, `${repo}.repo`), content };
}

/** Values that mean that a key is to go. */
const isNothing = (value: unknown): boolean => value !== 0 && !truthy(value);

/** What is to be set in a repository, and what is to go. @throws {SaltInvocationError} for arguments that no file can have */
export function repoChanges(kwargs: Args): { values: Args; gone: string[] } {
  const given = Object.entries(kwargs).filter(([key]) => !key.startsWith("__") && key !== "saltenv");
  if ("mirrorlist" in kwargs && "baseurl" in kwargs) {
    throw new SaltInvocationError("Only one of 'mirrorlist' and 'baseurl' can be specified");
  }
  const values = Object.fromEntries(given.filter(([, value]) => !isNothing(value)));
  const gone = given.filter(([, value]) => isNothing(value)).map(([key]) => key);
  if ("mirrorlist" in values) gone.push("baseurl");
  else if ("baseurl" in values) gone.push("mirrorlist");
  if (gone.includes("name")) throw new SaltInvocationError("The repo name cannot be deleted");
  return { values, gone };
}

/** `pkg.mod_repo`: the file with all that is in it. */
export async function yumModRepo(
  context: JobContext,
  asked: string,
  basedir: unknown,
  kwargs: Args,
): Promise<Record<string, unknown>> {
  const { values, gone } = repoChanges(kwargs);
  const repo = fileName(asked);
  const { path, content } = await placeOf(context, repo, asked, values, basedir);
  const section = content.sections.get(repo) ?? {};
  for (const [one, other] of [["baseurl", "mirrorlist"], ["mirrorlist", "baseurl"]] as const) {
    if (gone.includes(one) && !(other in values) && !(other in section)) {
      throw new SaltInvocationError(`Cannot delete ${one} without specifying ${other}`);
    }
  }
  for (const key of gone) delete section[key];
  content.sections.set(repo, { ...section, ...values });
  replaceContent(context.runtime, path, formatRepoFile(content));
  return { [path]: Object.fromEntries(content.sections) };
}
