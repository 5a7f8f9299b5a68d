/** The states `pkg.latest` and `pkg.uptodate`. */
import { messageOf } from "../../../base/errors.ts";
import { CommandExecutionError } from "../../../model/loader/family.ts";
import type { StateContext, StateReturn } from "../../../model/loader/states.ts";
import { end, fail, hasFunction, outcome, stateFunction } from "../../../model/loader/states.ts";
import { type Args, type KeywordArgs, str, truthy } from "../../../language/python/values.ts";
import { shallRefresh } from "../../packages/lists.ts";
import { repackPkgs, type WantedPackage } from "../../packages/targets.ts";
import { commandError, fails, failsChange } from "../outcome.ts";
import { entry, type PackageKeyword, resolved } from "./host.ts";

const sorted = (names: Iterable<string>): string => [...names].sort().join(", ");

/** The packages that are asked for. */
async function namesOf(context: StateContext, { name, pkgs, kwargs }: KeywordArgs): Promise<string[]> {
  if (truthy(kwargs.sources)) fail('The "sources" parameter is not supported.');
  if (Array.isArray(pkgs) && pkgs.length === 0) end(true, "No packages to install provided");
  if (!truthy(pkgs)) return [str(name)];
  const found = [...(await repackPkgs(context, pkgs)).keys()];
  return found.length > 0 ? found : fail('Invalidly formatted "pkgs" parameter. See minion log.');
}

/** Versions by name, also where a function gives a single one as text. */
const byName = (names: string[], found: unknown): unknown => typeof found === "string" ? { [names[0]!]: found } : found;

interface Versions {
  current: unknown;
  available: unknown;
}

async function versionsOf(
  context: StateContext,
  names: string[],
  refresh: boolean,
  { fromrepo, keyword }: { fromrepo: unknown; keyword: PackageKeyword },
): Promise<Versions> {
  const available = await context.call("pkg.latest_version", names, { fromrepo, refresh, ...keyword }).catch(
    fails("An error was encountered while checking the newest available version of package(s): "),
  );
  const current = await context.call("pkg.version", names, keyword).catch(fails());
  return { current: byName(names, current), available: byName(names, available) };
}

/** What is said of packages that are at their newest version, none if there are none. */
function upToDate(names: string[], few: (list: string) => string, many: string): string[] {
  if (names.length === 0) return [];
  return [names.length <= 10 ? few(sorted(names)) : `${names.length} ${many}`];
}

export const latest = stateFunction({
  signature: "name, refresh=None, fromrepo=None, skip_verify=False, pkgs=None, watch_flags=True, **kwargs",
  doc: "The packages are installed in the newest version that there is.",
  async run(context, args) {
    const { name, pkgs, fromrepo } = args;
    const asked = await namesOf(context, args);
    const keyword: PackageKeyword = { ...args.kwargs, saltenv: context.saltenv };
    const { pkgs: names, refresh } = await resolved(context, asked, shallRefresh(context, args.refresh), keyword);
    const { current, available } = await versionsOf(context, names, refresh, { fromrepo, keyword });
    const targets: WantedPackage = new Map();
    const problems: string[] = [];
    for (const one of names) {
      if (truthy(entry(available, one))) targets.set(one, str(entry(available, one)));
      else if (!truthy(entry(current, one))) problems.push(`No information found for '${one}'.`);
    }
    if (problems.length > 0) return outcome(name, false, problems.join(" "));
    if (targets.size === 0) {
      const comment = names.length > 10
        ? `All ${names.length} packages are up-to-date.`
        : names.length > 1
        ? `All packages are up-to-date (${sorted(names)}).`
        : `Package ${names[0]} is already up-to-date`;
      return outcome(name, true, comment);
    }
    const same = truthy(pkgs) ? (pkgs as unknown[]).map(str).filter((one) => !targets.has(one)) : [];
    if (context.test) {
      const versioned = (list: string[]) => list.sort().map((one) => `${one} (${str(entry(current, one))})`).join(", ");
      const more = upToDate(
        same,
        () => `The following packages are already up-to-date: ${versioned(same)}`,
        "packages are already up-to-date",
      );
      const first = `The following packages would be installed/upgraded: ${sorted(targets.keys())}`;
      return outcome(name, null, [first, ...more].join("\n"));
    }
    return await update(context, args, keyword, targets, same);
  },
});

async function update(
  context: StateContext,
  { name, fromrepo, skip_verify }: Args,
  keyword: PackageKeyword,
  targets: WantedPackage,
  same: string[],
): Promise<StateReturn> {
  const changes = await context.call("pkg.install", [], {
    name: null,
    refresh: false,
    fromrepo,
    skip_verify,
    pkgs: [...targets.keys()],
    ...keyword,
  }).catch(fails("An error was encountered while installing package(s): ")) as Record<string, { new?: string | null }>;
  if (!truthy(changes)) {
    const already = upToDate(
      same,
      (list) => ` The following packages were already up-to-date: ${list}`,
      "packages were already up-to-date",
    );
    const failed = targets.size > 10
      ? `${targets.size} targeted packages failed to update. See debug log for details.`
      : targets.size > 1
      ? `The following targeted packages failed to update. See debug log for details: (${sorted(targets.keys())}).`
      : `Package ${[...targets.keys()][0]} failed to update.`;
    return outcome(name, false, [failed, ...already].join(""), changes);
  }
  const failed = [...targets].filter(([one, version]) => {
    const change = changes[one];
    if (!truthy(change)) return true;
    const now = change!.new ?? null;
    return now !== null && !now.split(",").includes(version!) && version !== "latest";
  }).map(([one]) => one);
  const good = [...targets.keys()].filter((one) => !failed.includes(one));
  const comments = [
    ...(failed.length > 0 ? [`The following packages failed to update: ${sorted(failed)}`] : []),
    ...(good.length > 0 ? [`The following packages were successfully installed/upgraded: ${sorted(good)}`] : []),
    ...upToDate(
      same,
      (list) => `The following packages were already up-to-date: ${list}`,
      "packages were already up-to-date ",
    ),
  ];
  return outcome(name, failed.length === 0, comments.join(" "), changes);
}

export const uptodate = stateFunction({
  signature: "name, refresh=False, pkgs=None, **kwargs",
  doc: "All packages, or those that are named, have their newest version.",
  async run(context, args) {
    const { name, kwargs: keyword } = args;
    if (!await hasFunction(context, "pkg.list_upgrades")) fail("State pkg.uptodate is not available");
    if (typeof args.refresh !== "boolean") fail("refresh must be either True or False");
    const expected: Record<string, unknown> = {};
    let asked: { pkgs: unknown; refresh: boolean };
    try {
      asked = await resolved(context, args.pkgs, args.refresh, keyword);
      const found = await context.call("pkg.list_upgrades", [], { refresh: asked.refresh, ...keyword });
      for (const [one, version] of Object.entries(found as PackageKeyword)) {
        const old = await context.call("pkg.version", [one], keyword);
        if (!Array.isArray(asked.pkgs) || asked.pkgs.includes(one)) expected[one] = { new: version, old };
      }
    } catch (error) {
      fail(error instanceof CommandExecutionError ? commandError(error) : messageOf(error));
    }
    if (Object.keys(expected).length === 0) return outcome(name, true, "System is already up-to-date");
    if (context.test) return outcome(name, null, "System update will be performed", expected);
    const changes = await context.call("pkg.upgrade", [], { ...asked, ...keyword }).catch(
      failsChange("updating packages"),
    ) as PackageKeyword;
    const missing = Array.isArray(asked.pkgs)
      ? Object.keys(expected).filter((one) => !Object.hasOwn(changes, one))
      : [];
    return missing.length > 0
      ? outcome(name, false, `The following package(s) failed to update: ${missing.join(", ")}`, changes)
      : outcome(name, true, "Upgrade ran successfully", changes);
  },
});
