/** Which versions there are: `pkg.latest_version`, `list_upgrades`, `list_repo_pkgs`, `refresh_db`. */
import type { JobContext } from "../../../model/loader/family.ts";
import { type Args, isTrue, str, truthy } from "../../../language/python/values.ts";
import { clearRefreshTag, formatVersion } from "../../packages/lists.ts";
import { compareEvr } from "../../packages/rpm/evr.ts";
import { installedRpms } from "../../packages/rpm/installed.ts";
import { hostArch, parseArch, sameOf32 } from "../../packages/rpm/names.ts";
import { type Available, availableVersions } from "../../packages/shared_functions.ts";
import { callYum, isDnf, type Listed, needYum, parseList, yumOptionWords } from "./program.ts";
import { yumListRepos } from "./repositories.ts";

/** What `check-update` ends with → what a refresh returns: something new, nothing new, failed. */
const OUTCOMES: Record<number, boolean | null> = { 100: true, 0: null, 1: false };

/** `pkg.refresh_db` */
export async function yumRefresh(
  context: JobContext,
  { check_update: check = true, ...kwargs }: Args,
): Promise<boolean | null> {
  clearRefreshTag(context);
  const words = yumOptionWords(kwargs);
  const quiet = { ignore_retcode: true };
  await callYum(context, ["--quiet", "--assumeyes", "clean", "expire-cache", ...words], quiet);
  if (!truthy(check)) return true;
  const old = context.grains.os_family === "RedHat" && context.grains.osmajorrelease === 7
    ? ["--setopt=autocheck_running_kernel=false"]
    : [];
  const { retcode } = await callYum(context, ["--quiet", "--assumeyes", "check-update", ...old, ...words], quiet);
  const known = OUTCOMES[retcode];
  return known === undefined ? false : known;
}

/** The installed versions of each package, as texts. */
export async function installedTexts(context: JobContext): Promise<Record<string, string[]>> {
  const found = await installedRpms(context);
  return Object.fromEntries(
    Object.entries(found).map(([name, list]) => [
      name,
      list.map(({ epoch, version, release }) => formatVersion(epoch, version, release)),
    ]),
  );
}

const newestFirst = (a: Pick<Listed, "version">, b: Pick<Listed, "version">): number =>
  compareEvr(b.version, a.version);

/** `pkg.latest_version`: the version that an installation would bring; empty for none that is newer. */
export async function yumNewest(context: JobContext, names: string[], kwargs: Args): Promise<Record<string, string>> {
  const words = yumOptionWords(kwargs);
  const installed = await installedTexts(context);
  const { retcode, stdout } = await callYum(context, ["--quiet", ...words, "list", "available", ...names], {
    ignore_retcode: true,
  });
  const listed = retcode === 0 ? parseList(context, stdout).sort(newestFirst) : [];
  const osarch = hostArch(context);
  return Object.fromEntries(names.map((name) => {
    const arch = parseArch(name).arch ?? osarch;
    const fits = listed.find((one) =>
      one.name === name && ["noarch", arch].concat(sameOf32(one.arch, osarch) ? [one.arch] : []).includes(one.arch) &&
      (installed[name] ?? []).every((there) => compareEvr(there, one.version) < 0)
    );
    return [name, fits?.version ?? ""];
  }));
}

/** `pkg.list_upgrades` */
export async function yumUpgrades(
  context: JobContext,
  { refresh: asked, kwargs }: Args,
): Promise<Record<string, string>> {
  const given = kwargs as Args;
  const words = yumOptionWords(given);
  if (isTrue(asked)) await yumRefresh(context, { ...given, check_update: false });
  const what = isDnf(context) ? "--upgrades" : "updates";
  const { retcode, stdout } = await callYum(context, ["--quiet", ...words, "list", what], { ignore_retcode: true });
  if (retcode !== 0) return {};
  return Object.fromEntries(parseList(context, stdout).map(({ name, version }) => [name, version]));
}

const namesOf = (value: unknown): string[] =>
  (Array.isArray(value) ? value.map(str) : truthy(value) ? str(value).split(",") : []).map((one) => one.trim()).filter((
    one,
  ) => one !== "*" && one !== "");

/** `pkg.list_repo_pkgs`: the available versions of packages, newest first; by repository with `byrepo`. */
export async function yumRepoPackages(
  context: JobContext,
  patterns: string[],
  kwargs: Args,
): Promise<Record<string, unknown>> {
  const { byrepo = false, cacheonly = false, fromrepo, disablerepo, enablerepo, ...others } = kwargs;
  const [on, off] = [namesOf(enablerepo), namesOf(disablerepo)];
  const enabled = () =>
    Object.entries(yumListRepos(context, others)).filter(([name, repo]) =>
      on.includes(name) || (!off.includes(name) && str(repo.enabled ?? "1") === "1")
    ).map(([name]) => name);
  const repos = truthy(fromrepo) ? namesOf(fromrepo) : enabled();
  const found: Available[] = [];
  for (const repo of repos) {
    const words = needYum(context) === "tdnf"
      ? ["--quiet", `--enablerepo=${repo}`, "list"]
      : ["--quiet", "--showduplicates", "repository-packages", repo, "list"];
    const { retcode, stdout } = await callYum(context, [...words, ...(truthy(cacheonly) ? ["-C"] : []), ...patterns], {
      ignore_retcode: true,
    });
    if (retcode !== 0 && stdout.includes("Error:")) continue;
    found.push(...parseList(context, stdout));
  }
  return availableVersions(found, patterns, byrepo, compareEvr);
}
