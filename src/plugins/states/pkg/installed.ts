/** The state `pkg.installed`. */
import { hasFunction, outcome, type StateContext, StateEnd, type StateReturn } from "../../../model/loader/states.ts";
import { entriesOf, isMap, type KeywordArgs, str, truthy } from "../../../language/python/values.ts";
import { shallRefresh } from "../../packages/lists.ts";
import type { WantedPackage } from "../../packages/targets.ts";
import { failsChange, nestedText } from "../outcome.ts";
import { applyHold, type HoldOutcome } from "./hold.ts";
import type { Installed, PackageKeyword } from "./host.ts";
import { entry, hostPackageName, packagesOf, resolved, versionsOf } from "./host.ts";
import { type PackagePlan, planOf, type PlanRequest, verifyPackage } from "./plan.ts";
import { fulfilsVersion, versionClean, written } from "./versions.ts";

interface Request extends PlanRequest {
  fromrepo: unknown;
  skipVerify: unknown;
  updateHolds: unknown;
  /** Beside `pkgs`, where it means nothing. */
  version: string | null;
}

const keys = (wanted: WantedPackage): string[] => [...wanted.keys()];

/** The packages as comments name them: those from files by their names alone. */
const named = (request: Request, names: readonly string[], versions: WantedPackage): string =>
  names.map((name) => truthy(request.sources) ? name : written(name, versions.get(name))).join(", ");

const were = (count: number, done: string): string =>
  `${count} targeted package${count > 1 ? "s were" : " was"} ${done}`;

/** Which of the desired packages are there now, and which are not. */
export async function verifyInstall(
  context: StateContext,
  desired: WantedPackage,
  installed: Installed,
  ignoreEpoch: unknown,
  provided: unknown = {},
): Promise<{ there: string[]; missing: string[] }> {
  const there: string[] = [];
  const missing: string[] = [];
  for (const [pkg, version] of desired) {
    const name = pkg.split("=")[0]!;
    let versions = versionsOf(installed, name);
    if (versions.length === 0) versions = versionsOf(installed, await hostPackageName(context, name));
    const [provider] = (entry(provided, name) as string[] | undefined) ?? [];
    if (versions.length === 0 && provider !== undefined) versions = versionsOf(installed, provider);
    const fits = async () =>
      version === "latest" || !truthy(await versionClean(context, version)) ||
      (version!.endsWith("*") && versions[0]!.startsWith(version!.slice(0, -1))) ||
      await fulfilsVersion(context, versions, version!, { ignoreEpoch });
    (versions.length > 0 && await fits() ? there : missing).push(pkg);
  }
  return { there, missing };
}

function dryRun(request: Request, { targets, unpurge, reinstall, altered }: PackagePlan): StateReturn {
  const comments: string[] = [];
  const changes: Record<string, unknown> = {};
  const added = { new: "installed", old: "" };
  if (targets.size > 0) {
    comments.push(`The following packages would be installed/updated: ${keys(targets).join(", ")}`);
    for (const name of targets.keys()) changes[name] = { ...added };
  }
  if (unpurge.length > 0) {
    comments.push(
      "The following packages would have their selection status changed from 'purge' to 'install': " +
        unpurge.join(", "),
    );
    for (const name of unpurge) changes[name] = { ...added };
  }
  if (request.reinstall && reinstall.size > 0) {
    const names = keys(reinstall).map((name) => named(request, [name], reinstall));
    for (const name of names) changes[name] = { ...added };
    comments.push(`The following packages would be reinstalled: ${names.join(", ")}`);
  } else {
    for (const name of reinstall.keys()) {
      const text = named(request, [name], reinstall);
      comments.push(`Package '${text}' would be reinstalled because the following files have been altered:`);
      changes[name] = {};
      comments.push(nestedText(altered.get(name)));
    }
  }
  return outcome(request.name, null, comments.join("\n"), changes);
}

/** Adds to a return that nothing was to be installed what became of `hold`. */
async function holdOnly(context: StateContext, request: Request, ret: StateReturn): Promise<StateReturn> {
  const { name, pkgs, sources, keyword } = request;
  const held = await applyHold(context, keyword, { name, pkgs, sources });
  if (held === undefined) return ret;
  if ("error" in held) return outcome(name, false, held.error);
  for (const one of [...held.modified, ...held.unmodified, ...held.failed]) {
    ret.comment = `${ret.comment}.\n${one.comment}`;
    ret.result = one.result;
  }
  for (const one of held.modified) ret.changes[one.name] = one.changes;
  return ret;
}

/** Has the packages installed; the changes, and what there is to say of them. */
async function install(context: StateContext, request: Request, plan: PackagePlan, refresh: boolean) {
  const { sources, keyword } = request;
  const again = [...plan.targets, ...plan.reinstall].map(([name, version]) => ({ [name]: version }));
  const all = Array.isArray(sources) ? sources.filter(isMap) : [];
  const ofSources = (wanted: WantedPackage) => all.filter((one) => wanted.has(str(entriesOf(one)[0]?.[0])));
  const found = await context.call("pkg.install", [], {
    name: null,
    refresh,
    version: request.version,
    fromrepo: request.fromrepo,
    skip_verify: request.skipVerify,
    pkgs: truthy(request.pkgs) ? again : request.pkgs,
    sources: truthy(sources) ? [...ofSources(plan.targets), ...ofSources(plan.reinstall)] : sources,
    reinstall: plan.reinstall.size > 0,
    normalize: request.normalize,
    update_holds: request.updateHolds,
    ignore_epoch: request.ignoreEpoch,
    ...keyword,
    split_arch: false,
  });
  return typeof found === "string" ? { changes: {}, said: [found] } : { changes: found as PackageKeyword, said: [] };
}

/** Writes into the comments and changes what became of `hold`. */
function tellHeld(
  held: Extract<HoldOutcome, { modified: unknown }>,
  changes: PackageKeyword,
  comments: string[],
): void {
  for (const one of held.modified) {
    comments.push(one.comment);
    const change = changes[one.name] as { old: string; new: string } | undefined;
    if (change === undefined) changes[one.name] = { new: str(one.changes.new) };
    else {
      for (const key of ["new", "old"] as const) {
        change[key] = `${change[key]}${change[key].length > 0 ? "\n" : ""}${str(one.changes[key] ?? null)}`;
      }
    }
  }
}

/** What to say of packages that were installed again. */
async function tellReinstalled(
  context: StateContext,
  request: Request,
  plan: PackagePlan,
  installed: PackageKeyword,
  comments: string[],
): Promise<boolean> {
  const done: string[] = [];
  const failed: string[] = [];
  for (const name of plan.reinstall.keys()) {
    if (request.reinstall) (Object.hasOwn(installed, name) ? done : failed).push(name);
    else {
      const left = await verifyPackage(context, request, name);
      if (truthy(left)) plan.altered.set(name, left);
      (truthy(left) ? failed : done).push(name);
    }
  }
  const tell = (names: string[], said: (text: string) => string, files: string) => {
    for (const name of names) {
      const text = said(named(request, [name], plan.desired));
      if (!plan.altered.has(name)) comments.push(text);
      else comments.push(`${text} ${files}`, nestedText(plan.altered.get(name)));
    }
  };
  tell(done, (text) => `Package ${text} was reinstalled.`, "The following files were remediated:");
  tell(
    failed,
    (text) => `Reinstall was not successful for package ${text}.`,
    "The following files could not be remediated:",
  );
  return failed.length === 0;
}

/** Which packages are as they should be now. */
async function resultOf(context: StateContext, request: Request, plan: PackagePlan, changes: PackageKeyword) {
  const { desired, targets, reinstall } = plan;
  const untouched = (name: string) => !targets.has(name) && !reinstall.has(name);
  if (truthy(request.sources)) {
    const modified = Object.keys(changes).filter((name) => targets.has(name));
    return {
      modified,
      unmodified: keys(desired).filter(untouched),
      failed: keys(targets).filter((name) => !modified.includes(name)),
    };
  }
  const { keyword, ignoreEpoch } = request;
  const installed = await packagesOf(context, keyword);
  const capabilities = truthy(keyword.resolve_capabilities) && await hasFunction(context, "pkg.list_provides");
  const provided = capabilities ? await context.call("pkg.list_provides", [], keyword) : {};
  const { there, missing } = await verifyInstall(context, desired, installed, ignoreEpoch, provided);
  return {
    modified: there.filter((name) => targets.has(name)),
    unmodified: there.filter(untouched),
    failed: missing.filter((name) => targets.has(name)),
  };
}

async function carryOut(
  context: StateContext,
  request: Request,
  plan: PackagePlan,
  refresh: boolean,
): Promise<StateReturn> {
  const { name, keyword } = request;
  const comments: string[] = [];
  const changes: PackageKeyword = {};
  let installed: PackageKeyword = {};
  if (plan.targets.size + plan.reinstall.size > 0) {
    const done = await install(context, request, plan, refresh).catch(failsChange("installing package(s)"));
    installed = done.changes;
    Object.assign(changes, installed);
    comments.push(...done.said);
  }
  const held = await applyHold(context, keyword, { name, pkgs: Object.fromEntries(plan.desired) });
  if (held !== undefined && "error" in held) {
    return held.thrown
      ? outcome(name, false, [...comments, held.error].join("\n"), changes)
      : outcome(name, false, held.error);
  }
  if (plan.unpurge.length > 0) changes.purge_desired = await context.call("lowpkg.unpurge", plan.unpurge);
  const { modified, unmodified, failed } = await resultOf(context, request, plan, changes);
  if (modified.length > 0) {
    const summary = named(request, modified, plan.desired);
    comments.push(
      summary.length < 20
        ? `The following packages were installed/updated: ${summary}`
        : `${were(modified.length, "installed/updated")}.`,
    );
  }
  if (held !== undefined) tellHeld(held, changes, comments);
  if (unmodified.length > 0) {
    comments.push(
      unmodified.length <= 20
        ? `The following packages were already installed: ${named(request, unmodified, plan.desired)}`
        : were(unmodified.length, "already installed"),
    );
  }
  comments.push(...held?.unmodified.map(({ comment }) => comment) ?? []);
  if (failed.length > 0) {
    comments.unshift(`The following packages failed to install/update: ${named(request, failed, plan.desired)}`);
  }
  comments.push(...held?.failed.map(({ comment }) => comment) ?? []);
  const again = await tellReinstalled(context, request, plan, installed, comments);
  const result = again && failed.length === 0 && (held?.failed.length ?? 0) === 0;
  return outcome(name, result, comments.join("\n"), changes);
}

export async function installed(context: StateContext, args: KeywordArgs): Promise<StateReturn> {
  const { name, sources } = args;
  if (Array.isArray(args.pkgs) && args.pkgs.length === 0) return outcome(name, true, "No packages to install provided");
  const given: PackageKeyword = { ...args.kwargs, saltenv: context.saltenv };
  let { pkgs, version } = args;
  if (truthy(name) && !truthy(pkgs) && !truthy(sources)) {
    pkgs = [truthy(version) ? { [str(name)]: version } : name];
    if (truthy(version)) version = null;
  }
  const asked = await resolved(context, pkgs, shallRefresh(context, args.refresh), given);
  const verify = Array.isArray(args.pkg_verify) ? args.pkg_verify : args.pkg_verify === true;
  if (verify !== false && !await hasFunction(context, "pkg.verify")) {
    return outcome(name, false, "pkg.verify not implemented");
  }
  const keyword: PackageKeyword = { ...given, allow_updates: args.allow_updates };
  const request: Request = {
    name,
    pkgs: asked.pkgs,
    sources,
    skipSuggestions: truthy(args.skip_suggestions),
    verify,
    normalize: truthy(args.normalize),
    ignoreEpoch: args.ignore_epoch,
    reinstall: truthy(args.reinstall),
    refresh: asked.refresh,
    keyword,
    fromrepo: args.fromrepo,
    skipVerify: args.skip_verify,
    updateHolds: args.update_holds,
    version: version === null ? null : str(version),
  };
  // While looking, names keep their architecture, and only the repository that is named counts.
  const plan = await planOf(context, {
    ...request,
    keyword: { fromrepo: args.fromrepo, split_arch: false, ...keyword },
  }).catch((error) => {
    if (error instanceof StateEnd) return outcome(name, false, error.message);
    throw error;
  });
  if ("result" in plan) return await holdOnly(context, request, plan);
  const finish = (ret: StateReturn) => plan.warnings.length === 0 ? ret : { ...ret, warnings: plan.warnings };
  if (plan.unpurge.length > 0 && !await hasFunction(context, "lowpkg.unpurge")) {
    return finish(outcome(name, false, "lowpkg.unpurge not implemented"));
  }
  if (context.test) return finish(dryRun(request, plan));
  return finish(await carryOut(context, request, plan, asked.refresh && !plan.refreshed));
}
