/** The states `pkg.downloaded`, `pkg.patch_installed` and `pkg.patch_downloaded`. */
import type { StateContext, StateReturn } from "../../../model/loader/states.ts";
import { end, fail, hasFunction, outcome, stateFunction } from "../../../model/loader/states.ts";
import { type Args, type KeywordArgs, str, truthy } from "../../../language/python/values.ts";
import { repackPkgs, type WantedPackage } from "../../packages/targets.ts";
import { commandError, failsChange } from "../outcome.ts";
import { checkKnown, entry, type Installed, isEmptyList, type PackageKeyword, resolved } from "./host.ts";
import { verifyInstall } from "./installed.ts";
import { fulfilsVersion, written } from "./versions.ts";

/** The versions of each package that are in the cache. */
async function cached(context: StateContext, keyword: PackageKeyword): Promise<Installed> {
  const found = await context.call("pkg.list_downloaded", [], keyword) as Record<string, Record<string, unknown>>;
  return Object.fromEntries(Object.entries(found).map(([name, versions]) => [name, Object.keys(versions)]));
}

async function downloadTargets(
  context: StateContext,
  { ignore_epoch: ignoreEpoch }: Args,
  pkgs: unknown,
  { normalize = true, skip_suggestions = false, ...keyword }: PackageKeyword,
): Promise<WantedPackage> {
  const there = await cached(context, keyword);
  const wanted = await repackPkgs(context, pkgs, truthy(normalize));
  if (wanted.size === 0) fail("Invalidly formatted pkgs parameter. See minion log.");
  if (!truthy(skip_suggestions)) await checkKnown(context, wanted, keyword);
  const targets: WantedPackage = new Map();
  const problems: string[] = [];
  let compared = false;
  for (const [pkg, version] of wanted) {
    const versions = there[pkg] ?? [];
    if (versions.length === 0) targets.set(pkg, version);
    else if (truthy(version)) {
      compared = true;
      try {
        if (!await fulfilsVersion(context, versions, version!, { ignoreEpoch })) targets.set(pkg, version);
      } catch (error) {
        problems.push(commandError(error));
      }
    }
  }
  if (problems.length > 0) fail(problems.join(" "));
  if (targets.size > 0) return targets;
  const matching = compared ? " (matching specified versions)" : "";
  end(true, `All specified packages${matching} are already downloaded`);
}

export const downloaded = stateFunction({
  signature: "name, version=None, pkgs=None, fromrepo=None, ignore_epoch=None, **kwargs",
  doc: "The packages are in the cache of the package manager.",
  async run(context, args) {
    const { name, version, fromrepo, ignore_epoch } = args;
    if (!await hasFunction(context, "pkg.list_downloaded")) {
      return outcome(name, false, "The pkg.downloaded state is not available on this platform");
    }
    if (isEmptyList(args.pkgs)) return outcome(name, true, "No packages to download provided");
    const { downloadonly: _, ...keyword } = args.kwargs;
    const asked = truthy(args.pkgs) ? args.pkgs : [truthy(version) ? { [str(name)]: version } : name];
    const { pkgs } = await resolved(context, asked, false, keyword);
    const targets = await downloadTargets(context, args, pkgs, { fromrepo, ...keyword });
    if (context.test) {
      return outcome(name, null, `The following packages would be downloaded: ${[...targets.keys()].join(", ")}`);
    }
    const changes = await context.call("pkg.install", [], {
      name,
      pkgs,
      version: truthy(args.pkgs) ? version : null,
      downloadonly: true,
      fromrepo,
      ignore_epoch,
      ...keyword,
    }).catch(failsChange("downloading package(s)")) as PackageKeyword;
    const { missing } = await verifyInstall(context, targets, await cached(context, keyword), ignore_epoch);
    if (missing.length > 0) {
      const names = missing.map((pkg) => written(pkg, targets.get(pkg))).join(", ");
      return outcome(name, false, `The following packages failed to download: ${names}`, changes);
    }
    const comment = truthy(changes) ? "" : `Packages downloaded: ${[...targets.keys()].join(", ")}`;
    return outcome(name, true, comment, changes);
  },
});

/** `pkg.patch_installed`; with `downloadonly` its patches are only fetched. */
export async function patchInstalled(
  context: StateContext,
  { name, advisory_ids: ids, kwargs }: KeywordArgs,
  downloadonly: unknown,
): Promise<StateReturn> {
  if (!await hasFunction(context, "pkg.list_patches")) {
    return outcome(name, false, "The pkg.patch_installed state is not available on this platform");
  }
  if (isEmptyList(ids)) return outcome(name, true, "No advisory ids provided");
  const there = await context.call("pkg.list_installed_patches", [], kwargs);
  const missing = (id: unknown) => !truthy(entry(there, str(id)));
  if (!truthy(ids) && !missing(name)) return outcome(name, true, `Advisory patch ${name} is already installed`);
  const targets = (truthy(ids) ? ids as unknown[] : [name]).filter(missing);
  if (targets.length === 0) return outcome(name, true, "All specified advisory patches are already installed");
  if (context.test) {
    return outcome(name, null, `The following advisory patches would be downloaded: ${targets.map(str).join(", ")}`);
  }
  const changes = await context.call("pkg.install", [], { name, advisory_ids: ids, downloadonly, ...kwargs }).catch(
    failsChange("downloading package(s)"),
  ) as PackageKeyword;
  const done = truthy(downloadonly) ? "downloaded" : "installed";
  const comment = truthy(changes) ? "" : `Advisory patch is not needed or related packages are already ${done}`;
  return outcome(name, true, comment, changes);
}

export const patchDownloaded = stateFunction({
  signature: "name, advisory_ids=None, **kwargs",
  doc: "The patches of advisories are in the cache of the package manager.",
  async run(context, args) {
    if (!await hasFunction(context, "pkg.list_patches")) {
      return outcome(args.name, false, "The pkg.patch_downloaded state is not available on this platform");
    }
    const { downloadonly: _, ...kwargs } = args.kwargs;
    return await patchInstalled(context, { ...args, kwargs }, true);
  },
});
