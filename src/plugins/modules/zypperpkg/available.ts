/** Which versions there are: `pkg.refresh_db`, `info_available`, `latest_version`, `list_upgrades`, `list_repo_pkgs`. */
import type { JobContext } from "../../../model/loader/family.ts";
import { type Args, isMap, lookup, str, truthy } from "../../../language/python/values.ts";
import { splitLines } from "../../../language/python/text.ts";
import { clearRefreshTag } from "../../packages/lists.ts";
import { availableVersions } from "../../packages/shared_functions.ts";
import { looseCompare } from "../../packages/versions.ts";
import { elementsOf } from "../../xml.ts";
import { askZypper, batches, callZypper } from "./program.ts";
import { solvables } from "./search.ts";

/** Packages that zypper is asked for at once. */
const INFO_BATCH = 200;

/** `pkg.refresh_db`: repository → true if its lists were fetched, false if they are up to date. */
export async function zypperRefresh(
  context: JobContext,
  { force = null, root = null }: Args = {},
): Promise<Record<string, boolean>> {
  clearRefreshTag(context);
  const { zypper } = context.pillar;
  const forced = force ?? (isMap(zypper) ? lookup(zypper, "refreshdb_force") : undefined) ?? true;
  const words = ["refresh", ...(truthy(forced) ? ["--force"] : [])];
  const { stdout } = await callZypper(context, words, { root, fetching: true });
  const found: Record<string, boolean> = {};
  for (const line of splitLines(stdout).map((one) => one.trim())) {
    const name = line.split("'")[1]?.trim();
    if (name === undefined) continue;
    if (line.startsWith("Repository") && line.includes("is up to date")) found[name] = false;
    else if (line.startsWith("Building") && line.includes("done")) found[name] = true;
  }
  return found;
}

/** What `zypper info` prints of one package: the words in front of the colons, in small letters, to those behind them. */
function parseInfo(text: string): Record<string, unknown> {
  const found: Record<string, unknown> = {};
  for (const line of text.split("\n").filter((one) => one.includes(":") && !one.startsWith("-----"))) {
    const at = line.indexOf(":");
    const value = line.slice(at + 1).trim();
    if (value !== "") found[line.slice(0, at).trim().toLowerCase()] = value;
  }
  return found;
}

export async function infoAvailable(
  context: JobContext,
  given: string[],
  { refresh: asked = true, root = null }: Args,
): Promise<Record<string, Record<string, unknown>>> {
  if (given.length === 0) return {};
  if (truthy(asked)) await zypperRefresh(context, { root });
  const found: Record<string, Record<string, unknown>> = {};
  for (const names of batches([...new Set(given)].sort(), INFO_BATCH)) {
    const { stdout } = await callZypper(context, ["info", "-t", "package", ...names], { root, reading: true });
    for (const text of stdout.split(/Information for package*/)) {
      const { name, ...info } = parseInfo(text);
      if (typeof name !== "string") continue;
      if (typeof info.installed === "string") info.installed = info.installed.toLowerCase().startsWith("yes");
      found[name] = info;
    }
  }
  return found;
}

/** The versions that an installation would bring; empty for those that are there. */
export async function zypperNewest(context: JobContext, given: string[], { root }: Args): Promise<Args> {
  const info = await infoAvailable(context, given, { root, refresh: false });
  return Object.fromEntries(
    [...new Set(given)].sort().map((name) => {
      const { status = "", version = null } = info[name] ?? {};
      return [name, /not installed|out-of-date/i.test(str(status)) ? version : ""];
    }),
  );
}

/** `pkg.list_upgrades` */
export async function zypperUpgrades(
  context: JobContext,
  { refresh: asked, root, kwargs }: Args,
): Promise<Record<string, string>> {
  if (truthy(asked)) await zypperRefresh(context, { root });
  const { fromrepo = [] } = kwargs as Args;
  const repos = (Array.isArray(fromrepo) ? fromrepo : [fromrepo]).map(str);
  const words = ["list-updates", ...repos.flatMap((repo) => ["--repo", repo])];
  const updates = elementsOf(await askZypper(context, words, { root, reading: true }), "update");
  return Object.fromEntries(
    updates.filter(({ attributes }) => attributes.kind === "package")
      .map(({ attributes: { name = "", edition = "" } }) => [name, edition]),
  );
}

/** `pkg.list_repo_pkgs`: the versions of packages, newest first; by repository with `byrepo`. */
export async function zypperRepoPackages(context: JobContext, patterns: string[], kwargs: Args): Promise<Args> {
  const { byrepo = false, fromrepo = "", root = null } = kwargs;
  const listed = elementsOf(await askZypper(context, ["se", "-s", ...patterns], { root }), "solvable");
  const found = listed.flatMap(({ attributes: { kind, repository: repo, name, edition: version } }) => {
    if (kind !== "package" || repo === undefined || name === undefined || version === undefined) return [];
    return truthy(fromrepo) && repo !== str(fromrepo) ? [] : [{ name, version, repo }];
  });
  return availableVersions(found, patterns, byrepo, looseCompare);
}

/** The available versions of a package as zypper's search has them. */
export async function editions(context: JobContext, name: string, root: unknown): Promise<string[] | undefined> {
  const found = await solvables(context, ["se", "-xv", name], { root });
  if (found.length === 0) return undefined;
  return [...new Set(found.map(({ edition = "" }) => edition).filter((one) => one !== ""))];
}
