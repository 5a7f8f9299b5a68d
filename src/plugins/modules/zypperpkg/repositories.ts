/** The repositories of zypper: sections of `/etc/zypp/repos.d/*.repo`, which zypper writes itself. */
import { joinPath } from "../../../base/paths.ts";
import { CommandExecutionError, type JobContext } from "../../../model/loader/family.ts";
import { type Args, str, truthy } from "../../../language/python/values.ts";
import { isDirectory } from "../../linux/paths.ts";
import { parseRepoFile } from "../../packages/rpm/repo_file.ts";
import { elementsOf } from "../../xml.ts";
import { below } from "./installed.ts";
import { askZypper } from "./program.ts";

/** `0` and `1` are no and yes in these files, `NONE` is nothing. */
const valueOf = (value: unknown): unknown =>
  value === "NONE" ? null : value === "0" || value === "1" ? value === "1" : value;

/** `pkg.list_repos`: alias → its values. */
export function zypperListRepos(context: JobContext, root: unknown): Record<string, Args> {
  const { fs } = context.runtime;
  const directory = below(root, "/etc/zypp/repos.d");
  if (!isDirectory(fs, directory)) {
    context.log.warning("there is no directory of repositories", { directory });
    return {};
  }
  const found: Record<string, Args> = {};
  for (const file of fs.list(directory).filter((name) => name.endsWith(".repo"))) {
    for (const [alias, { comments: _, ...own }] of parseRepoFile(fs.readText(joinPath(directory, file))).sections) {
      const values = Object.fromEntries(Object.entries(own).map(([key, value]) => [key, valueOf(value)]));
      found[alias] = { ...found[alias], ...values, alias: valueOf(alias) };
    }
  }
  return found;
}

/** `pkg.get_repo`: its values, or an empty map. */
export const zypperGetRepo = (context: JobContext, repo: string, root: unknown): Args =>
  zypperListRepos(context, root)[repo] ?? {};

export async function zypperDelRepo(context: JobContext, repo: string, root: unknown): Promise<Args> {
  if (Object.hasOwn(zypperListRepos(context, root), repo)) {
    const said = await askZypper(context, ["rr", "--loose-auth", "--loose-query", repo], { root });
    const [message] = elementsOf(said, "message");
    if (message !== undefined && elementsOf(said, "progress").length > 0) {
      return { [repo]: true, message: message.text ?? "" };
    }
  }
  throw new CommandExecutionError(`Repository '${repo}' not found.`);
}

const urlOf = (kwargs: Args): unknown => kwargs.url ?? kwargs.mirrorlist ?? kwargs.baseurl;

function checkUrl(repo: string, url: unknown): void {
  if (/^[a-z][a-z0-9+.-]*:/i.test(str(url))) return;
  throw new CommandExecutionError(`Repository '${repo}' not found and URL for baseurl/mirrorlist is malformed`);
}

/** Checks the address of a repository that is not there yet. @throws {CommandExecutionError} if it is none */
export function checkNewRepo(repo: string, kwargs: Args): void {
  if (truthy(urlOf(kwargs) ?? null)) checkUrl(repo, urlOf(kwargs));
}

async function addRepo(context: JobContext, repo: string, kwargs: Args, root: unknown): Promise<void> {
  const url = urlOf(kwargs);
  if (!truthy(url)) {
    throw new CommandExecutionError(
      `Repository '${repo}' not found, and neither 'baseurl' nor 'mirrorlist' was specified`,
    );
  }
  checkUrl(repo, url);
  for (const [alias, { baseurl }] of Object.entries(zypperListRepos(context, root))) {
    if (baseurl === str(url)) throw new CommandExecutionError(`Repository '${repo}' already exists as '${alias}'.`);
  }
  await askZypper(context, ["ar", str(url), repo], { root });
  if (!Object.hasOwn(zypperListRepos(context, root), repo)) {
    throw new CommandExecutionError(
      `Failed add new repository '${repo}' for unspecified reason. Please check zypper logs.`,
    );
  }
}

/** Options of `zypper mr` that say yes or no. */
const SWITCHES: readonly [name: string, yes: string, no: string][] = [
  ["enabled", "--enable", "--disable"],
  ["refresh", "--refresh", "--no-refresh"],
  ["cache", "--keep-packages", "--no-keep-packages"],
  ["gpgcheck", "--gpgcheck", "--no-gpgcheck"],
];

function changeWords(kwargs: Args): string[] {
  const words = SWITCHES.filter(([name]) => name in kwargs).map(([name, yes, no]) => truthy(kwargs[name]) ? yes : no);
  if ("priority" in kwargs) words.push(`--priority=${str(kwargs.priority)}`);
  const name = "name" in kwargs ? kwargs.name : kwargs.humanname;
  if (name !== undefined) words.push("--name", str(name));
  return words;
}

/** `pkg.mod_repo`: the repository as it is then; one that has another address is made anew. */
export async function zypperModRepo(
  context: JobContext,
  repo: string,
  { root = null, ...kwargs }: Args,
): Promise<Args> {
  const before = zypperListRepos(context, root)[repo];
  if (before === undefined) await addRepo(context, repo, kwargs, root);
  else if ("baseurl" in kwargs && kwargs.baseurl !== before.baseurl) {
    await zypperDelRepo(context, repo, root);
    return await zypperModRepo(context, repo, { cache: false, ...before, ...kwargs, root });
  }
  const words = changeWords(kwargs);
  const keys = kwargs.gpgautoimport === true ? ["--gpg-auto-import-keys"] : [];
  if (words.length > 0) await askZypper(context, [...keys, "mr", ...words, repo], { root, fetching: true });
  if (keys.length > 0) await askZypper(context, [...keys, "refresh", repo], { root });
  const after = zypperGetRepo(context, repo, root);
  return before !== undefined && words.length === 0 && keys.length === 0
    ? { ...after, comment: "Specified arguments did not result in modification of repo" }
    : after;
}
