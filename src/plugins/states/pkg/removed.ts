/** The states `pkg.removed` and `pkg.purged`. */
import { outcome, type StateContext, type StateReturn } from "../../../model/loader/states.ts";
import { type Args, type KeywordArgs, truthy } from "../../../language/python/values.ts";
import { parseTargets, repackPkgs, type WantedPackage } from "../../packages/targets.ts";
import { commandError, failsChange } from "../outcome.ts";
import { entry, hostPackageName, type PackageKeyword, packagesOf, versionsOf } from "./host.ts";
import { fulfilsVersion, versionClean } from "./versions.ts";

type Action = "remove" | "purge";

/** The packages that are there and shall not be; or what there is to say of none. */
async function targetsOf(context: StateContext, args: Args, keyword: PackageKeyword): Promise<string[] | StateReturn> {
  const { name, version, pkgs, normalize, ignore_epoch: ignoreEpoch } = args;
  const installed = await packagesOf(context, keyword);
  const wanted: WantedPackage = truthy(pkgs)
    ? await repackPkgs(context, pkgs, truthy(normalize))
    : new Map([[await hostPackageName(context, String(name)), version === null ? null : String(version)]]);
  if (wanted.size === 0) return outcome(name, false, "Invalidly formatted pkgs parameter. See minion log.");
  const found: string[] = [];
  const problems: string[] = [];
  let compared = false;
  for (const [pkg, of] of wanted) {
    const versions = versionsOf(installed, pkg);
    if (versions.length === 0) continue;
    if (await versionClean(context, of) === null) {
      found.push(pkg);
      continue;
    }
    compared = true;
    try {
      if (await fulfilsVersion(context, versions, of ?? "", { ignoreEpoch })) found.push(pkg);
    } catch (error) {
      problems.push(commandError(error));
    }
  }
  if (problems.length > 0) return outcome(name, false, problems.join(" "));
  if (found.length > 0) return found;
  const matching = compared ? " (matching specified versions)" : "";
  return outcome(name, true, `All specified packages${matching} are already absent`);
}

/** Of the packages that were to go, those that are still there. */
function remaining(context: StateContext, wanted: WantedPackage, installed: Record<string, string[]>): string[] {
  const byVersion = ["Suse", "RedHat", "Windows"].includes(String(context.grains.os_family));
  return [...wanted].flatMap(([name, version]) => {
    if (entry(installed, name) === undefined) return [];
    if (!byVersion || !truthy(version)) return [name];
    return versionsOf(installed, name).includes(version!) ? [`${name}-${version}`] : [];
  });
}

async function uninstall(
  context: StateContext,
  action: Action,
  args: Args,
  keyword: PackageKeyword,
): Promise<StateReturn> {
  const { name, version, pkgs } = args;
  const parsed = await parseTargets(context, {
    ...keyword,
    name,
    pkgs,
    version,
    normalize: truthy(args.normalize),
    sources: null,
  });
  const wanted: WantedPackage = parsed?.kind === "repository" ? parsed.wanted : new Map();
  const found = await targetsOf(context, args, keyword);
  if (!Array.isArray(found) && action === "remove") return found;
  const targets = Array.isArray(found) ? found : [];
  const left = async () =>
    await context.call("pkg.list_pkgs", [], { versions_as_list: true, removed: true, ...keyword });
  const among = (list: unknown) => [...wanted.keys()].filter((pkg) => entry(list, pkg) !== undefined);
  if (action === "purge") targets.push(...among(await left()));
  targets.sort();
  if (targets.length === 0) {
    const partially = action === "purge" ? " or partially installed" : "";
    return outcome(name, true, `None of the targeted packages are installed${partially}`);
  }
  if (context.test) {
    const changes = Object.fromEntries(targets.map((pkg) => [pkg, { new: `${action}d`, old: "" }]));
    return outcome(name, null, `The following packages will be ${action}d: ${targets.join(", ")}.`, changes);
  }
  const changes = await context.call(`pkg.${action}`, [name], {
    pkgs,
    version,
    split_arch: false,
    ...keyword,
  }) as PackageKeyword;
  const failed = remaining(context, wanted, await packagesOf(context, keyword));
  if (action === "purge") failed.push(...among(await left()));
  if (failed.length > 0) {
    return outcome(name, false, `The following packages failed to ${action}: ${failed.sort().join(", ")}.`, changes);
  }
  const others = [...wanted.keys()].filter((pkg) => !targets.includes(pkg)).sort();
  const comment = others.length === 0
    ? `All targeted packages were ${action}d.`
    : `The following packages were not installed: ${others.join(", ")} ` +
      `The following packages were ${action}d: ${targets.join(", ")}.`;
  return outcome(name, true, comment, changes);
}

/** `pkg.removed` or `pkg.purged` */
export async function without(context: StateContext, action: Action, args: KeywordArgs): Promise<StateReturn> {
  return await uninstall(context, action, args, { ...args.kwargs, saltenv: context.saltenv }).catch(
    failsChange(`${action === "purge" ? "purging" : "removing"} package(s)`),
  );
}
